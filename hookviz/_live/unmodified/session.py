"""Make a session of a backward that the user's own code has called."""

from __future__ import annotations

from dataclasses import replace

from hookviz._live import internals
from hookviz._live.graph.capture import LiveGraph, capture_live
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.node_names import plain_name
from hookviz._live.graph.tensors import check_root
from hookviz._live.recording.options import with_gradient
from hookviz._live.recording.run import run_backward
from hookviz._live.session.session import Session
from hookviz._live.unmodified.freed import FreedValues
from hookviz._live.unmodified.interception import BackwardCall
from hookviz._records import ErrorRecord, TraceRecord


class RecordedSession(Session):
    """A session whose first pass is the user's own; everybody else finds the graph freed.

    The call is made with `retain_graph=True`, so that the pass can be run again after an edit. What
    plain PyTorch would have freed is freed all the same, for all but this session.
    """

    def __init__(self, call: BackwardCall, freed: FreedValues) -> None:
        """Make the call and record it.

        Args:
            call: The user's call.
            freed: Keeps what has to look freed.

        Raises:
            HookvizError: If it cannot be recorded; it has not been made then.
        """
        self._freed = freed
        self._first_error: ErrorRecord | None = None
        super().__init__(
            call.root,
            replace(call.options, retain_graph=True),
            namespaces=call.namespaces,
            echo=False,
            first_run=lambda live, chains: self._run_users_call(call, live, chains),
        )
        self.arguments = replace(self.arguments, retain_graph=call.options.retain_graph)
        freed.hold()

    def close(self) -> None:
        """Close it, and let what counts as freed go once no other session needs it."""
        if not self.is_closed:
            super().close()
            self._freed.release()

    def _run(self) -> TraceRecord:
        first = self._first_error
        if first is not None and first.explanation == "error.graph_freed":
            return super()._run()  # it met a freed graph, and does so again
        with self._freed.readable():
            trace = super()._run()
        error = trace.error
        if first is None and error is not None and error.explanation == "error.in_place":
            # The user's own pass has come through, so it was changed since.
            return replace(trace, error=replace(error, explanation="error.changed_since"))
        return trace

    def _run_users_call(
        self, call: BackwardCall, live: LiveGraph, chains: HookChains
    ) -> TraceRecord:
        wants_freed = not call.options.retain_graph
        # A compiled function may reuse the memory of what it saved, and refuses to be retained.
        is_kept = wants_freed and not any(
            plain_name(node) == "CompiledFunctionBackward" for node in live.nodes.values()
        )
        stopped: list[BaseException] = []

        def backward() -> None:
            try:
                call.run(is_kept or not wants_freed)
            except Exception:
                raise
            except BaseException as error:
                stopped.append(error)
                # So that it is known which nodes have run until then.
                raise RuntimeError("stopped") from error

        versions = _versions(live)
        trace = run_backward(live, chains, call.options, backward=backward)
        if is_kept:
            have_run = [
                live.nodes[event.node]
                for event in trace.events
                if event.kind == "node" and event.node is not None and event.timeline == 0
            ]
            self._freed.free(have_run, changed=versions != _versions(live))
        if stopped:
            raise stopped[0]
        self._first_error = trace.error
        return trace


def _versions(live: LiveGraph) -> list[int]:
    return [internals.version(owner.tensor) for owner in live.tensors]


def record_plainly(call: BackwardCall) -> TraceRecord:
    """Make the call and record it, with the graph freed or retained as the user's code has it.

    Raises:
        HookvizError: If it cannot be recorded; it has not been made then.
    """
    options = with_gradient(check_root(call.root), call.options)
    live = capture_live(call.root, namespaces=call.namespaces)
    return run_backward(
        live,
        HookChains(live),
        options,
        backward=lambda: call.run(call.options.retain_graph),
    )
