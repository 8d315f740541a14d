"""Record a call of `backward()` that the user's own code makes."""

from __future__ import annotations

from msgspec.structs import replace

from hookviz._live import internals
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.node_names import plain_name
from hookviz._live.session.ready_graph import PassSettings, ReadyGraph
from hookviz._live.session.session import Session
from hookviz._live.unmodified.call import BackwardCall
from hookviz._live.unmodified.freed import FreedValues
from hookviz._records import ErrorRecord, TraceRecord


def record_plainly(call: BackwardCall) -> TraceRecord:
    """Make the call and record it, with the graph freed or retained as the user's code has it.

    Raises:
        HookvizError: If it cannot be recorded; it has not been made then.
    """
    settings = PassSettings(options=call.options, namespaces=call.namespaces)
    graph = ReadyGraph.behind(call.root, settings)
    return graph.run(lambda: call.run(retain_graph=call.options.retain_graph))


def open_session(call: BackwardCall, freed: FreedValues) -> Session:
    """Make the call, record it, and return a session that can run the pass again.

    Args:
        call: The user's call.
        freed: Keeps the values that have to look freed.

    Raises:
        HookvizError: If it cannot be recorded; it has not been made then.
    """
    session = Session(
        call.root,
        replace(call.options, retain_graph=True),
        namespaces=call.namespaces,
        echo=False,
        backward=UsersBackward(call, freed),
    )
    session.arguments = replace(session.arguments, retain_graph=call.options.retain_graph)
    freed.hold()
    return session


class UsersBackward:
    """A pass that is the user's own call at first, and can be run again after it.

    The call is made with `retain_graph=True`. The values that plain PyTorch would have freed are
    freed all the same, for everybody but the further passes.
    """

    def __init__(self, call: BackwardCall, freed: FreedValues) -> None:
        self._call: BackwardCall | None = call
        self._freed = freed
        self._first_error: ErrorRecord | None = None

    def run(self, graph: ReadyGraph) -> TraceRecord:
        """Run backward and return the trace."""
        if self._call is not None:
            call, self._call = self._call, None
            trace = self._make(call, graph)
            self._first_error = trace.error
            return trace
        first = self._first_error
        if first is not None and first.explanation == "error.graph_freed":
            return graph.run()  # it met a freed graph, and does so again
        with self._freed.readable():
            trace = graph.run()
        error = trace.error
        if first is None and error is not None and error.explanation == "error.in_place":
            # The user's own pass has come through, so it was changed since.
            return replace(trace, error=replace(error, explanation="error.changed_since"))
        return trace

    def close(self) -> None:
        """Let the freed values go once no other session needs them."""
        self._freed.release()

    def _make(self, call: BackwardCall, graph: ReadyGraph) -> TraceRecord:
        nodes = graph.live.nodes
        wants_freed = not call.options.retain_graph
        # A compiled function may reuse the memory of what it saved, and refuses to be retained.
        is_kept = wants_freed and not any(
            plain_name(node) == "CompiledFunctionBackward" for node in nodes.values()
        )
        stopped: list[BaseException] = []

        def backward() -> None:
            try:
                call.run(retain_graph=is_kept or not wants_freed)
            except Exception:
                raise
            except BaseException as error:
                stopped.append(error)
                # So that it is known which nodes have run until then.
                raise RuntimeError("stopped") from error

        versions = _versions(graph.live)
        trace = graph.run(backward)
        if is_kept:
            have_run = [
                nodes[event.node]
                for event in trace.events
                if event.kind == "node" and event.node is not None and event.timeline == 0
            ]
            self._freed.free(have_run, changed=versions != _versions(graph.live))
        if stopped:
            raise stopped[0]
        return trace


def _versions(live: LiveGraph) -> list[int]:
    return [internals.version(owner.tensor) for owner in live.tensors]
