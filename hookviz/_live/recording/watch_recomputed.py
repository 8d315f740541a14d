"""Watch modules that are called while a backward is recorded: a checkpoint runs forward again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext

from msgspec.structs import replace

from hookviz._live.forward.book import CallBook, CallEntry, CallMark
from hookviz._live.forward.call import calls_watched_by
from hookviz._live.forward.log import AtCall
from hookviz._live.forward.part import ForwardPart
from hookviz._live.forward.places import CodeRecords
from hookviz._live.forward.watch import ForwardWatch
from hookviz._live.graph.describe import Description
from hookviz._live.graph.module_hooks import ModuleChains
from hookviz._live.hooks.hook import CallName
from hookviz._live.internals import HookDict
from hookviz._live.recording.log import EventLog
from hookviz._live.recording.watch_module_hooks import BackwardHookWatcher
from hookviz._live.values.looks import Looks
from hookviz._parameters import Keep
from hookviz._records import AnyEvent, CallRecord, ModuleRecord, SourceRecord


class ForwardInBackward:
    """Write the events of recomputed calls into the middle of the backward's.

    The numbers of the calls go on from those of the graph's forward.
    """

    notes = ("fact.recomputed",)

    def __init__(
        self,
        log: EventLog,
        chains: ModuleChains,
        hooks: BackwardHookWatcher,
        forward: ForwardPart,
        *,
        keep: Keep,
    ) -> None:
        self.printed = log.printed
        self._log = log
        self._chains = chains
        self._hooks = hooks
        self._known = tuple(forward.modules)
        self._book = CallBook()
        for live in self._known:
            self._book.names.take(live.name)
            if live.module is not None:
                self._book.add_module(live.module, live.name).count = live.count
        self._keep: Keep = keep

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch within the block; where nothing is known of modules, do nothing."""
        watch = ForwardWatch(self, self._book, Looks(self._keep))
        with calls_watched_by(watch) if self._known else nullcontext():
            yield

    def at(self, call: CallEntry, printed: str) -> AtCall:
        """Return the common fields of the next event of a call."""
        return {**self._log.at(printed), "module": call.module.name, "call": call.number}

    def add(self, call: CallEntry, event: AnyEvent) -> None:
        """Append an event of a call."""
        self._log.add(event)

    def heard_outside(self) -> None:
        """Leave the printed text to the next event of the pass."""
        self._log.hold_printed()

    def has_mark(self, call: CallEntry, mark: CallMark) -> None:
        """Listen to the backward hooks of a call, which a backward inside this one may run."""
        self._hooks.listen(mark, CallName(call.module.name, call.number), is_inner=True)

    def seat(self, hooks: HookDict, key: int) -> tuple[str, bool]:
        """Return the id that a hook has in the graph, and whether a call has registered it."""
        return self._chains.seat(hooks, key)

    def added_to(self, graph: Description) -> Description:
        """Return the graph with the calls that were made during the pass, and their modules."""
        if not self._book.calls:
            return graph
        ids = {module.name: module.id for module in graph.modules}
        modules, code = list(graph.modules), CodeRecords()
        calls: dict[int, CallRecord] = {}
        for call in self._book.calls:
            entry = call.module
            if entry.name not in ids:
                ids[entry.name] = f"m{len(modules)}"
                modules.append(
                    ModuleRecord(
                        id=ids[entry.name], name=entry.name, type=entry.type, hooks=entry.hooks
                    )
                )
            parent = None if call.parent is None else calls.get(id(call.parent))
            calls[id(call)] = CallRecord(
                id=f"k{len(graph.calls) + len(calls)}",
                module=ids[entry.name],
                number=call.number,
                parent=None if parent is None else parent.id,
                **code.fields(call.place),
            )
        new = [source for source in code.sources() if not _is_in(source, graph.sources)]
        return replace(
            graph,
            modules=tuple(modules),
            calls=(*graph.calls, *calls.values()),
            sources=(*graph.sources, *new),
        )


def _is_in(source: SourceRecord, others: Iterable[SourceRecord]) -> bool:
    return any(
        other.file == source.file
        and other.first_line <= source.first_line
        and source.text in other.text
        for other in others
    )
