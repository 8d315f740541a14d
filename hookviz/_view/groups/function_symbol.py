"""Choose the short sign that stands for a backward function in the picture."""

from __future__ import annotations

import re

from hookviz._view.text.width import clean, cut

_LONGEST_EM = 13.0

# Only for PyTorch's own functions, whose names end in a number: `class Mul(Function)` gives
# `MulBackward`, and only its author knows its meaning.
_SYMBOLS = {
    "Abs": "|x|",
    "AccumulateGrad": "+=",
    "Add": "+",
    "Addbmm": "@ +",
    "Addmm": "@ +",
    "Addmv": "@ +",
    "Baddbmm": "@ +",
    "Bmm": "@",
    "Cos": "cos",
    "Div": "÷",
    "Dot": "·",
    "Exp": "eˣ",
    "Log": "ln",
    "Mean": "mean",
    "Mm": "@",
    "Mul": "×",
    "Mv": "@",
    "Neg": "−x",
    "Pow": "xⁿ",
    "Prod": "∏",
    "Relu": "relu",
    "Rsub": "−",
    "Sigmoid": "σ",
    "Sin": "sin",
    "Sqrt": "√",
    "Sub": "−",
    "Sum": "Σ",
    "T": "xᵀ",
    "Tanh": "tanh",
}
_BUILT_IN = re.compile(r"(\w+)Backward\d+")


def function_symbol(name: str) -> str:
    """Return `×` for `MulBackward0`, and the name without `Backward0` where there is no sign.

    Example:
        >>> function_symbol("MulBackward0"), function_symbol("UnbindBackward0")
        ('×', 'Unbind')
    """
    plain = clean(name)
    match = _BUILT_IN.fullmatch(plain)
    if match:
        plain = _SYMBOLS.get(match[1], match[1])
    elif plain == "AccumulateGrad":
        plain = _SYMBOLS[plain]
    return cut(plain.removesuffix("Backward") or plain, _LONGEST_EM)


def plain_function_name(name: str) -> str:
    """Return PyTorch's name of a function without `Backward0`.

    Example:
        >>> plain_function_name("MulBackward0")
        'Mul'
    """
    plain = clean(name)
    match = _BUILT_IN.fullmatch(plain)
    return cut(match[1] if match else plain.removesuffix("Backward") or plain, _LONGEST_EM)
