"""Describe an exception that ended a pass."""

from __future__ import annotations

from dataclasses import dataclass

from hookviz._records.hook import HookRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRecord:
    """An exception that ended a pass, or one that a forward raised.

    Attributes:
        type: Name of the exception class, such as `RuntimeError`.
        message: PyTorch's or the user's own text, unchanged.
        explanation: A key of the language tables that says it in plain words; may be empty.
        hook: The hook it came from, if it came from one.
        node: Id of the node that was running, if it came from a node.
        tensor: Label of the tensor whose hook it was, if any.
        traceback: Text of the traceback from the user's own code; empty when there is none.
        code_file, code_line, code_text: The user's source line that raised, where no module and no
            backward function did, if known.
    """

    type: str
    message: str
    explanation: str = ""
    hook: HookRecord | None = None
    node: str | None = None
    tensor: str | None = None
    traceback: str = ""
    code_file: str = ""
    code_line: int | None = None
    code_text: str = ""
