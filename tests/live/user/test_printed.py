"""What is written to standard output is heard, and goes where it would have gone."""

from __future__ import annotations

import contextlib
import io
import sys

import pytest

from hookviz._live.user.printed import printed


def test_a_listener_hears_and_the_text_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    stream = sys.stdout
    with printed(echo=True) as loud, printed(echo=False) as quiet:
        print("only here")
    with printed(echo=True) as later:
        print("everywhere")
    assert (quiet.take(), loud.take(), later.take()) == ("only here\n", "", "everywhere\n")
    assert capsys.readouterr().out == "everywhere\n"
    assert sys.stdout is stream


def test_a_redirection_in_between_keeps_its_own_text(capsys: pytest.CaptureFixture[str]) -> None:
    stream, inside = sys.stdout, io.StringIO()
    with printed(echo=True) as outer:
        print("before")
        with contextlib.redirect_stdout(inside):
            print("one")
            with printed(echo=True) as inner:
                print("two")
            print("three")
        print("after")
    assert inside.getvalue() == "one\ntwo\nthree\n"
    assert inner.take() == "two\n"
    assert outer.take() == "before\nafter\n"
    assert capsys.readouterr().out == "before\nafter\n"
    assert sys.stdout is stream


def test_a_listener_may_go_while_something_stands_in_front(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream, inside = sys.stdout, io.StringIO()
    listening = printed(echo=True)
    listening.__enter__()
    with contextlib.redirect_stdout(inside):
        listening.__exit__(None, None, None)
        print("inside")
    print("after")
    with printed(echo=True):
        pass
    assert inside.getvalue() == "inside\n"
    assert capsys.readouterr().out == "after\n"
    assert sys.stdout is stream
