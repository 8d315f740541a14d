"""Read what a learner typed for a number, a list or `None`, and compare it with a recording."""

from __future__ import annotations

import ast
import math
import operator
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from hookviz._records.table import facts_html
from hookviz.errors import AnswerError, shortened

RELATIVE = 2e-3
"""How far off an answer may be, as a part of the recorded number: people type few digits."""
ABSOLUTE = 1e-6

_NO_ANSWER = (SyntaxError, LookupError, TypeError, ValueError, ArithmeticError)
_LONGEST = 1000
_HIGHEST_POWER = 64

Number = float | complex | None
"""One entry of an answer; `None` stands for itself and never equals a number."""


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > _HIGHEST_POWER:
        raise ValueError("the power is too high")
    return base**exponent


_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_MARKS = {"【": "[", "】": "]", "、": ",", "−": "-", "×": "*", "÷": "/", "^": "**", "∞": "inf"}
_NAMES: dict[str, Number] = {
    "none": None,
    "nan": math.nan,
    "inf": math.inf,
    "infinity": math.inf,
}


def read_answer(text: str) -> tuple[Number, ...]:
    """Return the entries of an answer in row-major order.

    Args:
        text: A number, `None`, `nan`, `inf`, arithmetic with `+ - * / **` and brackets, or lists of
            those, also nested and also with Chinese punctuation. `[1, 2]` and `1, 2` say the same.

    Raises:
        AnswerError: If it is none of that. No name is looked up and nothing is called.
    """
    plain = _plain(text)
    if not plain or len(plain) > _LONGEST:
        raise AnswerError(text)
    try:
        return tuple(_entries(ast.parse(plain, mode="eval").body))
    except (*_NO_ANSWER, RecursionError, MemoryError) as error:
        raise AnswerError(text) from error


def is_right(given: Sequence[Number], recorded: Sequence[str | None]) -> bool:
    """Return whether an answer agrees with what was recorded, entry by entry.

    Args:
        given: What `read_answer` returned.
        recorded: Exact texts of numbers as a snapshot keeps them; `None` for no gradient.
    """
    if len(given) != len(recorded):
        return False
    return all(
        _agrees(number, None if text is None else complex(text))
        for number, text in zip(given, recorded, strict=True)
    )


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether a prediction was right, beside the recorded value.

    Attributes:
        is_right: Whether it agrees with the recording; `bool(verdict)` is the same.
        given: The prediction, as text.
        recorded: The recorded value, as text.
    """

    __module__ = "hookviz"  # the name that users type

    is_right: bool
    given: str
    recorded: str

    def __bool__(self) -> bool:
        return self.is_right

    def __str__(self) -> str:
        if self.is_right:
            return f"right: {self.recorded}"
        return f"not {shortened(self.given)}: {self.recorded}"

    def __repr__(self) -> str:
        return f"<{self}>"

    def _repr_html_(self) -> str:
        title = "right" if self.is_right else "wrong"
        return facts_html(title, {"given": shortened(self.given), "recorded": self.recorded})


def judge(answer: object, recorded: Sequence[str | None], shown: str) -> Verdict:
    """Compare an answer of any kind with a recording.

    Args:
        answer: Text as `read_answer` takes it, or a number, `None`, a list, or something with
            `tolist()` such as a tensor.
        recorded: See `is_right`.
        shown: The recording as a person reads it.

    Raises:
        AnswerError: If the answer is none of that.
    """
    given = answer if isinstance(answer, str) else str(_plain_numbers(answer))
    return Verdict(is_right=is_right(read_answer(given), recorded), given=given, recorded=shown)


def _plain_numbers(answer: object) -> object:
    as_list = getattr(answer, "tolist", None)
    if callable(as_list):
        return as_list()
    if isinstance(answer, list | tuple):
        return [_plain_numbers(item) for item in answer]
    return answer


def _agrees(given: Number, recorded: Number) -> bool:
    if given is None or recorded is None:
        return given is recorded
    parts = ((given.real, recorded.real), (given.imag, recorded.imag))
    return all(_is_close(one, other) for one, other in parts)


def _is_close(given: float, recorded: float) -> bool:
    if math.isnan(given) and math.isnan(recorded):
        return True
    return math.isclose(given, recorded, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _plain(text: str) -> str:
    # Full-width digits, commas and brackets of a Chinese keyboard become the ordinary ones.
    folded = unicodedata.normalize("NFKC", text).strip()
    for mark, ordinary in _MARKS.items():
        folded = folded.replace(mark, ordinary)
    return folded


def _entries(node: ast.expr) -> list[Number]:
    if isinstance(node, ast.List | ast.Tuple):
        return [entry for item in node.elts for entry in _entries(item)]
    number: Number = _number(node)
    return [number]


def _number(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Constant(value=int() | float() as value) if type(value) is not bool:
            return float(value)
        case ast.Constant(value=complex() as value):
            return value
        case ast.Name(id=name):
            return _NAMES[name.lower()]
        case ast.UnaryOp(op=op, operand=operand):
            return _OPERATORS[type(op)](_number(operand))
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_number(left), _number(right))
    raise ValueError("neither a number nor None")
