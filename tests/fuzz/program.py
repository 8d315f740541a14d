"""A random graph as plain data, and the interpreter that builds it.

Tensors are named by how many were made since: 0 is the newest, and numbers that are too large
start over. So any list of instructions is a program.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch.utils.hooks import RemovableHandle

from tests.fuzz.fitting import NoMeaningError
from tests.fuzz.hooks import Notebook, post_hook, tensor_hook
from tests.fuzz.operations import OPERATIONS
from tests.fuzz.values import edge, leaves_behind

MOST_ELEMENTS = 300
MOST_OUTPUTS = 3


class Leaf(NamedTuple):
    """A leaf with the numbers of a fixed row, from some place on."""

    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    start: int = 0


class Do(NamedTuple):
    """Run an operation on two tensors; see `OPERATIONS`."""

    operation: str
    x: int = 0
    y: int = 0
    n: int = 0


class Hook(NamedTuple):
    """Register a tensor hook; see `tensor_hook`."""

    form: str
    on: int = 0
    style: int = 0


class PostHook(NamedTuple):
    """Register a post-accumulate hook on a leaf."""

    form: str
    on: int = 0
    style: int = 0


class Retain(NamedTuple):
    """Call `retain_grad`."""

    on: int = 0


class Unhook(NamedTuple):
    """Remove a hook by its handle."""

    which: int = 0


Instruction = Do | Hook | PostHook | Retain | Unhook


@dataclass(frozen=True)
class Program:
    """What is built, and how backward is called.

    Attributes:
        roots: Which tensors become the root: one as it is, or the sum of all.
        gradient: How `gradient=` lies in memory; `None` sums a root that is no number.
        forget: Which tensors nobody holds when backward runs.
        passes: How often backward is called.
        inputs: Which tensors are given as `inputs=`; none for all leaves.
    """

    leaves: tuple[Leaf, ...] = (Leaf(),)
    instructions: tuple[Instruction, ...] = ()
    roots: tuple[int, ...] = (0,)
    gradient: str | None = None
    forget: tuple[int, ...] = ()
    passes: int = 1
    create_graph: bool = False
    inputs: tuple[int, ...] = ()

    def script(self) -> str:
        """Return what the interpreter does, line by line."""
        return "\n".join(build(self).script)


class Registered(NamedTuple):
    """A hook that was registered, and not removed."""

    number: int
    on: str
    is_post: bool
    function: Callable[..., Any]
    handle: RemovableHandle


@dataclass
class Built:
    """A graph with its hooks, before backward.

    Attributes:
        known: The tensors with names, and the leaves.
    """

    root: torch.Tensor
    names: dict[str, torch.Tensor]
    book: Notebook
    hooks: list[Registered]
    arguments: dict[str, Any]
    script: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = [*self.names.values(), *leaves_behind(self.root)]


def build(program: Program) -> Built:
    """Build the graph of a program; the same one each time."""
    torch.manual_seed(0)
    maker = _Maker()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for leaf in program.leaves:
            maker.make_leaf(leaf)
        for instruction in program.instructions:
            maker.follow(instruction)
        return maker.finish(program)


def numbers(shape: tuple[int, ...], dtype: str = "float32", start: int = 0) -> torch.Tensor:
    """Return a tensor of fixed numbers of both signs, with zeros and equal ones among them."""
    row = (torch.arange(torch.Size(shape).numel()) * 5 + 6 + start) % 11 - 4
    return (row / 4).to(getattr(torch, dtype)).reshape(shape)


class _Maker:
    def __init__(self) -> None:
        self.book = Notebook()
        self.hooks: list[Registered] = []
        self.script: list[str] = []
        self.tensors: dict[str, torch.Tensor] = {}
        self.count = 0
        self.hook_count = 0

    def make_leaf(self, leaf: Leaf) -> None:
        name = f"leaf{len(self.tensors)}"
        self.tensors[name] = numbers(*leaf).requires_grad_()
        values = self.tensors[name].tolist()
        self.script.append(
            f"{name} = torch.tensor({values}, dtype=torch.{leaf.dtype}, requires_grad=True)"
        )

    def name(self, index: int) -> str:
        names = list(self.tensors)
        return names[-1 - index % len(names)]

    def follow(self, instruction: Instruction) -> None:
        try:
            if isinstance(instruction, Do):
                self.do(instruction)
            elif isinstance(instruction, Hook | PostHook):
                self.hook(instruction)
            elif isinstance(instruction, Retain):
                name = self.name(instruction.on)
                self.tensors[name].retain_grad()
                self.script.append(f"{name}.retain_grad()")
            elif self.hooks:
                removed = self.hooks.pop(instruction.which % len(self.hooks))
                removed.handle.remove()
                self.script.append(f"handle{removed.number}.remove()")
        except (NoMeaningError, RuntimeError, IndexError, ValueError):
            pass  # it has no meaning here; nothing was done

    def do(self, instruction: Do) -> None:
        x, y = self.name(instruction.x), self.name(instruction.y)
        function = OPERATIONS[instruction.operation]
        made = function(self.tensors[x], self.tensors[y], instruction.n)
        outputs = [made] if isinstance(made, torch.Tensor) else list(made)[:MOST_OUTPUTS]
        results = []
        for output in outputs:
            fits = output.is_floating_point() and output.numel() <= MOST_ELEMENTS
            if fits and not any(output is known for known in self.tensors.values()):
                results.append(f"v{self.count}")
                self.tensors[results[-1]] = output
                self.count += 1
        call = f"{instruction.operation}({x}, {y}, {instruction.n})"
        self.script.append(f"{', '.join(results)} = {call}" if results else call)

    def hook(self, instruction: Hook | PostHook) -> None:
        name = self.name(instruction.on)
        # PyTorch 2.13 crashes at the first hook on a view whose base was changed in place, unless
        # its `grad_fn` was read since.
        tensor = self.tensors[name]
        edge(tensor)
        form, number, is_post = instruction.form, self.hook_count, isinstance(instruction, PostHook)
        make = post_hook if is_post else tensor_hook
        function = make(form, number, name, self.book, instruction.style, tensor)
        method = "register_post_accumulate_grad_hook" if is_post else "register_hook"
        handle = getattr(tensor, method)(function)
        self.book.handles[number] = handle
        self.hooks.append(Registered(number, name, is_post, function, handle))
        self.hook_count += 1
        self.script.append(f"handle{number} = {name}.{method}({form}_{instruction.style % 4})")

    def finish(self, program: Program) -> Built:
        first = next(iter(self.tensors))
        chosen = list(dict.fromkeys(self.name(index) for index in program.roots))
        chosen = [name for name in chosen if edge(self.tensors[name])] or [first]
        root, text = self.tensors[chosen[0]], chosen[0]
        if len(chosen) > 1 or (root.dim() and program.gradient is None):
            root = sum((self.tensors[name].sum() for name in chosen[1:]), start=root.sum())
            text = " + ".join(f"{name}.sum()" for name in chosen)
        arguments: dict[str, Any] = {"retain_graph": True, "create_graph": program.create_graph}
        if program.gradient is not None:
            arguments["gradient"] = _gradient(program.gradient, root)
        if program.inputs:
            wanted = dict.fromkeys(self.name(index) for index in program.inputs)
            tensors = [self.tensors[name] for name in wanted if edge(self.tensors[name])]
            arguments["inputs"] = tensors or [self.tensors[first]]
        forgotten = dict.fromkeys(self.name(index) for index in program.forget)
        names = {name: one for name, one in self.tensors.items() if name not in forgotten}
        self.script.append(f"root = {text}")
        self.script.append(f"del {', '.join(forgotten)}" if forgotten else "")
        self.script.append(f"root.backward(**{arguments})  # {program.passes} times")
        return Built(root, names, self.book, self.hooks, arguments, self.script)


def _gradient(kind: str, root: torch.Tensor) -> torch.Tensor:
    shape, dtype = tuple(root.shape), str(root.dtype).removeprefix("torch.")
    if kind == "expanded":
        return torch.ones((), dtype=root.dtype).expand(shape)
    if kind == "transposed":
        return numbers(tuple(reversed(shape)), dtype).permute(tuple(reversed(range(root.dim()))))
    return numbers(shape, dtype)
