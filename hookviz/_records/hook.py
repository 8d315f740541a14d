"""Describe one hook: its name, its kind, and its source."""

from typing import Literal

from msgspec import Struct

from hookviz._records.short import short
from hookviz._records.table import facts_html

HookKind = Literal[
    "tensor_hook",
    "post_accumulate_hook",
    "node_prehook",
    "node_hook",
    "module_forward_pre_hook",
    "module_forward_hook",
    "module_backward_pre_hook",
    "module_backward_hook",
]


class HookRecord(Struct, frozen=True, kw_only=True):
    """A hook as it stands in a chain; `Event.hook` and `TensorRecord.hooks` hold these.

    Attributes:
        id: `h0`, `h1`, ...; stays the same through edits, moves, and turning off and on.
        kind: Which of PyTorch's registration methods it belongs to.
        label: Short name on screen: `c_hook`, or `lambda grad: grad + 100`.
        source: Python text of the hook, or empty when it cannot be found.
        origin: `"user"` for a hook that was there before, `"explorer"` for one added in hookviz.
        enabled: False while the hook is turned off in the explorer.
        location: Where the hook was written, such as `cell 3:9`; empty when unknown.
        with_kwargs: Whether a module's forward hook is given the keyword arguments as well.
        always_call: Whether a module's forward hook runs although the forward raised.
        bound: Its closure variables, and its arguments that have a default.
        is_old_kind: Whether it is a `register_backward_hook`, of the kind before full hooks.
        in_forward: Whether the forward of a module has registered it, and would so again.
    """

    id: str
    kind: HookKind
    label: str
    source: str = ""
    origin: Literal["user", "explorer"] = "user"
    enabled: bool = True
    location: str = ""
    with_kwargs: bool = False
    always_call: bool = False
    bound: tuple[str, ...] = ()
    is_old_kind: bool = False
    in_forward: bool = False

    def __repr__(self) -> str:
        return self.line()

    def line(self, owner: str = "") -> str:
        """Return the hook in one line: `<hook h0 c_hook on c, off>`.

        Args:
            owner: Name of the tensor, module or function that has the hook, if known.
        """
        place = f" on {short(owner)}" if owner else ""
        return f"<hook {self.id} {short(self.label)}{place}{'' if self.enabled else ', off'}>"

    def _repr_html_(self) -> str:
        facts = {"id": self.id, "kind": self.kind, "source": self.source or self.label}
        state = "on" if self.enabled else "off"
        return facts_html(self.line(), {**facts, "written in": self.location, "state": state})
