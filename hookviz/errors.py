"""Define every exception that hookviz raises itself."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hookviz._languages import table

if TYPE_CHECKING:
    from hookviz._records import TraceRecord
    from hookviz._trace import Trace


class HookvizError(Exception):
    """Base of all errors that hookviz raises: what happened, where, and what to do."""

    def __reduce__(self) -> tuple[object, ...]:
        # Some take their message in parts, which Python's own way would hand over as one.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[HookvizError], args: tuple[object, ...], more: dict[str, Any]
) -> HookvizError:
    error = kind.__new__(kind)
    error.args = args
    error.__setstate__(more)
    return error


class NotATensorError(HookvizError, TypeError):
    """The root is not a tensor."""


class NotAModuleError(HookvizError, TypeError):
    """An argument of `watch` is not a module."""


class NoGradError(HookvizError, ValueError):
    """The root does not require grad, so there is no graph."""


class FreedGraphError(HookvizError, RuntimeError):
    """The graph was already used by a backward without `retain_graph=True`."""


class GradientError(HookvizError, ValueError):
    """`gradient=` is missing, of the wrong shape, or of the wrong kind."""


class UnknownTargetError(HookvizError, LookupError):
    """A tensor or hook was named that this graph does not have."""


class HookSourceError(HookvizError, ValueError):
    """The text of a hook does not compile or does not give a usable callable.

    Attributes:
        key, values: The same message in the language tables: its key, and the texts of its
            placeholders.
        expected: Key of the sentence that describes a usable hook of that kind.
        line, column: Where, from 1; `None` when there is no one place.
    """

    def __init__(
        self,
        *,
        key: str,
        values: Mapping[str, str] = MappingProxyType({}),
        detail: str = "",
        expected: str = "source.expected",
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        values = {name: shortened(value) for name, value in values.items()}
        english = table("en")
        sentence = english[key]
        for name, value in values.items():
            sentence = sentence.replace("{" + name + "}", value)
        super().__init__("\n".join(filter(None, (sentence, detail, english[expected]))))
        self.key = key
        self.values = {**values, "detail": detail}
        self.expected = expected
        self.line = line
        self.column = column


class HookRunError(HookvizError, RuntimeError):
    """Backward failed with a change of hooks; the change was taken back.

    Attributes:
        trace: The pass until it failed, as a `Trace`; its last event is the error.
    """

    def __init__(self, message: str, *, trace: Trace | TraceRecord) -> None:
        super().__init__(message)
        self.trace = trace


class AnswerError(HookvizError, ValueError):
    """A prediction is no number, no list of numbers, and not `None`.

    Attributes:
        given: The text.
    """

    def __init__(self, given: str) -> None:
        super().__init__(
            f"{shortened(given)!r} is not an answer. Type a number such as 8 or 2*4, a list such "
            "as [30, 20], or None."
        )
        self.given = given


class ClosedError(HookvizError, RuntimeError):
    """The explorer was closed, so its hooks can no longer be changed."""


class TraceFormatError(HookvizError, ValueError):
    """A text is no trace, or one of a newer format."""


class MissingPackageError(HookvizError, ImportError):
    """Something that was asked for needs a package that is not installed."""


class RecordingWarning(UserWarning):
    """A step of a pass could not be recorded; the pass itself is not affected."""


MOST = 200


def shortened(text: str) -> str:
    """Return the text, or its beginning and an ellipsis if it is long."""
    return text if len(text) <= MOST else text[: MOST - 1] + "…"


def shortened_around(text: str, place: int) -> tuple[str, int]:
    """Return the part around a place of a long line, and the place in that part.

    Args:
        text: The line.
        place: From 0.
    """
    if len(text) <= MOST:
        return text, place
    begin = max(0, min(place - MOST // 2, len(text) - MOST))
    before = "…" if begin else ""
    after = "…" if begin + MOST < len(text) else ""
    return f"{before}{text[begin : begin + MOST]}{after}", place - begin + len(before)
