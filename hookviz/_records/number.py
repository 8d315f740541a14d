"""Read and write single numbers as text."""

from __future__ import annotations

import math

Number = float | int | bool | complex

DIGITS = 6
"""How many digits of a number are shown where nothing else is said."""


def parse_number(text: str, dtype: str) -> Number:
    """Return the number that a snapshot keeps as text.

    Example:
        >>> parse_number("8.0", "float32"), parse_number("True", "bool")
        (8.0, True)
    """
    if dtype == "bool":
        return text == "True"
    if dtype.startswith("complex"):
        return complex(text)
    if "int" in dtype and "." not in text:
        return int(text)
    return float(text)


def number_text(number: Number, digits: int = DIGITS) -> str:
    """Return one number as a person writes it.

    Example:
        >>> number_text(8.0), number_text(1 / 3), number_text(complex(4, -8))
        ('8', '0.333333', '4-8j')
    """
    if isinstance(number, bool | int):
        return str(number)
    if isinstance(number, complex):
        imaginary = f"{number.imag:+.{digits}g}"
        return f"{number.real:.{digits}g}{imaginary}j"
    if number.is_integer() and abs(number) < 10**digits and math.copysign(1, number) > 0:
        return str(int(number))
    return f"{number:.{digits}g}"


def dotted_text(number: Number) -> str:
    """Return one number as PyTorch prints it: a whole floating-point number ends with a dot.

    Example:
        >>> dotted_text(8.0), dotted_text(8), dotted_text(0.5)
        ('8.', '8', '0.5')
    """
    text = number_text(number)
    is_whole = isinstance(number, float) and text.lstrip("-").isdigit()
    return f"{text}." if is_whole else text
