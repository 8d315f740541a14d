"""Watch modules that are called while a backward is recorded: a checkpoint runs forward again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import torch

from hookviz._live.forward.book import CallBook, CallEntry, CallMark
from hookviz._live.forward.call import calls_watched_by
from hookviz._live.forward.part import ForwardPart
from hookviz._live.forward.places import CodeRecords
from hookviz._live.forward.watch import ForwardWatch
from hookviz._live.graph.describe import Description
from hookviz._live.graph.module_hooks import ModuleChains
from hookviz._live.hooks.at_work import CallName
from hookviz._live.hooks.places import HookPlace, with_flags
from hookviz._live.hooks.table import HookEntry
from hookviz._live.recording.log import EventLog, RawEvent
from hookviz._live.recording.watch_module_hooks import BackwardHookWatcher
from hookviz._parameters import Keep
from hookviz._records import CallRecord, HookRecord, ModuleRecord, SourceRecord


class ForwardInBackward:
    """Write the events of such calls into the middle of the backward's."""

    def __init__(
        self,
        log: EventLog,
        chains: ModuleChains,
        hooks: BackwardHookWatcher,
        forward: ForwardPart,
        *,
        keep: Keep,
    ) -> None:
        """Prepare to watch.

        Args:
            log: The events of the pass.
            chains: Gives hooks their ids.
            hooks: Listens to the backward hooks of the calls.
            forward: What is known of the graph; the numbers of its calls go on.
            keep: See `Keep`.
        """
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
    def watched(self) -> Iterator[None]:
        """Watch within the block; where nothing is known of modules, do nothing."""
        with ExitStack() as stack:
            if self._known:
                watch = ForwardWatch(self, self._book, keep=self._keep)
                stack.enter_context(calls_watched_by(watch))
            yield

    def add(self, call: CallEntry, **fields: Any) -> RawEvent:
        """Append an event of a call."""
        notes = (*fields.pop("notes", ()), "fact.recomputed")
        return self._log.add(module=call.module.name, call=call.number, notes=notes, **fields)

    def heard_outside(self) -> None:
        """Leave what was printed to the next event of the pass."""
        self._log.hold_printed()

    def has_mark(self, call: CallEntry, mark: CallMark) -> None:
        """Listen to the backward hooks of a call, which a backward inside this one may run."""
        self._hooks.listen(mark, CallName(call.module.name, call.number), is_inner=True)

    def hook_record(
        self, module: torch.nn.Module, place: HookPlace, key: int, entry: HookEntry
    ) -> HookRecord:
        """Return the plain data of a hook, with the id that it has in the graph."""
        record = self._chains.record_at(place.hooks, key, place.kind, entry)
        return with_flags(record, module, place.hooks, key)

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
