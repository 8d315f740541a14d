"""Random programs, and random edits of their hooks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tests.fuzz.edits import FORMS, LASTING, Edit
from tests.fuzz.hooks import POST_HOOKS, ROUGH_HOOKS, TENSOR_HOOKS
from tests.fuzz.operations import BROKEN, GROUPS
from tests.fuzz.program import Do, Hook, Instruction, Leaf, PostHook, Program, Retain, Unhook

SHAPES = [(), (3,), (2, 3), (1,), (1, 3), (2, 1), (3, 2), (2, 2, 3), (2, 1, 2), (9, 8), (0,)]

index = st.integers(0, 12)
style = st.integers(0, 3)

leaves = st.builds(
    Leaf, st.sampled_from(SHAPES), st.sampled_from(["float32", "float64"]), st.integers(0, 10)
)

well_behaved = [st.sampled_from(list(group)) for group in GROUPS]


def operations(names: st.SearchStrategy[str]) -> st.SearchStrategy[Instruction]:
    return st.builds(Do, names, index, index, st.integers(0, 5))


def hooks(forms: dict[str, object]) -> st.SearchStrategy[Instruction]:
    return st.builds(Hook, st.sampled_from(list(forms)), index, style)


post_hooks = st.builds(PostHook, st.sampled_from(list(POST_HOOKS)), index, style)

often = [operations(names) for names in well_behaved]
seldom = [hooks(ROUGH_HOOKS), operations(st.sampled_from(list(BROKEN)))]
others = [post_hooks, st.builds(Retain, index), st.builds(Unhook, index)]

gentle = [*often, *[hooks(TENSOR_HOOKS)] * 8, *others]
rough = [*gentle, *gentle, *seldom]

indices = st.lists(index, max_size=3).map(tuple)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Draw a program; half of them have nothing in them that is meant to fail."""
    kinds = st.sampled_from(draw(st.sampled_from([gentle, rough]))).flatmap(lambda kind: kind)
    least = draw(st.integers(0, 12))
    return Program(
        leaves=tuple(draw(st.lists(leaves, min_size=1, max_size=3))),
        instructions=tuple(draw(st.lists(kinds, min_size=least, max_size=16))),
        roots=tuple(draw(st.lists(index, min_size=1, max_size=5))),
        gradient=draw(st.sampled_from([None, None, "dense", "expanded", "transposed"])),
        forget=draw(indices),
        passes=draw(st.sampled_from([1, 1, 2])),
        create_graph=draw(st.sampled_from([False] * 7 + [True])),
        inputs=draw(st.one_of(*[st.just(())] * 7, indices)),
    )


KINDS = [
    "attach",
    "attach",
    "edit",
    "edit",
    "disable",
    "enable",
    "move",
    "remove",
    "remove",
    "unhook",
    "run",
]

edits = st.builds(
    Edit,
    st.sampled_from(KINDS),
    st.integers(0, 3),
    st.integers(0, 3),
    st.integers(0, len(FORMS) - 1),
)

sequences = st.lists(edits, min_size=1, max_size=8).map(tuple)


@st.composite
def repeatable_programs(draw: st.DrawFn) -> Program:
    """Draw a program that gives the same each time it runs."""
    program = draw(programs())
    lasting = [one for one in program.instructions if getattr(one, "form", None) in LASTING]
    kept = tuple(one for one in program.instructions if one not in lasting)
    return replace(program, instructions=kept, create_graph=False)
