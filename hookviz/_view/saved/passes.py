"""Keep other passes to compare with: the additions of their steps to the steps on screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from hookviz._view.compare.choices import comparison_data
from hookviz._view.compare.compare import Comparison
from hookviz._view.compare.ghosts import with_ghosts
from hookviz._view.steps.steps import Step, to_json_data
from hookviz._view.steps.value_book import ValueBook


def kept_passes(
    steps: Sequence[Step], comparisons: Mapping[str, Comparison]
) -> dict[str, dict[str, Any]]:
    """Return the differences from each pass by its name, and the steps that tell them.

    Args:
        steps: Of the pass on screen.
        comparisons: With other passes, by name.
    """
    plain = to_json_data(steps, ValueBook())
    return {
        name: {
            "comparison": comparison_data(name, comparison),
            "steps": _added(plain, to_json_data(with_ghosts(steps, comparison), ValueBook())),
        }
        for name, comparison in comparisons.items()
    }


def with_room(steps: Sequence[Step], comparisons: Iterable[Comparison]) -> tuple[Step, ...]:
    """Return the steps for a picture that has room for the texts about any of these passes."""
    found = [with_ghosts(steps, comparison) for comparison in comparisons]
    return tuple(
        replace(
            step,
            patches=(
                *step.patches,
                *(patch for other in found for patch in other[place].patches[len(step.patches) :]),
            ),
        )
        for place, step in enumerate(steps)
    )


def _added(
    plain: Sequence[Mapping[str, Any]], ghosts: Sequence[Mapping[str, Any]]
) -> list[list[Any]]:
    """Return for each step that says more: its place, its further patches, its caption if new."""
    added = []
    for place, (step, ghost) in enumerate(zip(plain, ghosts, strict=True)):
        patches = ghost["patches"][len(step["patches"]) :]
        caption = None if step["caption"] == ghost["caption"] else ghost["caption"]
        if patches or caption is not None:
            added.append([place, patches, caption])
    return added
