"""A missing tool skips a test with a reason, and fails it where nothing may be missing."""

from __future__ import annotations

import pytest

from tests.requirements_of_tests import need_program


def test_a_missing_program_skips_with_its_name_and_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HOOKVIZ_REQUIRE_ALL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no-such-program is missing: get it"):
        need_program("no-such-program", "get it")


def test_a_missing_program_fails_where_nothing_may_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOOKVIZ_REQUIRE_ALL", "1")
    with pytest.raises(pytest.fail.Exception, match="no-such-program is missing: get it"):
        need_program("no-such-program", "get it")


def test_a_program_that_is_there_is_found() -> None:
    assert "git" in need_program("git", "install git")
