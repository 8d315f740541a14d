"""Write down what the autograd engine does, event by event, without taking part in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.module_hooks import forward_events
from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.hook import CallName, LiveHook
from hookviz._live.recording.explain import explain
from hookviz._live.recording.log import EventLog
from hookviz._live.recording.watch_arrivals import ArrivalWatcher
from hookviz._live.recording.watch_module_hooks import BackwardHookWatcher
from hookviz._live.recording.watch_node_hooks import NodeHookWatcher
from hookviz._live.recording.watch_nodes import NodeWatcher
from hookviz._live.recording.watch_recomputed import ForwardInBackward
from hookviz._live.recording.watch_tensor_hooks import (
    PostAccumulateHookWatcher,
    TensorHookWatcher,
    TensorStandIn,
)
from hookviz._live.user.printed import Printed
from hookviz._live.values.reading import MaybeReading, Reader, pending
from hookviz._records import ErrorEvent, ErrorRecord, StartEvent


class Recorder:
    """Build the events of one pass from callbacks that PyTorch makes.

    No callback keeps a tensor longer than the engine itself needs it.

    Attributes:
        log: The events so far.
        forward: Watches modules that are called during the pass.
    """

    def __init__(
        self,
        live: LiveGraph,
        chains: HookChains,
        grads: Iterable[MaybeReading],
        *,
        printed: Printed,
        reader: Reader,
    ) -> None:
        self._live = live
        self._chains = chains
        before = forward_events(live.forward, chains.modules)
        self.log = log = EventLog(live, grads, printed=printed, reader=reader, before=before)
        arrivals_at = ArrivalWatcher(log)
        self._nodes = NodeWatcher(live, log, arrivals_at)
        self._tensor_hooks = TensorHookWatcher(log, arrivals_at)
        self._post_accumulate = PostAccumulateHookWatcher(log, self._nodes.accumulated)
        self._node_hooks = NodeHookWatcher(log, chains.nodes, arrivals_at)
        self._module_hooks = BackwardHookWatcher(log, chains.modules, live.forward.calls)
        self.forward = ForwardInBackward(
            log, chains.modules, self._module_hooks, live.forward, keep=reader.keep
        )

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Have nodes, hooks and modules call back within the block, and no longer."""
        with (
            self._chains.replaced(self._stand_in),
            self._nodes.watching(),
            self._module_hooks.watching(),
            self._node_hooks.watching(),
            self.forward.watching(),
        ):
            yield

    def _stand_in(self, hook: LiveHook[LiveTensor], place: int) -> TensorStandIn:
        is_tensor_hook = hook.kind == "tensor_hook"
        return TensorStandIn(
            hook, place, self._tensor_hooks if is_tensor_hook else self._post_accumulate
        )

    def start(self, gradient: torch.Tensor) -> None:
        """Note the gradient that is handed to the root."""
        root = self._live.tensors[0]
        if gradient.dtype != root.tensor.dtype:
            # The engine does the same before anything else sees it (tried on 2.13).
            gradient = gradient.detach().to(root.tensor.dtype)
        reading = self.log.read(gradient)
        self.log.runs.arrivals.send(root.slot, gradient, reading, root.label)
        self.log.add(StartEvent(**self.log.at(), tensor=root.label, outgoing=pending(reading)))

    def failed(self, error: Exception) -> ErrorRecord:
        """Write the event of the exception that ended the pass, with its hook or node."""
        hook, refused = self.log.blame.verdict()
        record = explain(
            error,
            hook=hook,
            node=self.log.runs.current.node_at_work,
            is_refused=refused is not None,
        )
        call = hook.owner if hook is not None and isinstance(hook.owner, CallName) else None
        self.log.add(
            ErrorEvent(
                **self.log.at(),
                tensor=record.tensor,
                module=None if call is None else call.module,
                call=None if call is None else call.number,
                node=record.node,
                hook=record.hook,
                incoming=None if refused is None else refused.incoming,
                outgoing=None if refused is None else refused.outgoing,
                error=record,
            )
        )
        return record

    def last_grads(self) -> dict[str, MaybeReading]:
        """Return a reading of the `.grad` of each tensor now, by label."""
        return {owner.label: self.log.grads.now(owner) for owner in self._live.tensors}
