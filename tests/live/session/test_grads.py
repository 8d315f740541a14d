"""A `.grad` is put back as the very object that it was, in every shape that PyTorch gives it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.session import Session
from hookviz.errors import HookRunError

CHANGES: dict[str, Callable[[torch.Tensor], object]] = {
    "nothing": lambda v: None,
    "squeeze_": lambda v: v.squeeze_(),
    "unsqueeze_": lambda v: v.unsqueeze_(0),
    "t_": lambda v: v.t_(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_that_fails_leaves_the_grads_of_tensors_that_changed_shape(
    change: Callable[[torch.Tensor], object],
) -> None:
    a = torch.tensor([[0.5, 1.5, 2.5]], requires_grad=True)
    v = a * 2
    v.retain_grad()
    change(v)
    session = Session(
        v, BackwardOptions(gradient=torch.ones_like(v)), names={"a": a, "v": v}, echo=False
    )
    kept = v.grad
    numbers = kept.clone()
    facts = (v.shape, v.stride(), v.data_ptr(), v._version, v.grad_fn, v.tolist())
    leaf_grad = a.grad.clone()

    with pytest.raises(HookRunError, match="ZeroDivisionError"):
        session.attach("a", "lambda g: 1 / 0")

    assert v.grad is kept
    assert torch.equal(kept, numbers)
    assert (v.shape, v.stride(), v.data_ptr(), v._version, v.grad_fn, v.tolist()) == facts
    assert torch.equal(a.grad, leaf_grad)
    session.run()
    assert torch.equal(a.grad, leaf_grad)


def test_the_grad_of_a_squeezed_tensor_has_the_shape_that_plain_pytorch_gives_it() -> None:
    grads = []
    for is_explored in (False, True):
        a = torch.tensor([0.5], requires_grad=True)
        v = a * 2
        v.retain_grad()
        v.squeeze_()
        if is_explored:
            session = Session(v, BackwardOptions(), names={"a": a, "v": v}, echo=False)
            with pytest.raises(HookRunError):
                session.attach("a", "lambda g: 1 / 0")
        else:
            v.backward()
        grads.append((v.grad.shape, v.grad.tolist(), a.grad.tolist()))
    assert grads[0] == grads[1]
