"""Hold what a trace tells against what a diary of the same pass says."""

from __future__ import annotations

import re
from itertools import dropwhile, groupby, takewhile
from typing import Any

import hookviz
from hookviz._records import HookRecord
from hookviz._view.steps.steps import build_steps, to_json_data
from hookviz._view.steps.value_book import ValueBook
from tests.fuzz.diary import Diary
from tests.fuzz.hooks import Entry
from tests.fuzz.program import Built, Do, Hook, Program
from tests.fuzz.values import edge, hooks_of, numbers, same, shown, told

Error = tuple[str, str] | None

_POST_REFUSED = "hooks should return None"
_REFUSED = ("has changed the", "but hook returned", "can't replace a None", _POST_REFUSED)
_UNSEEN = {"change_kept", "Changing"}
"""A hook, and a function, that change gradients which they were not given."""


def check_trace(
    program: Program, built: Built, diary: Diary, trace: hookviz.Trace, error: Error
) -> None:
    """Assert that a trace tells what happened in a pass, and that it can be shown.

    Args:
        program: What was run.
        built: The graph that was recorded.
        diary: A plain run of the same graph.
        trace: What hookviz recorded.
        error: What ended the pass.
    """
    assert [event.index for event in trace.events] == list(range(len(trace.events)))
    assert hookviz.Trace.from_json(trace.to_json()) == trace
    assert to_json_data(build_steps(trace.graph, trace.events), ValueBook())
    assert trace.text("en")
    assert trace.text("zh")
    listed = {_number(hook) for tensor in trace.graph.tensors for hook in tensor.hooks}
    ran = {step.number for step in diary.steps if isinstance(step, Entry)}
    same("hooks that are not listed", (ran & _standing(built)) - listed, set())
    same("steps", _steps(trace, built), _expected(diary.steps, listed, error))
    hidden = _hidden_change(diary.steps, listed, error)
    tried = any(_is_hidden(step, listed) and _changes(step, step) for step in diary.steps)
    unseen = tried or bool(_forms(program) & _UNSEEN)
    shows = any(event.kind == "hidden_rewrite" for event in trace.events)
    if _is_blurred(diary.steps, listed):
        pass
    elif hidden:
        assert shows, "a hidden hook changed a gradient, and the trace does not say so"
    else:
        assert unseen or not shows, "the trace tells of a hidden hook, and there is none"
    _check_last_accumulate(trace, unseen=unseen or diary.shared)


def _number(hook: HookRecord) -> int:
    """Return the number of a hook, which its label tells."""
    return int(re.search(r"hook_(\d+)", hook.label)[1])


def _standing(built: Built) -> set[int]:
    """Return the hooks that stand on a tensor of the graph which has a name or is a leaf."""
    hooks = [hooks for tensor in built.known if edge(tensor) for _, hooks in hooks_of(tensor)]
    functions = [own.one for entries in hooks for _, own in entries]
    return {hook.number for hook in built.hooks if hook.function in functions}


def _is_hidden(step: Any, listed: set[int]) -> bool:
    return isinstance(step, Entry) and not step.leaf and step.number not in listed


def _changes(first: Entry, last: Entry) -> bool:
    return numbers(first.came) != numbers(last.went)


def _hidden_change(steps: list[Any], listed: set[int], error: Error) -> bool:
    """Return whether hooks that are not listed changed a gradient which then arrived."""
    arrived = _before_the_failure(steps, error)
    for owner, group in groupby(arrived, lambda s: _is_hidden(s, listed) and s.owner):
        if owner:
            *_, last = entries = list(group)
            if _changes(entries[0], last):
                return True
    return False


def _before_the_failure(steps: list[Any], error: Error) -> list[Any]:
    """Leave out the hooks that ran before the one that failed, at the same node.

    The gradients that they handed on have not arrived: the node did not run.
    """
    if not steps or not isinstance(steps[-1], Entry) or not _failed(steps[-1], error):
        return steps
    ran = len(list(takewhile(lambda step: isinstance(step, Entry), reversed(steps))))
    return steps[: len(steps) - ran]


def _is_blurred(steps: list[Any], listed: set[int]) -> bool:
    """Return whether a listed hook wrote in place after a hidden one, at the same node.

    The two may have been sent the same memory; whether the hidden one handed on another cannot be
    seen from outside.
    """
    for _, group in groupby(steps, lambda step: isinstance(step, Entry)):
        after = dropwhile(lambda step: not _is_hidden(step, listed), group)
        if any(not _is_hidden(step, listed) and step.wrote for step in after):
            return True
    return False


def _failed(entry: Entry, error: Error) -> bool:
    """Return whether the last hook that ran raised, or PyTorch refused what it returned."""
    refused = error is not None and any(words in error[1] for words in _REFUSED)
    return entry.outcome == "running" or refused


def _culprit(diary: list[Any], error: Error) -> Entry | None:
    """Return the hook that ended the pass, if one did."""
    if error is None or not diary or not isinstance(diary[-1], Entry):
        return None
    if _POST_REFUSED in error[1]:
        # PyTorch runs all of them, and complains when they are through.
        last = takewhile(lambda step: isinstance(step, Entry) and step.leaf, reversed(diary))
        return [entry for entry in last if entry.outcome != "NoneType"][-1]
    return diary[-1] if _failed(diary[-1], error) else None


def _expected(diary: list[Any], listed: set[int], error: Error) -> list[Any]:
    steps: list[Any] = []
    culprit = _culprit(diary, error)
    for step in diary:
        if not isinstance(step, Entry):
            steps.append(step)
        elif step is culprit and step is diary[-1]:
            continue  # the error itself tells of it
        elif step.leaf:
            before, after = map(shown, step.leaf)
            came, went = shown(step.came), shown(step.went)
            steps.append(("post_accumulate_hook", step.number, came, went, before, after))
        elif step.number in listed:
            steps.append(("tensor_hook", step.number, shown(step.came), shown(step.went)))
    if error is None:
        return steps
    can_tell = culprit is not None and (culprit.leaf or culprit.number in listed)
    return [*steps, ("error", culprit.number if can_tell else None)]


def _steps(trace: hookviz.Trace, built: Built) -> list[Any]:
    steps: list[Any] = []
    for event in trace.events:
        hook = event.hook and _number(event.hook)
        name = event.tensor if event.tensor in built.names else None
        through = told(event.incoming), told(event.outgoing)
        change = told(event.before), told(event.after)
        if event.kind == "tensor_hook":
            steps.append(("tensor_hook", hook, *through))
        elif event.kind == "post_accumulate_hook":
            steps.append(("post_accumulate_hook", hook, *through, *change))
        elif event.kind == "node":
            steps.append(("node", event.node, *through))
        elif event.kind == "retain_grad" and name:
            steps.append(("retain_grad", name, *change))
        elif event.kind == "accumulate":
            steps.append(("accumulate", name, through[0], *change))
        elif event.kind == "error":
            steps.append(("error", hook))
    return steps


def _check_last_accumulate(trace: hookviz.Trace, *, unseen: bool) -> None:
    """What a leaf's `.grad` was after the last addition is what it is in the end."""
    others = any(event.kind == "post_accumulate_hook" or event.mutated for event in trace.events)
    if not others and not unseen:
        adding = [event for event in trace.events if event.kind == "accumulate"]
        last = {event.tensor: event.after for event in adding}
        same("last accumulate", last, {name: trace.grads[name] for name in last})


def _forms(program: Program) -> set[str]:
    forms = {one.form for one in program.instructions if isinstance(one, Hook)}
    return forms | {one.operation for one in program.instructions if isinstance(one, Do)}
