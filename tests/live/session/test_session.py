"""Each change of hooks runs one real backward, or is taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from hookviz._live import internals
from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.session import Session
from hookviz.errors import (
    ClosedError,
    HookRunError,
    HookSourceError,
    UnknownTargetError,
)
from tests.live.scripts import Tensors, grad_of, leaf, second_example


def open_session(tensors: Tensors, **variables: Any) -> Session:
    root = next(iter(tensors.values()))
    return Session(root, BackwardOptions(), names=tensors, namespaces=[variables], echo=False)


def grads(tensors: Tensors) -> dict[str, Any]:
    return {name: grad_of(tensor) for name, tensor in tensors.items()}


def hook_id(session: Session, name: str, place: int = 0) -> str:
    found = session.trace.graph.find(name)
    assert found is not None
    return found.hooks[place].id


def plain(change: Callable[[Tensors], None]) -> dict[str, Any]:
    """One plain backward on a fresh graph with the hooks changed by hand."""
    tensors = second_example()
    change(tensors)
    tensors["e"].backward()  # type: ignore[no-untyped-call]
    return grads(tensors)


def set_hooks(tensor: torch.Tensor, *hooks: Callable[..., Any]) -> None:
    found = internals.tensor_hooks(tensor)
    if found is not None:
        found.clear()
    for hook in hooks:
        tensor.register_hook(hook)


def test_the_first_run_is_one_plain_backward() -> None:
    tensors = second_example()
    open_session(tensors)
    assert grads(tensors) == plain(lambda _: None)


def test_edit_changes_what_the_hook_does_and_keeps_its_place() -> None:
    tensors = second_example()
    session = open_session(tensors)
    session.edit(hook_id(session, "d"), "lambda grad: grad * 0")
    assert grads(tensors) == plain(lambda t: set_hooks(t["d"], lambda grad: grad * 0))


def test_edit_in_the_middle_of_a_chain_runs_in_the_middle() -> None:
    tensors = second_example()
    session = open_session(tensors, factor=5)
    session.edit(hook_id(session, "c", 0), "lambda grad: grad * factor")
    expected = plain(lambda t: set_hooks(t["c"], lambda grad: grad * 5, lambda grad: None))
    assert grads(tensors) == expected


def test_attach_and_remove() -> None:
    tensors = second_example()
    session = open_session(tensors)
    added = session.attach("b", "lambda grad: grad + 1")
    assert grads(tensors) == plain(lambda t: set_hooks(t["b"], lambda grad: grad + 1))
    session.remove(added)
    assert grads(tensors) == plain(lambda _: None)
    assert not internals.tensor_hooks(tensors["b"])


def test_attach_takes_a_tensor_a_name_or_an_id_and_a_callable_or_text() -> None:
    tensors = second_example()
    session = open_session(tensors, torch=torch)
    identity = next(t.id for t in session.trace.graph.tensors if t.label == "a")
    session.attach(tensors["a"], torch.neg)
    session.attach("a", "torch.neg")
    session.attach(identity, lambda grad: -grad)
    assert grad_of(tensors["a"]) == -30


def test_turn_off_and_on_keeps_the_place_and_the_handle() -> None:
    tensors = second_example()
    session = open_session(tensors)
    first = hook_id(session, "c", 0)
    session.disable(first)
    assert grads(tensors) == plain(lambda t: set_hooks(t["c"], lambda grad: None))
    found = session.trace.graph.find("c")
    assert found is not None
    assert [hook.enabled for hook in found.hooks] == [False, True]
    assert [e.hook_index for e in session.trace.events if e.tensor == "c" and e.hook] == [0]
    session.enable(first)
    assert grads(tensors) == plain(lambda _: None)


def test_a_hook_that_is_off_is_off_in_a_plain_backward_too() -> None:
    tensors = second_example()
    session = open_session(tensors)
    session.disable(hook_id(session, "d"))
    tensors["d"].grad = None
    tensors["e"].backward(retain_graph=True)  # type: ignore[no-untyped-call]
    assert grad_of(tensors["d"]) == 12


def test_move_changes_the_order_in_which_hooks_run() -> None:
    tensors = second_example()
    session = open_session(tensors)
    session.attach("c", "lambda grad: grad * 10")
    assert grad_of(tensors["c"]) == 100
    session.move(hook_id(session, "c", 2), 0)
    assert grad_of(tensors["c"]) == 82
    session.move(hook_id(session, "c", 0), 99)
    assert grad_of(tensors["c"]) == 100


def test_accumulation_from_before_is_kept_and_counted_once() -> None:
    tensors = second_example()
    tensors["a"].grad = torch.tensor(1000.0)
    mine = tensors["a"].grad
    session = open_session(tensors)
    session.edit(hook_id(session, "d"), "lambda grad: grad")
    session.run()
    assert grad_of(tensors["a"]) == 1030
    assert tensors["a"].grad is mine


@pytest.mark.parametrize(
    "hook",
    [
        "lambda grad: grad.nothing",
        "lambda grad: torch.ones(3)",
        "lambda grad: (grad,)",
        "def h(grad):\n    raise KeyError('mine')",
    ],
)
def test_a_change_with_which_backward_fails_is_taken_back(hook: str) -> None:
    tensors = second_example()
    session = open_session(tensors, torch=torch)
    before, trace = grads(tensors), session.trace
    for change in (
        lambda: session.attach("b", hook),
        lambda: session.edit(hook_id(session, "c"), hook),
    ):
        with pytest.raises(HookRunError) as caught:
            change()
        assert "taken back" in str(caught.value)
        assert caught.value.trace.error is not None
        assert caught.value.trace.events[-1].kind == "error"
        assert grads(tensors) == before
        assert session.trace is trace
    assert not internals.tensor_hooks(tensors["b"])
    session.run()
    assert grads(tensors) == before


def test_an_interrupt_in_a_hook_takes_the_change_back() -> None:
    tensors = second_example()
    session = open_session(tensors)
    before = grads(tensors)

    def interrupt(grad: torch.Tensor) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.attach("a", interrupt)
    assert grads(tensors) == before
    assert not internals.tensor_hooks(tensors["a"])


def test_a_refused_source_changes_nothing() -> None:
    tensors = second_example()
    session = open_session(tensors)
    trace = session.trace
    with pytest.raises(HookSourceError):
        session.attach("b", "lambda grad grad")
    with pytest.raises(HookSourceError):
        session.edit(hook_id(session, "c"), "lambda: 0")
    assert session.trace is trace
    assert not internals.tensor_hooks(tensors["b"])


def test_unknown_targets_are_named_with_those_there_are() -> None:
    tensors = second_example()
    session = open_session(tensors)
    with pytest.raises(UnknownTargetError, match="It has: e, c, d, a, b"):
        session.attach("z", "lambda grad: grad")
    with pytest.raises(UnknownTargetError, match="tensor of shape"):
        session.attach(torch.ones(2), "lambda grad: grad")
    with pytest.raises(UnknownTargetError, match="c_hook"):
        session.remove("h99")


def test_close_puts_the_users_hooks_back_as_they_were_found() -> None:
    tensors = second_example()
    found = {
        name: (id(internals.tensor_hooks(t)), dict(internals.tensor_hooks(t) or {}))
        for name, t in tensors.items()
    }
    session = open_session(tensors)
    session.attach("c", "lambda grad: grad")
    session.attach("a", "lambda grad: grad")
    session.move(hook_id(session, "c", 1), 0)
    session.edit(hook_id(session, "c", 0), "lambda grad: grad * 3")
    session.disable(hook_id(session, "e"))
    session.remove(hook_id(session, "d"))
    session.close()
    session.close()
    for name, (identity, entries) in found.items():
        hooks = internals.tensor_hooks(tensors[name])
        assert list((hooks or {}).items()) == list(entries.items()), name
        if entries:
            assert id(hooks) == identity
    with pytest.raises(ClosedError, match="explore"):
        session.run()


def test_a_handle_the_user_removes_meanwhile_stays_removed() -> None:
    x = leaf(2.0)
    handle = x.register_hook(lambda grad: grad * 100)
    out = x * 3
    session = open_session({"out": out, "x": x})
    session.disable(hook_id(session, "x"))
    handle.remove()
    session.run()
    assert grad_of(x) == 3
    session.close()
    assert not internals.tensor_hooks(x)


@pytest.mark.parametrize("is_closed_first", [False, True])
def test_a_hook_removed_in_the_explorer_and_then_by_its_handle_does_not_come_back(
    is_closed_first: bool,
) -> None:
    x = leaf(2.0)
    x.register_hook(lambda grad: grad + 1)
    handle = x.register_hook(lambda grad: grad * 100)
    x.register_hook(lambda grad: grad * 2)
    before = list(internals.tensor_hooks(x).items())
    out = x * 3
    session = open_session({"out": out, "x": x})
    session.remove(hook_id(session, "x", 1))
    assert grad_of(x) == (3 + 1) * 2
    session.move(hook_id(session, "x", 1), 0)  # places are those of the hooks that are there
    assert grad_of(x) == 3 * 2 + 1
    if is_closed_first:
        session.close()
        assert list(internals.tensor_hooks(x).items()) == before
    handle.remove()
    if not is_closed_first:
        session.run()
        session.close()
    assert list(internals.tensor_hooks(x).items()) == [before[0], before[2]]


def test_a_hook_the_user_registers_meanwhile_is_found() -> None:
    tensors = second_example()
    session = open_session(tensors)
    tensors["a"].register_hook(lambda grad: grad * 2)
    session.run()
    assert grad_of(tensors["a"]) == 60
    found = session.trace.graph.find("a")
    assert found is not None
    assert [hook.origin for hook in found.hooks] == ["user"]


def test_a_hook_written_in_a_function_still_sees_its_variables_after_an_edit() -> None:
    def build(scale: float) -> Tensors:
        x = leaf(2.0)
        x.register_hook(lambda grad: grad * scale)
        return {"out": x * 3, "x": x}

    tensors = build(4.0)
    session = open_session(tensors)
    session.edit(hook_id(session, "x"), "lambda grad: grad * scale + 1")
    assert grad_of(tensors["x"]) == 13


def test_post_accumulate_hooks_can_be_edited_and_turned_off_too() -> None:
    x = leaf(2.0)
    x.register_post_accumulate_grad_hook(lambda param: param.grad.mul_(10) and None)
    session = open_session({"out": x * 3, "x": x})
    assert grad_of(x) == 30
    session.edit(hook_id(session, "x"), "lambda param: param.grad.mul_(100) and None")
    assert grad_of(x) == 300
    session.disable(hook_id(session, "x"))
    assert grad_of(x) == 3


def test_a_post_accumulate_hook_that_returns_something_is_explained() -> None:
    x = leaf(2.0)
    x.register_post_accumulate_grad_hook(lambda param: param.grad)
    session = open_session({"out": x * 3, "x": x})
    assert session.trace.error is not None
    assert session.trace.error.explanation == "error.post_hook_returned"


def test_what_hooks_print_is_recorded_and_not_echoed(capsys: pytest.CaptureFixture[str]) -> None:
    session = open_session(second_example())
    assert "c_hook tensor(8.)\n" in [event.printed for event in session.trace.events]
    assert capsys.readouterr().out == ""


def test_each_run_starts_from_the_same_gradient_though_a_hook_writes_to_it() -> None:
    x = leaf(2.0)
    out = x * 2
    out.register_hook(lambda grad: grad.mul_(10))
    session = open_session({"out": out, "x": x})
    session.run()
    session.run()
    assert grad_of(x) == 20


def test_an_expanded_gradient_stays_one_that_cannot_be_written_to() -> None:
    x = leaf(1.0, 2.0, 3.0)
    x.register_hook(lambda grad: grad.mul_(2) and None)
    options = BackwardOptions(gradient=torch.ones(()).expand(3))
    session = Session(x, options, names={"x": x}, echo=False)
    assert session.trace.error is not None
    assert session.trace.error.explanation == "error.expanded_gradient"


def test_a_gradient_whose_memory_a_leaf_has_taken_gives_what_one_more_plain_pass_gives() -> None:
    def build() -> tuple[Tensors, torch.Tensor]:
        a, b = leaf(0.5), leaf(0.5)
        root, gradient = b.sum() + a.sum(), torch.tensor(0.5)
        root.backward(gradient=gradient, retain_graph=True)
        return {"root": root, "a": a, "b": b}, gradient

    plain_tensors, gradient = build()
    plain_tensors["root"].backward(gradient=gradient, retain_graph=True)
    tensors, gradient = build()
    options = BackwardOptions(gradient=gradient)
    session = Session(tensors["root"], options, names=tensors, echo=False)
    assert grads(tensors) == grads(plain_tensors)
    session.run()
    assert grads(tensors) == grads(plain_tensors)


@pytest.mark.parametrize("layout", ["strided", "sparse", "conjugate"])
def test_a_gradient_of_any_kind_starts_every_run_alike(layout: str) -> None:
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    gradient = torch.tensor([1 + 1j, 2 - 2j])
    if layout == "sparse":
        gradient = gradient.to_sparse()
    elif layout == "conjugate":
        gradient = gradient.conj()
    out = x * 1
    session = Session(out, BackwardOptions(gradient=gradient), names={"x": x}, echo=False)
    first = None if x.grad is None else x.grad.to_dense().clone()
    session.run()
    assert first is not None
    assert x.grad is not None
    assert torch.equal(x.grad.to_dense(), first)
