"""Describe an exception that ended a pass."""

from msgspec import Struct

from hookviz._records.hook import HookRecord
from hookviz._records.short import short
from hookviz._records.table import facts_html


class ErrorRecord(Struct, frozen=True, kw_only=True):
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

    @property
    def place(self) -> str:
        """The hook, tensor, function or line of code that the exception came from, if known."""
        if self.hook is not None:
            return self.hook.line(self.tensor or "")
        code = f"{self.code_file}:{self.code_line}" if self.code_line is not None else ""
        return self.tensor or self.node or code

    def __repr__(self) -> str:
        message = short(f"{self.type}: {self.message}", most=200)
        return f"<{message} from {self.place}>" if self.place else f"<{message}>"

    def _repr_html_(self) -> str:
        facts = {"message": self.message, "from": self.place, "line": self.code_text.strip()}
        return facts_html(self.type, {**facts, "traceback": self.traceback})
