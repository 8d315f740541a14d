"""Find the calls and events behind a graph in the watched blocks of the thread."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs
from msgspec.structs import replace
from torch.autograd.graph import Node

from hookviz._live import internals
from hookviz._live.forward.book import CallEntry, ModuleEntry
from hookviz._live.forward.log import ForwardLog
from hookviz._live.forward.part import ForwardPart, LiveCall, LiveModule
from hookviz._live.forward.places import CodeRecords
from hookviz._live.forward.remembered import seen_in_this_thread
from hookviz._records import CallRecord

Chosen = tuple[ForwardLog, Sequence[CallEntry]]
"""A log, and those of its calls that belong to the graph."""


def find_forward(nodes: Mapping[str, Node], *, whole: ForwardLog | None = None) -> ForwardPart:
    """Return the forward behind a graph, put together from the watched blocks of this thread.

    Nodes are known by their numbers. A number that two nodes have comes from two threads, and
    which of them was watched cannot be told: neither is said to be.

    Args:
        nodes: The nodes of the graph.
        whole: A block of which every call belongs to it, also one that has made no node.
    """
    if not seen_in_this_thread():
        return ForwardPart()  # asking every node of a long graph for its number would be felt
    numbers = _numbers(nodes)
    chosen = _relevant(set(numbers.values()))
    if whole is not None:
        others = [one for one in chosen if not _overlap(one[0], whole)]
        chosen = sorted((*others, (whole, whole.book.calls)), key=lambda one: one[0].begin)
    return _Finder(numbers).part_of(chosen)


def forward_of(log: ForwardLog, nodes: Mapping[str, Node]) -> ForwardPart:
    """Return the forward of one block whole, also where it made no nodes of the graph."""
    return _Finder(_numbers(nodes)).part_of([(log, log.book.calls)], failed=log)


def _numbers(nodes: Mapping[str, Node]) -> dict[str, int]:
    found = {node_id: internals.number_of(node) for node_id, node in nodes.items()}
    counts = Counter(found.values())
    return {
        node_id: number
        for node_id, number in found.items()
        if number is not None and counts[number] == 1
    }


def _relevant(numbers: set[int]) -> list[Chosen]:
    """Return the logs with nodes of the graph, the oldest first, and which of their calls count.

    Of blocks inside each other the one that knows most calls of the graph is taken.
    """
    found: list[Chosen] = []
    for log in seen_in_this_thread():
        inside = sorted(number for number in numbers if log.contains(number))
        if not inside:
            continue
        calls = list(_calls_of(log, inside))
        rivals = [other for other in found if _overlap(other[0], log)]
        if any(len(other[1]) >= len(calls) for other in rivals):
            continue
        found = [other for other in found if other not in rivals] + [(log, calls)]
    return sorted(found, key=lambda chosen: chosen[0].begin)


def _overlap(one: ForwardLog, other: ForwardLog) -> bool:
    first, second = sorted((one, other), key=lambda log: log.begin)
    return first.end is None or second.begin < first.end


def _calls_of(log: ForwardLog, numbers: Sequence[int]) -> Iterator[CallEntry]:
    """Yield the calls of a log from the first outermost one of the graph to the last."""
    outermost = [call for call in log.book.calls if call.parent is None]
    with_nodes = [place for place, call in enumerate(outermost) if call.belongs_to(numbers)]
    if not with_nodes:
        return
    chosen = {id(call) for call in outermost[with_nodes[0] : with_nodes[-1] + 1]}
    for call in log.book.calls:
        if id(call.outermost) in chosen:
            yield call


class _Finder:
    """Put several logs together, with ids and numbers of the graph's own."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._part = ForwardPart()
        self._modules: dict[int, LiveModule] = {}
        self._names: set[str] = set()
        self._code = CodeRecords()

    def part_of(self, logs: Sequence[Chosen], *, failed: ForwardLog | None = None) -> ForwardPart:
        for log, calls in logs:
            records = self._add_calls(log, calls)
            for entry in log.book.modules:
                if entry.notes and entry.count == 0:
                    self._module(entry, log)
            self._add_events(log, records)
            self._place_nodes(log, calls, records)
            if log.names is not None:
                self._part.names += log.names.names()
        if failed is not None and failed.error is not None and failed.outside is not None:
            place, said = failed.outside
            self._part.error = replace(failed.error, **self._code.fields(place)), said
        self._part.sources = self._code.sources()
        if any(log.marks is None for log, _ in logs):
            self._part.notes = ("note.no_lines",)
        return self._part

    def _add_calls(self, log: ForwardLog, calls: Sequence[CallEntry]) -> dict[int, LiveCall]:
        records: dict[int, LiveCall] = {}
        for call in calls:
            module = self._module(call.module, log)
            parent = None if call.parent is None else records.get(id(call.parent))
            record = CallRecord(
                id=f"k{len(self._part.calls)}",
                module=module.id,
                number=module.count,
                parent=None if parent is None else parent.record.id,
                **self._code.fields(call.place),
            )
            module.count += 1
            if call.parent is None:
                self._part.registered.append(call.registered)
            mark = None if call.mark is None else call.mark()
            records[id(call)] = LiveCall(record, module, mark)
            self._part.calls.append(records[id(call)])
        return records

    def _module(self, entry: ModuleEntry, log: ForwardLog) -> LiveModule:
        module = entry.module()
        key = id(entry) if module is None else id(module)
        live = self._modules.get(key)
        if live is None:
            live = LiveModule(
                id=f"m{len(self._part.modules)}",
                name=self._unique(entry.name),
                type=entry.type,
                module=module,
                entry=entry,
            )
            self._modules[key] = live
            self._part.modules.append(live)
        live.hooks = tuple((hook, log.seats.get(hook.id)) for hook in entry.hooks)
        live.notes = tuple(dict.fromkeys((*live.notes, *entry.notes)))
        return live

    def _unique(self, name: str) -> str:
        unique, number = name, 2
        while unique in self._names:
            unique, number = f"{name} {number}", number + 1
        self._names.add(unique)
        return unique

    def _add_events(self, log: ForwardLog, records: Mapping[int, LiveCall]) -> None:
        for event, call in zip(log.events, log.calls, strict=True):
            live = records.get(id(call))
            if live is None:
                continue
            renamed = structs.replace(event, module=live.module.name, call=live.record.number)
            seat = None if event.hook is None else log.seats.get(event.hook.id)
            self._part.events.append((renamed, seat))

    def _place_nodes(
        self, log: ForwardLog, calls: Sequence[CallEntry], records: Mapping[int, LiveCall]
    ) -> None:
        begins = [call.begin for call in calls]
        for node_id, number in self._numbers.items():
            if not log.contains(number):
                continue
            last = bisect_right(begins, number) - 1
            call: CallEntry | None = calls[last] if last >= 0 else None
            # The last call that began before may be over; then one around it made the node.
            while call is not None and not call.made(number):
                call = call.parent
            if call is not None:
                self._part.node_calls[node_id] = records[id(call)].record.id
            place = None if log.marks is None else log.marks.place_of(number)
            while place is None and call is not None:
                place, call = call.place, call.parent
            self._part.node_code[node_id] = self._code.fields(place)
