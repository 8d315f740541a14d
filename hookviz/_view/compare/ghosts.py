"""Show beside each gradient its value in another pass: as a row on its card, as a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from hookviz._view.compare.compare import Comparison
from hookviz._view.steps.patches import Patch
from hookviz._view.steps.steps import Step
from hookviz._view.text.message import Message, Text
from hookviz._view.words.kinds import KINDS_AT_TENSORS


def with_ghosts(steps: Sequence[Step], comparison: Comparison) -> tuple[Step, ...]:
    """Return the steps with the values of the other pass, each from the step of its counterpart on.

    Where this pass never came, that is the step that says so.

    Args:
        steps: Of the pass on screen.
        comparison: The values of another pass, and the differences.
    """
    keys = dict.fromkeys(key for key, field, _ in steps[0].patches if field == "incoming")
    shown: list[Step] = []
    for place, step in enumerate(steps):
        patches: list[Patch] = [(key, "ghost", "") for key in keys] if place == 0 else []
        for key, field, value in step.patches:
            is_known = field == "incoming" and value != ""
            is_missed = field == "state" and value == "unreached" and key in keys
            if (is_known or is_missed) and key in comparison.ghosts:
                patches.append((key, "ghost", _ghost(comparison, key)))
        sentence = _sentence(step, comparison)
        caption: Text = step.caption
        if sentence is not None:
            caption = Message("caption.all", {"first": step.caption, "second": sentence})
        shown.append(replace(step, patches=(*step.patches, *patches), caption=caption))
    return tuple(shown)


def _ghost(comparison: Comparison, key: str) -> Message:
    args = {"against": comparison.against, "gradient": comparison.ghosts[key]}
    return Message("ghost.same" if key in comparison.same else "ghost.changed", args)


def _sentence(step: Step, comparison: Comparison) -> Message | None:
    if step.kind not in KINDS_AT_TENSORS or step.tensor not in comparison.ghosts:
        return None
    args = {"against": comparison.against, "gradient": comparison.ghosts[step.tensor]}
    key = "caption.ghost.same" if step.tensor in comparison.same else "caption.ghost.changed"
    return Message(key, args)
