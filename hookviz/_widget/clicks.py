"""Turn a click in the browser into a call of a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hookviz._widget.explorer import Explorer


def do_click(explorer: Explorer, content: Mapping[str, Any]) -> bool:
    """Call the method that a click stands for; return whether there is one.

    Args:
        explorer: The explorer that was clicked.
        content: The message of the page: `action`, and the arguments of the action.
    """
    hook, source = str(content.get("hook", "")), str(content.get("source", ""))
    box = str(content.get("box", ""))
    actions: dict[str, Callable[[], object]] = {
        "attach": lambda: explorer._attach_by_id(
            str(content.get("target", "")),
            source,
            kind=content.get("kind") or None,
            with_kwargs=content.get("with_kwargs"),
        ),
        "edit": lambda: explorer.edit(hook, source),
        "remove": lambda: explorer.remove(hook),
        "enable": lambda: explorer.enable(hook),
        "disable": lambda: explorer.disable(hook),
        "move": lambda: explorer.move(hook, int(content.get("position", 0))),
        "expand": lambda: explorer.expand(box),
        "collapse": lambda: explorer.collapse(box),
        "expand_all": explorer.expand_all,
        "collapse_all": explorer.collapse_all,
        "run": explorer.run,
        "compare": lambda: explorer.compare(str(content.get("against", "")) or None),
        "dismiss": explorer.dismiss,
        "hello": lambda: None,
    }
    action = actions.get(str(content.get("action", "")))
    if action is not None:
        action()
    return action is not None
