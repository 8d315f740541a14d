"""Hold the gradients, arguments and outputs of an event."""

from msgspec import Struct

from hookviz._records.snapshot import TensorSnapshot

Value = TensorSnapshot | None | tuple[TensorSnapshot | None, ...]
"""A gradient, no gradient (`None` travelled), or one of those per slot or per edge."""


class Argument(Struct, frozen=True, kw_only=True):
    """One tensor or other object inside a module's arguments or outputs.

    Attributes:
        path: How to reach it, such as `args[0]`, `kwargs['c']` or `output['logits'][1]`.
        snapshot: Its value if it is a tensor.
        text: A short `repr` if it is not.
    """

    path: str
    snapshot: TensorSnapshot | None = None
    text: str = ""
