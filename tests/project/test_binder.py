"""The Binder environment asks for what pyproject.toml asks for, and installs hookviz itself."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.requirements_of_tests import ROOT

CONDA_NAMES = {"pytorch-cpu": "torch"}

PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def environment() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "binder" / "environment.yml").read_text())
    return loaded


def requirements_of_binder(environment: dict[str, Any]) -> dict[str, Requirement]:
    found = {}
    for line in environment["dependencies"]:
        lines = (
            line["pip"] if isinstance(line, dict) else [re.sub(r"(?<![<>=!])=(?!=)", "==", line)]
        )
        for text in lines:
            requirement = Requirement(text)
            found[CONDA_NAMES.get(requirement.name, requirement.name)] = requirement
    return found


def requirements_of_project() -> dict[str, Requirement]:
    project = PYPROJECT["project"]
    lines = project["dependencies"] + project["optional-dependencies"]["lab"]
    return {Requirement(line).name: Requirement(line) for line in lines}


def test_binder_has_every_dependency_in_the_same_range(environment: dict[str, Any]) -> None:
    binder = requirements_of_binder(environment)
    for name, wanted in requirements_of_project().items():
        assert name in binder, f"binder/environment.yml lacks {name}"
        assert binder[name].specifier == wanted.specifier, name


def test_binder_has_nothing_that_the_project_does_not_need(environment: dict[str, Any]) -> None:
    assert set(requirements_of_binder(environment)) - {"python", "pip"} == set(
        requirements_of_project()
    )


def test_binder_runs_a_python_that_the_project_supports(environment: dict[str, Any]) -> None:
    python = requirements_of_binder(environment)["python"]
    version = next(iter(python.specifier)).version
    assert Requirement(f"python{PYPROJECT['project']['requires-python']}").specifier.contains(
        version
    )


def test_binder_installs_torch_without_cuda_and_hookviz_after_everything() -> None:
    text = (ROOT / "binder" / "environment.yml").read_text(encoding="utf-8")
    assert re.search(r"^  - pytorch-cpu", text, re.MULTILINE)
    assert not re.search(r"^ +- (\.|-e|-r)", text, re.MULTILINE)
    post_build = (ROOT / "binder" / "postBuild").read_text(encoding="utf-8")
    assert post_build.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in post_build
    assert "pip install --no-deps ." in post_build


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no executable bit")
def test_post_build_can_be_executed() -> None:
    assert os.access(ROOT / "binder" / "postBuild", os.X_OK)
