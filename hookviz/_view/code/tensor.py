"""Write tensors as Python: the exact numbers where they are known."""

from __future__ import annotations

from hookviz._records import TensorRecord, TensorSnapshot


def tensor_code(snapshot: TensorSnapshot) -> str | None:
    """Return the expression that makes a tensor with these numbers, or `None` if none does."""
    if snapshot.values is None or snapshot.layout != "strided":
        return None
    device = "" if snapshot.device == "cpu" else f', device="{snapshot.device}"'
    given = f"dtype=torch.{snapshot.dtype}{device}"
    if snapshot.numel == 0:
        return f"torch.zeros({list(snapshot.shape)}, {given})"
    return f"torch.tensor({_number_code(snapshot.tolist())}, {given})"


def gradient_code(snapshot: TensorSnapshot, root: TensorRecord, name: str | None) -> str | None:
    """Return the expression for a starting gradient, or `None` if none can be written.

    Args:
        snapshot: The gradient.
        root: The root.
        name: Name of the gradient, where one was given that has a name.
    """
    summary = snapshot.summary
    is_all_ones = (
        summary is not None
        and (summary.minimum, summary.maximum) == ("1.0", "1.0")
        and not summary.nan_count + summary.inf_count
        and (snapshot.dtype, snapshot.layout) == (root.value.dtype, "strided")
    )
    if is_all_ones and root.names:
        return f"torch.ones_like({root.names[0]})"
    return tensor_code(snapshot) or name


def _number_code(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_number_code, value))}]"
    if isinstance(value, complex):
        # As a sum, an infinite part would make the other one NaN.
        return f"complex({_number_code(value.real)}, {_number_code(value.imag)})"
    text = repr(value)
    is_number = text.removeprefix("-") not in ("inf", "nan")
    return text if is_number else f'float("{text}")'
