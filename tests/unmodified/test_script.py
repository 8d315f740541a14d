"""`python -m hookviz script.py -o page.html`: a script runs as under Python, and leaves a page."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.requirements_of_tests import ROOT
from tests.test_saved_page import read, state_of
from tests.unmodified.programs import PROGRAMS, START

Python = Callable[..., "Done"]


@dataclass(slots=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def ours(self) -> list[str]:
        """What hookviz itself has said."""
        return [line for line in self.err.splitlines() if line.startswith("hookviz: ")]

    @property
    def others(self) -> str:
        return "".join(
            line for line in self.err.splitlines(keepends=True) if not line.startswith("hookviz: ")
        )


@pytest.fixture
def python(tmp_path: Path) -> Python:
    """Return a function that runs Python with some arguments in the folder of the test."""

    def run(*arguments: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-X", "utf8", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def write(folder: Path, text: str, name: str = "script.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


TRAINING = """\
import sys, torch

def loss_of(weight, batch):
    hidden = weight * batch
    hidden.register_hook(lambda grad: grad.clamp(max=1))
    return hidden.sum()

def train(epochs):
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.5)
    for _ in range(epochs):
        loss = loss_of(weight, torch.tensor([1.0, 2.0]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), weight.grad.tolist())

if __name__ == "__main__":
    train(int(sys.argv[1]))
"""


def test_a_page_steps_through_the_first_calls(python: Python, tmp_path: Path) -> None:
    write(tmp_path, TRAINING)
    plain = python("script.py", "5")
    done = python("-m", "hookviz", "script.py", "-o", "page.html", "--", "5")
    assert (done.code, done.out) == (0, plain.out)
    assert done.ours == [
        "hookviz: Further calls of backward(), run plainly and not recorded: 2. "
        "hookviz records the first 3; --calls 10 changes that.",
        "hookviz: page.html steps through calls of backward(): 3.",
    ]
    reader = read(tmp_path / "page.html")
    explorers = state_of(reader)["explorers"]
    assert [explorer["title"] for explorer in explorers] == ["loss.backward()"] * 3
    labels = {tensor["label"] for tensor in explorers[0]["tensors"]}
    assert {"loss", "weight"} <= labels
    assert "backward() 2 of 3, line 14: loss.backward()" in reader.texts
    assert any("not recorded: 2." in text for text in reader.texts)
    assert "script.py" in reader.texts
    # The graphs are gone, and the hooks have run once: there is no other pass.
    assert explorers[0]["comparisons"] == []
    assert any("recorded once and cannot be run again" in text for text in reader.texts)


def test_language_and_number_of_calls_can_be_chosen(python: Python, tmp_path: Path) -> None:
    write(tmp_path, TRAINING)
    done = python(
        "-m", "hookviz", "script.py", "--lang", "zh", "--calls", "1", "-o", "p.html", "--", "2"
    )
    assert done.code == 0
    reader = read(tmp_path / "p.html")
    assert [explorer["lang"] for explorer in state_of(reader)["explorers"]] == ["zh"]
    assert "第 1 次 backward()，共 1 次，第 14 行：loss.backward()" in reader.texts


SURROUNDINGS = """\
import os, sys, threading
import beside
print(sys.argv, sys.path[0], __name__, __file__, __doc__, __spec__, __package__)
print(sys.modules["__main__"].__dict__ is globals(), beside.VALUE, sorted(globals()))
def late():
    print("an ordinary thread is waited for")
timer = threading.Timer(0.2, late)
timer.start()
import atexit
atexit.register(print, "at exit")
sys.exit({code})
"""


@pytest.mark.parametrize("code", ["None", "7", "'a message'"])
def test_a_script_finds_what_it_finds_under_python(
    python: Python, tmp_path: Path, code: str
) -> None:
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder", "VALUE = 12\n", "beside.py")
    backward = "import torch\n(torch.ones((), requires_grad=True) * 2).backward()\n"
    text = '"""What it is."""\n' + backward + SURROUNDINGS.format(code=code)
    write(tmp_path / "folder", text)
    plain = python("folder/script.py", "--one", "two")
    done = python("-m", "hookviz", "folder/script.py", "-o", "page.html", "--", "--one", "two")
    assert (done.code, done.out, done.others) == (plain.code, plain.out, plain.err)
    assert (tmp_path / "page.html").exists()


FAILING = """\
import torch
a = torch.tensor(2.0, requires_grad=True)
def fail(grad):
    raise ValueError("in the hook")
(a * 3).backward()
def run():
    b = a * a
    b.register_hook(fail)
    try:
        b.backward()
    except ValueError as error:
        raise KeyError("chained") from error
run()
"""


def test_a_script_that_fails_fails_in_the_same_words_and_leaves_a_page(
    python: Python, tmp_path: Path
) -> None:
    write(tmp_path, FAILING)
    plain = python("script.py")
    done = python("-m", "hookviz", "script.py", "-o", "page.html")
    assert (done.code, done.out, done.others) == (1, plain.out, plain.err)
    assert "hookviz" not in done.others
    explorers = state_of(read(tmp_path / "page.html"))["explorers"]
    assert [len(explorer["steps"]) for explorer in explorers] == [4, 3]
    assert explorers[1]["steps"][-1]["kind"] == "error"


@pytest.mark.parametrize(
    "text",
    [
        "if True print(1)\n",
        "def f():\nreturn 1\n",
        "x = '\\xff'\n",
        "import sys\nsys.excepthook = lambda kind, error, tb: print('mine', kind, error)\n1 / 0\n",
        "raise KeyboardInterrupt\n",
        "class Own(Exception): pass\nraise Own('x')\n",
    ],
)
def test_other_ends_are_those_of_python(python: Python, tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    plain = python("script.py")
    done = python("-m", "hookviz", "script.py", "-o", "page.html")
    assert (done.out, done.others) == (plain.out, plain.err)
    # Of a process that Ctrl-C has ended a shell sees 130.
    expected = plain.code if plain.code >= 0 else 128 - plain.code
    assert done.code == (expected or 1)
    assert not (tmp_path / "page.html").exists()
    assert done.ours == [
        "hookviz: No backward() ran here, so there is nothing to step through.",
        "hookviz: no page was written: script.py has nothing to show.",
    ]


def test_a_graph_is_freed_as_under_python(python: Python, tmp_path: Path) -> None:
    write(tmp_path, START + PROGRAMS["used twice, caught"] + "print(seen)\n")
    plain = python("script.py")
    done = python("-m", "hookviz", "script.py", "-o", "page.html")
    assert "second time" in plain.out
    assert done.out == plain.out


def test_a_script_may_go_to_another_folder(python: Python, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    text = (
        "import os, torch\nos.chdir('other')\n(torch.ones((), requires_grad=True) * 2).backward()"
    )
    write(tmp_path, text)
    assert python("-m", "hookviz", "script.py", "-o", "page.html").code == 0
    assert (tmp_path / "page.html").exists()


def test_threads_of_the_script_are_recorded(python: Python, tmp_path: Path) -> None:
    write(
        tmp_path,
        "import threading, torch\n"
        "a = torch.ones((), requires_grad=True)\n"
        "threading.Timer(0.2, lambda: (a * 2).backward()).start()\n",
    )
    assert python("-m", "hookviz", "script.py", "-o", "page.html").code == 0
    assert len(state_of(read(tmp_path / "page.html"))["explorers"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.py", "-o", "page.html"], "there is no file 'none.py'. It takes a script, or:"),
        ([".", "-o", "page.html"], "'.' is a folder; give the script in it."),
        (["script.py"], "the following arguments are required: -o/--output"),
        (["script.py", "-o", "none/page.html"], "there is no folder 'none'. Make it first"),
        (["script.py", "-o", "."], "cannot write '.': it is a folder. Give the name of a file"),
        (["script.py", "-o", "script.py"], "the page would replace the script"),
        (["script.py", "-o", "page.html", "--epochs", "3"], "stands behind --, for example"),
        (["script.py", "-o", "page.html", "--calls", "0"], "invalid choice: 0"),
        (["script.py", "-o", "page.html", "--lang", "fr"], "invalid choice: 'fr'"),
    ],
)
def test_what_cannot_work_is_said_before_the_script_runs(
    python: Python, tmp_path: Path, arguments: list[str], said: str
) -> None:
    path = write(tmp_path, "print('it ran')\n")
    done = python("-m", "hookviz", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert path.read_text(encoding="utf-8") == "print('it ran')\n"


def test_a_page_that_cannot_be_written_in_the_end_is_told(python: Python, tmp_path: Path) -> None:
    text = "import os, torch\n(torch.ones((), requires_grad=True) * 2).backward()\nos.rmdir('x')\n"
    write(tmp_path, text)
    (tmp_path / "x").mkdir()
    done = python("-m", "hookviz", "script.py", "-o", "x/page.html")
    assert done.code == 1
    assert "there is no folder" in done.ours[-1]


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("sys.stdout.close()", 0),
        ("sys.stdout = None", 0),
        ("sys.stdout.close(); sys.stderr.close(); sys.exit('no')", 1),
        ("sys.stdout = sys.stderr = None", 0),
    ],
)
def test_a_script_may_close_what_it_writes_to(
    python: Python, tmp_path: Path, end: str, code: int
) -> None:
    text = f"import sys, torch\n(torch.ones((), requires_grad=True) * 2).backward()\n{end}\n"
    write(tmp_path, text)
    done = python("-m", "hookviz", "script.py", "-o", "page.html")
    assert done.code == code
    assert "Traceback" not in done.err
    assert (tmp_path / "page.html").exists()


def test_the_lab_is_still_there(python: Python, tmp_path: Path) -> None:
    done = python("-m", "hookviz", "lab", "--copy-only", "--dir", "mine")
    assert done.code == 0
    assert list((tmp_path / "mine").glob("*.ipynb"))
    assert python("-m", "hookviz").code == 2
    assert "python -m hookviz SCRIPT -o PAGE.html" in " ".join(
        python("-m", "hookviz", "--help").out.split()
    )
