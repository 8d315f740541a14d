"""Watch the modules that a block of code calls, without taking part in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import msgspec
import torch
from msgspec import Struct

from hookviz._live import internals
from hookviz._live.forward import remembered as seen_forwards
from hookviz._live.forward.book import CallBook
from hookviz._live.forward.call import RunningCall, calls_watched_by, here, swap_new_hooks
from hookviz._live.forward.call_events import CallFrame
from hookviz._live.forward.explain import explain_forward
from hookviz._live.forward.inner_tensors import NamedTensors
from hookviz._live.forward.lines import LineTracer
from hookviz._live.forward.log import ForwardLog, Story
from hookviz._live.guard import guarded
from hookviz._live.hooks.places import has_hooks, own_places
from hookviz._live.hooks.table import HookTable
from hookviz._live.user.code import raised_at, users_frame, variables_of
from hookviz._live.user.names import Namespace
from hookviz._live.user.printed import printed
from hookviz._live.values.arguments import Item, is_tensor, of_output
from hookviz._live.values.looks import Looks
from hookviz._live.values.quiet import quietly
from hookviz._parameters import Keep


class ForwardWatch(Struct):
    """Take the calls of modules in one thread into a book, and write their events.

    Attributes:
        story: Has the events.
        book: Has the calls.
        looks: Reads arguments and outputs.
        roots: The modules whose calls are watched, with the calls inside; all modules if empty.
        has_output: Is told what an outermost call has returned.
        begins: Is told of the module of an outermost call before it is called.
        frames: The calls that are running, the innermost last.
        tables: Every hook dictionary that was seen, so that its table is kept while this lasts.
        told: The exception that is on its way and was told already.
    """

    story: Story
    book: CallBook
    looks: Looks
    roots: tuple[torch.nn.Module, ...] = ()
    has_output: Callable[[Any], None] = lambda _: None
    begins: Callable[[torch.nn.Module], None] = lambda _: None
    frames: list[CallFrame] = msgspec.field(default_factory=list)
    tables: dict[int, HookTable] = msgspec.field(default_factory=dict)
    told: BaseException | None = None

    @guarded
    def begin(self, call: RunningCall) -> CallFrame | None:
        """Take in a call that begins; a call that is not watched has no frame."""
        frames, module = self.frames, call.module
        if not frames and not self._is_watched(module):
            return None
        with quietly():
            if frames:
                frames[-1].hear()
            else:
                self.story.heard_outside()
                self.begins(module)
            caller = users_frame(sys._getframe(1))
            entry = self.book.entry_of(module)
            if entry is None:
                spaces = variables_of(caller) if caller is not None and not frames else ()
                around = tuple(frame.running.module for frame in frames)
                entry = self.book.name_module(module, around, spaces)
            place = None if caller is None else (caller.f_code, caller.f_lineno or 1)
            parent = frames[-1].call if frames else None
            begun = self.book.begin(entry, parent, place)
            if parent is None and not call.has_grad_mode and is_inside_function():
                begun.inside = begun.begin - 1
            frame = CallFrame(self, call, begun)
        frames.append(frame)
        return frame

    def _is_watched(self, module: torch.nn.Module) -> bool:
        if is_made_by_compiler(module):
            return False
        return not self.roots or any(
            inner is module for root in self.roots for inner in root.modules()
        )

    @guarded
    def forward_entered(self, frame: FrameType) -> None:
        """Notice a `forward` that was called directly, so that no hook of its module runs."""
        if here.is_opaque or frame.f_code.co_argcount == 0 or not here.watchers:
            return
        module = frame.f_locals.get(frame.f_code.co_varnames[0])
        if not isinstance(module, torch.nn.Module) or not has_hooks(module):
            return
        if here.calls and here.calls[-1].module is module:
            return
        if not self.frames and not self._is_watched(module):
            return
        around = tuple(frame.running.module for frame in self.frames)
        caller = users_frame(frame.f_back)
        spaces = variables_of(caller) if caller is not None and not around else ()
        self.book.name_module(module, around, spaces).notes["fact.forward_direct"] = None


@guarded
def note_not_called(log: ForwardLog, roots: Iterable[torch.nn.Module]) -> None:
    """Note the modules with hooks that a block could have called and has not."""
    outermost = [call.module.module() for call in log.book.calls if call.parent is None]
    tops = {id(module): module for module in (*roots, *outermost) if module is not None}
    for top in tops.values():
        compiled: set[int] = set()
        for module in top.modules():
            if internals.is_compiled(module):
                # What runs inside compiled code is not seen, so nothing is said of it.
                compiled.update(map(id, module.modules()))
            entry = log.book.entry_of(module)
            is_hooked = any(place.hooks for place in own_places(module))
            if id(module) in compiled or not is_hooked or entry is not None:
                continue
            log.book.name_module(module, (top,), ()).notes["fact.not_called"] = None


def is_inside_function() -> bool:
    """Return whether this runs in the forward of a custom `autograd.Function`."""
    frame: FrameType | None = sys._getframe(1)
    apply: Any = torch.autograd.Function.apply
    while frame is not None:
        if frame.f_code is apply.__code__:
            return True
        frame = frame.f_back
    return False


def is_made_by_compiler(module: torch.nn.Module) -> bool:
    """Return whether a module is a part of compiled code, that no user has written."""
    if not isinstance(module, torch.fx.GraphModule):
        return False
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(("torch._functorch", "torch._dynamo", "torch._inductor")):
            return True
        is_between = name.startswith(("torch.fx", "torch.nn.modules.module", "hookviz._live"))
        if not is_between:
            return False
        frame = frame.f_back
    return False


class LiveForward:
    """A watched block: its events, and the tensors that only it keeps.

    Attributes:
        log: The events and the book.
        names: Variables inside the functions that ran.
        output: What is in the output of the last outermost call, with the way to it.
        is_over: Whether the block has ended.
    """

    def __init__(self, log: ForwardLog, names: NamedTensors) -> None:
        self.log = log
        self.names = names
        self.output: tuple[Item, ...] = ()
        self.is_over = False
        log.has_names(names)

    def has_output(self, output: Any) -> None:
        """Take in the result of an outermost call."""
        self.output = tuple(item for item in of_output(output) if is_tensor(item[1]))

    def failed(self, error: Exception) -> None:
        """Take in the exception that ended the block, told by a call already or not."""
        found = explain_forward(error, hook=None, is_outside=True)
        errors = [event.error for event in self.log.events if event.error is not None]
        told = [one for one in errors if (one.type, one.message) == (found.type, found.message)]
        self.log.error = told[-1] if told else found
        if not told:
            self.log.outside = raised_at(error), self.log.printed.take()


@contextmanager
def watching(
    modules: Iterable[torch.nn.Module] | None = None,
    *,
    namespaces: Iterable[Namespace] = (),
    keep: Keep = "summary",
    echo: bool = True,
    begins: Callable[[torch.nn.Module], None] | None = None,
    most_calls: int | None = None,
) -> Iterator[LiveForward]:
    """Watch the calls of modules that this thread makes within the block.

    Every value, hook argument, exception and warning stays that of plain PyTorch, and nothing is
    left behind. What was seen is remembered as plain data for a while, so that a pass through a
    graph that was made in the block can tell it (see `find_forward`).

    Args:
        modules: Watch the calls of these and of what they call; of all modules if not given.
        namespaces: Variables that name the given modules.
        keep: See `Keep`.
        echo: Whether what is printed also reaches standard output.
        begins: Is told of the module of an outermost call before it is called.
        most_calls: See `NamedTensors`.
    """
    roots = tuple(modules or ())
    with ExitStack() as stack:
        stream = stack.enter_context(printed(echo=echo))
        log = ForwardLog(printed=stream, thread=seen_forwards.thread_token())
        live = LiveForward(log, NamedTensors(most_calls=most_calls))
        log.book.names.give(roots, namespaces)
        del namespaces  # they hold the caller's tensors
        watch = ForwardWatch(
            log,
            log.book,
            Looks(keep),
            roots=roots,
            has_output=live.has_output,
            begins=begins or (lambda _: None),
        )
        returned = guarded(live.names.take_from)

        def ended(frame: FrameType) -> None:
            returned(frame)
            swap_new_hooks()

        tracer = LineTracer(ended, watch.forward_entered)
        stack.enter_context(seen_forwards.remembered(log))
        stack.enter_context(calls_watched_by(watch))
        # Last in and first out: from here to the block there are no lines of hookviz's own.
        stack.enter_context(tracer.following(users_frame(sys._getframe(1))))
        log.marks = tracer.marks if tracer.is_at_work else None
        try:
            yield live
        except Exception as error:
            live.failed(error)
            raise
        finally:
            log.end = internals.sequence_number()
            live.is_over = True
            note_not_called(log, roots)
