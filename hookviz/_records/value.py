"""Hold the gradients, arguments and outputs of an event."""

from dataclasses import dataclass

from hookviz._records.snapshot import TensorSnapshot

Value = TensorSnapshot | None | tuple[TensorSnapshot | None, ...]
"""A gradient, no gradient (`None` travelled), or one of those per slot or per edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One tensor or other object inside a module's arguments or outputs.

    Attributes:
        path: How to reach it, such as `args[0]`, `kwargs['c']` or `output['logits'][1]`.
        snapshot: Its value if it is a tensor.
        text: A short `repr` if it is not.
    """

    path: str
    snapshot: TensorSnapshot | None = None
    text: str = ""
