"""Describe the modules whose forward was watched: each module, each call, and the code around."""

from __future__ import annotations

from msgspec import Struct

from hookviz._records.hook import HookRecord


class ModuleRecord(Struct, frozen=True, kw_only=True):
    """One `torch.nn.Module` that was called, or that has hooks and was not called.

    Attributes:
        id: `m0`, `m1`, ... in the order of the first calls.
        name: Qualified name, such as `layer1.0.conv1`, as `named_modules` of the outermost called
            module gives it; for that module itself the caller's variable, else its class. No two
            modules of a graph have the same name.
        type: Name of its class, such as `Conv2d`.
        hooks: Its hooks: forward pre-hooks, forward hooks, full backward pre-hooks, full backward
            hooks, each kind in the order in which PyTorch runs it; those that are turned off stand
            in their place. Hooks that are common to all modules stand before the module's own.
        notes: Keys of the language tables: surprising facts about this module.
    """

    id: str
    name: str
    type: str
    hooks: tuple[HookRecord, ...] = ()
    notes: tuple[str, ...] = ()


class CallRecord(Struct, frozen=True, kw_only=True):
    """One call of a module.

    Attributes:
        id: `k0`, `k1`, ... in the order in which the calls began.
        module: Id of the module.
        number: Which call of that module, from 0.
        parent: Id of the call inside which it was made; `None` for an outermost one.
        code_file, code_line, code_text: The user's source line that made the call, if known.
    """

    id: str
    module: str
    number: int = 0
    parent: str | None = None
    code_file: str = ""
    code_line: int | None = None
    code_text: str = ""


class SourceRecord(Struct, frozen=True, kw_only=True):
    """A piece of the user's code in which nodes or calls of a graph were made.

    Attributes:
        file: The `code_file` of nodes and calls: a path, or `cell 3`.
        first_line: Number of the first line of `text` in that file, from 1.
        text: The lines: a whole cell, or a whole function of a file.
    """

    file: str
    first_line: int
    text: str
