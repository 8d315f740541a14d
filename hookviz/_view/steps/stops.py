"""Decide at which steps a reader stops: what happens inside a closed box is one stop."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct, json
from msgspec.structs import replace

from hookviz._records import ErrorEvent, Event, GraphRecord, ModuleForwardEvent
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.groups.where import is_about
from hookviz._view.steps.steps import Step
from hookviz._view.text.message import Message, Text
from hookviz._view.words.kinds import is_of_module

_FORWARD = "what.box.forward", "caption.box.forward"
_GRADIENT = "what.box.gradient", "caption.box.gradient"
_ARRIVED = "what.box.arrived", "caption.box.arrived"
_ENDS = "what.box.arrived", "caption.box.ends"
_INSIDE = "what.box.inside", "caption.box.inside"
_SHOWN = frozenset({"input", "output", "grad_output", "grad_input"})


class Stop(Struct, frozen=True, kw_only=True):
    """A place where stepping stops.

    Attributes:
        step: The step that is shown: the last of those that are passed over.
        line, caption: What to say in place of the step's own words; `None` to keep them.
        box: The closed box in which it happened, else the open one, else empty.
        count: How many events it stands for; 0 before anything.
        printed: What user code printed during them.
    """

    step: int
    line: Text | None = None
    caption: Text | None = None
    box: str = ""
    count: int = 1
    printed: str = ""


def stops(
    graph: GraphRecord,
    steps: Sequence[Step],
    events: Sequence[Event],
    expanded: Collection[str],
    *,
    tree: GroupTree | None = None,
) -> tuple[Stop, ...]:
    """Return where stepping stops when these boxes are open.

    Events inside a closed box that follow each other are one stop. What happens to the box itself
    (its forward, the hooks of its module) and an error are stops of their own; the forward of a
    box takes with it what ran inside right before. Everything else is one stop per step.

    Args:
        graph: The graph.
        steps: Every step of the pass.
        events: What happened.
        expanded: Ids of the open boxes.
        tree: The groups of the graph, where they are at hand.
    """
    tree = tree or group_tree(graph)
    opened = tree.openable(expanded)
    found = [Stop(step=0, count=0, printed=steps[0].printed)]
    waiting = _Waiting(tree, steps, events)
    for position, event in enumerate(events, start=1):
        step = steps[position]
        closed = tree.shown(step.call, opened) if step.call in tree.groups else TOP
        is_of_box = closed == step.call and is_about(tree, closed, event)
        is_apart = closed == TOP or isinstance(event, ErrorEvent) or is_of_box
        if waiting.box != closed or (is_apart and not isinstance(event, ModuleForwardEvent)):
            found += waiting.take()
        if not is_apart:
            waiting.add(closed, position)
        else:
            inside = waiting.take_all()
            found.append(
                Stop(
                    step=position,
                    box=closed or step.call,
                    count=len(inside) + 1,
                    printed="".join(steps[place].printed for place in (*inside, position)),
                )
            )
    return (*found, *waiting.take())


def to_json_data(found: Iterable[Stop]) -> list[dict[str, object]]:
    """Return the stops as the browser gets them."""
    data: list[dict[str, object]] = json.decode(json.encode(list(found)))
    return data


class _Waiting:
    """The steps inside a closed box that have not become a stop yet."""

    def __init__(self, tree: GroupTree, steps: Sequence[Step], events: Sequence[Event]) -> None:
        self.box = TOP
        self._tree = tree
        self._steps = steps
        self._events = events
        self._places: list[int] = []
        self._read = 0
        self._now: dict[tuple[str, str], Text] = {}

    def add(self, box: str, position: int) -> None:
        self.box = box
        self._places.append(position)

    def take_all(self) -> list[int]:
        """Return the steps that waited, for a stop that takes them with it."""
        places, self._places, self.box = self._places, [], TOP
        return places

    def take(self) -> list[Stop]:
        """Return a stop for what waited, if anything did."""
        box, places = self.box, self.take_all()
        if not places:
            return []
        last = places[-1]
        stop = Stop(
            step=last,
            box=box,
            count=len(places),
            printed="".join(self._steps[place].printed for place in places),
        )
        if len(places) == 1:
            return [stop]
        return [self._with_words(stop, places)]

    def _with_words(self, stop: Stop, places: Sequence[int]) -> Stop:
        title = self._tree.groups[stop.box].title
        count = str(len(places))
        is_forward = all(is_of_module(self._events[place - 1]) for place in places)
        incoming, outgoing = (
            self._value(stop.box, field, stop.step)
            for field in (("input", "output") if is_forward else ("grad_output", "grad_input"))
        )
        args = {"incoming": incoming, "outgoing": outgoing, "count": count}
        if incoming and outgoing:
            which = _FORWARD if is_forward else _GRADIENT
        elif incoming and not is_forward:
            # Where no gradient can leave, that nothing has left is no news.
            which = _ARRIVED if self._now.get((stop.box, "grad_input")) else _ENDS
        else:
            which = _INSIDE
        what, caption = which
        return replace(
            stop,
            line=Message("line.module", {"module": title, "what": Message(what, args)}),
            caption=Message(caption, {"module": title, **args}),
        )

    def _value(self, box: str, field: str, step: int) -> Text:
        """Return what a box shows at a step; nothing where that are only words for nothing yet."""
        while self._read <= step:
            for key, name, value in self._steps[self._read].patches:
                if name in _SHOWN:
                    self._now[key, name] = value
            self._read += 1
        text = self._now.get((box, field), "")
        is_waiting = isinstance(text, Message) and text.key.startswith("flow.")
        return "" if is_waiting else text
