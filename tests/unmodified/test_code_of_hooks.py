"""The code of `as_code()` gives the same numbers, bit for bit, without hookviz."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

import hookviz
from hookviz._widget.explorer import Explorer
from tests.unmodified.shell import Shell

FORWARD = "# run the forward here; the lines below come after it\n"

EXAMPLE = """
a, b, d = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0, 4.0))
c = a * b
e = c * d
"""

VECTOR = """
x = torch.linspace(-1, 1, {size}).requires_grad_()
y = x * x
"""

NET = """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
x = torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_()
forward = lambda: net(x).square().sum()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A pass, and hooks on it.

    Attributes:
        make: Makes the tensors, with and without hookviz.
        hooks: Registers hooks, for hookviz to find.
        root: What is explored; a function of this name is run in the plain interpreter too.
        options: What `explore` is given.
        attached: Target, source and more for `Explorer.attach`.
        written: What has to stand in the code.
    """

    make: str
    hooks: str = ""
    root: str = "e"
    options: str = ""
    attached: tuple[tuple[str, str, dict[str, Any]], ...] = ()
    written: tuple[str, ...] = ()


CASES: dict[str, Case] = {
    "tensor hooks": Case(
        make=EXAMPLE,
        hooks="c.register_hook(lambda grad: grad + 2)\nc.retain_grad()\n"
        "e.register_hook(lambda grad: grad * 2)",
        attached=(
            ("c", "def third(grad):\n    # Divides.\n\n    return grad / 3", {}),
            ("d", "lambda grad: grad + 100", {}),
        ),
        written=("c.retain_grad()", "def third(grad):"),
    ),
    "post-accumulate-grad hooks": Case(
        make=EXAMPLE,
        hooks="def double(leaf):\n    leaf.grad.mul_(2)\n"
        "a.register_post_accumulate_grad_hook(double)",
        attached=(
            ("d", "lambda leaf: leaf.grad.div_(3) and None", {"kind": "post_accumulate_hook"}),
        ),
        written=("a.register_post_accumulate_grad_hook(double)",),
    ),
    "hooks of functions": Case(
        make=EXAMPLE,
        attached=(
            ("n0", "lambda grads: (grads[0] * 3,)", {"kind": "node_prehook"}),
            ("n1", "lambda out, into: (out[0] + 1, out[1])", {"kind": "node_hook"}),
            # The function that adds to the `.grad` of a leaf.
            ("n2", "lambda grads: (grads[0] / 7,)", {"kind": "node_prehook"}),
        ),
        written=(
            "e.grad_fn.register_prehook(",
            "c.grad_fn.register_hook(",
            "e.grad_fn.next_functions[1][0].register_prehook(",
        ),
    ),
    "gradient": Case(
        make=VECTOR.format(size=5),
        root="y",
        options="gradient=torch.tensor([1.0, float('inf'), -0.0, float('nan'), 1 / 3])",
        written=('gradient=torch.tensor([1.0, float("inf"), -0.0, float("nan"), ',),
    ),
    "gradient of another type": Case(
        make="x = torch.tensor([1.5, 2.5], dtype=torch.bfloat16, requires_grad=True)\ny = x * x",
        root="y",
        options="gradient=torch.tensor([0.1, 3.0], dtype=torch.bfloat16)",
        written=("dtype=torch.bfloat16",),
    ),
    "complex gradient": Case(
        make="x = torch.tensor([1 + 2j, 3j], requires_grad=True)\ny = x * x",
        root="y",
        options="gradient=torch.tensor([complex(float('inf'), 2.0), complex(-0.0, -1 / 3)])",
        written=('complex(float("inf"), 2.0)',),
    ),
    "empty gradient": Case(
        make="x = torch.ones(0, 3, requires_grad=True)\ny = x * 2",
        root="y",
        options="gradient=torch.zeros(0, 3)",
        written=("torch.zeros([0, 3], ",),
    ),
    "large gradient that has a name": Case(
        make=VECTOR.format(size=100) + "weights = torch.linspace(0, 5, 100)\n",
        root="y",
        options="gradient=weights",
        written=("y.backward(gradient=weights)",),
    ),
    "large gradient of ones": Case(
        make=VECTOR.format(size=100),
        root="y",
        options="gradient=torch.ones(100)",
        written=("y.backward(gradient=torch.ones_like(y))",),
    ),
    "inputs": Case(make=EXAMPLE, options="inputs=[a, d]", written=("e.backward(inputs=[a, d])",)),
    "inputs that are no leaves": Case(
        make=EXAMPLE,
        hooks="c.register_hook(lambda grad: grad * 5)",
        options="inputs=c",
        written=("e.backward(inputs=[c])",),
    ),
    "inputs that are not reached": Case(
        make=EXAMPLE + "other = torch.tensor(1.0, requires_grad=True)\n",
        options="inputs=[other, b]",
        written=("e.backward(inputs=[other, b])",),
    ),
    "inputs that are parameters": Case(
        make=NET + "e = forward()\n",
        options="inputs=[net[0].weight, net[2].bias]",
        written=("e.backward(inputs=[net[0].weight, net[2].bias])",),
    ),
    "several passes": Case(
        make=EXAMPLE,
        hooks="c.retain_grad()\ne.backward(retain_graph=True)\n"
        "e.backward(retain_graph=True)\na.register_hook(lambda grad: grad / 7)",
        written=("a.grad = torch.tensor(24.0, dtype=torch.float32)", "c.grad = torch.tensor(8.0"),
    ),
    "through an earlier pass": Case(
        make=EXAMPLE.replace("c * d", "c * c * d * d")
        + "e.backward(create_graph=True)\nz = a.grad * 3 + d.grad\n",
        hooks="d.register_hook(lambda grad: grad / 3)\nz.register_hook(lambda grad: grad * 2)",
        root="z",
        written=("z.backward()", "a.grad = "),
    ),
    "hooks of modules": Case(
        make=NET,
        root="forward",
        hooks="def scale(module, args, kwargs, output):\n    return output * 0.3\n"
        "net[1].register_forward_hook(scale, with_kwargs=True, always_call=True)",
        attached=(
            (
                "0",
                "lambda module, args: (args[0] + 1,)",
                {"kind": "module_forward_pre_hook"},
            ),
            (
                "2",
                "lambda module, grad_output: (grad_output[0] / 3,)",
                {"kind": "module_backward_pre_hook"},
            ),
            (
                "0",
                "lambda module, grad_input, grad_output: (grad_input[0] * 7,)",
                {"kind": "module_backward_hook"},
            ),
        ),
        written=(
            "net[1].register_forward_hook(scale, with_kwargs=True, always_call=True)",
            "net[0].register_full_backward_hook(",
            "net[2].register_full_backward_pre_hook(",
            "net[0].register_forward_pre_hook(",
        ),
    ),
}


def shown(variables: dict[str, Any]) -> dict[str, str | None]:
    """Return the bits of each `.grad` by name, also of the parameters of modules."""
    tensors = {name: v for name, v in variables.items() if isinstance(v, torch.Tensor)}
    for name, value in variables.items():
        if isinstance(value, torch.nn.Module):
            tensors |= {f"{name}.{path}": item for path, item in value.named_parameters()}
    # A non-leaf has one where it retains it, or was among the inputs.
    return {
        name: None
        if grad is None
        else f"{grad.dtype} {grad.view(torch.uint8).tolist()}"
        if grad.numel()
        else str(grad.shape)
        for name, tensor in tensors.items()
        if tensor.requires_grad
        for grad in [_grad(tensor)]
    }


def _grad(tensor: torch.Tensor) -> torch.Tensor | None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grad = tensor.grad
    if grad is None:
        return None
    plain = torch.view_as_real(grad) if grad.is_complex() else grad
    return plain.detach().reshape(-1).contiguous()


# `shown` stands in the plain interpreter as it is here.
PLAIN = """
import inspect, json, sys, torch
from typing import Any
{functions}
found = []
for make, before, function, after in json.load(sys.stdin):
    variables = {{"torch": torch}}
    exec(make, variables)
    exec(before, variables)
    if function:
        variables["result"] = variables[function]()
    exec(after, variables)
    found.append(shown(variables))
assert "hookviz" not in sys.modules
json.dump(found, sys.stdout)
"""


def run_plainly(programs: list[tuple[str, str, str, str]]) -> list[dict[str, str | None]]:
    """Return the bits of each `.grad` after each program, run in an interpreter of its own."""
    import inspect

    functions = "from __future__ import annotations\n".join(
        ["", inspect.getsource(shown) + inspect.getsource(_grad)]
    )
    script = (
        functions.splitlines()[0]
        + "\n"
        + PLAIN.format(functions="\n".join(functions.splitlines()[1:]))
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, str | None]] = json.loads(done.stdout)
    return found


@dataclass(slots=True)
class Recorded:
    """What came of the cases with hookviz, and of their code without it."""

    codes: dict[str, str] = field(default_factory=dict)
    here: dict[str, dict[str, str | None]] = field(default_factory=dict)
    there: dict[str, dict[str, str | None]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Run every case here, then the code of all of them in one plain interpreter."""
    folder, found = tmp_path_factory.mktemp("cases"), Recorded()
    programs = {}
    for number, (name, case) in enumerate(CASES.items()):
        variables: dict[str, Any] = {"torch": torch, "hookviz": hookviz}
        run(case.make, folder / f"make{number}.py", variables)
        run(case.hooks, folder / f"hooks{number}.py", variables)
        explorer = eval(f"hookviz.explore({case.root}, {case.options})", variables)
        for target, source, more in case.attached:
            explorer.attach(target, source, **more)
        assert explorer.trace.error is None, explorer.trace.error
        code = explorer.as_code()
        found.codes[name], found.here[name] = code, shown(variables)
        explorer.close()
        before, _, after = code.rpartition(FORWARD)
        function = case.root if callable(variables[case.root]) else ""
        programs[name] = (case.make, before, function, after)
    results = run_plainly(list(programs.values()))
    found.there = dict(zip(programs, results, strict=True))
    return found


def run(source: str, path: Path, variables: dict[str, Any]) -> None:
    """Run a text as a file, so that the source of its functions can be found."""
    path.write_text(source, encoding="utf-8")
    exec(compile(source, str(path), "exec"), variables)


@pytest.mark.parametrize("name", CASES)
def test_the_code_gives_the_same_bits_without_hookviz(name: str, recorded: Recorded) -> None:
    there = {key: bits for key, bits in recorded.there[name].items() if key != "result"}
    assert there == recorded.here[name]
    assert any(bits is not None for bits in there.values())
    for text in CASES[name].written:
        assert text in recorded.codes[name]
    comments = [line for line in recorded.codes[name].splitlines() if "no name" in line]
    assert comments == []


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("e.backward()", "e.backward()"),
        ("e.backward(retain_graph=True)", "e.backward(retain_graph=True)"),
        ("e.backward(create_graph=True)", "e.backward(create_graph=True)"),
        (
            "e.backward(create_graph=True, retain_graph=False)",
            "e.backward(create_graph=True, retain_graph=False)",
        ),
        (
            "e.backward(torch.tensor(3.0), inputs=[a, c])",
            "e.backward(gradient=torch.tensor(3.0, dtype=torch.float32), inputs=[a, c])",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_the_arguments_of_the_users_own_call_are_written(
    shell: Shell, explorers: list[Explorer], call: str, written: str
) -> None:
    ran = shell.run(f"%%hookviz\nimport torch\n{EXAMPLE}\nc.register_hook(abs)\n{call}")
    assert ran.error is None
    (explorer,) = explorers
    code = explorer.as_code()
    assert code.splitlines()[-1] == written
    explorer.attach("d", "lambda grad: grad * 3")
    code = explorer.as_code()
    assert code.splitlines()[-1] == written
    here = {name: bits for name, bits in shown(shell.variables).items() if name in tuple("abcde")}
    abs_ = "def size(grad):\n    return grad.abs()\n"
    explorer.edit(explorer.hooks("c")[0], abs_)
    (there,) = run_plainly([(EXAMPLE, "", "", explorer.as_code())])
    assert there == here


def test_what_has_no_name_is_a_comment_and_never_another_call() -> None:
    def make() -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.linspace(0, 1, 100).requires_grad_()
        return x * 2, x

    y, _ = make()
    explorer = hookviz.explore(
        y, gradient=torch.linspace(0, 2, 100), inputs=[make()[1]], names={"y": y}
    )
    code = explorer.as_code()
    assert code.splitlines()[-1] == (
        "# gradient= has the shape [100] and no name here; not all of inputs= have a name here: "
        "y.backward(gradient=..., inputs=[...])"
    )
    compile(code, "code", "exec")
    explorer.close()
    assert explorer.as_code() == code


def test_a_forward_alone_calls_no_backward() -> None:
    net = torch.nn.Linear(2, 1)
    with hookviz.watch(net) as forward:
        net(torch.ones(1, 2))
    explorer = forward.explore()
    assert "backward(" not in explorer.as_code()
