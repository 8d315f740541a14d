"""Each private PyTorch name is used in one function; each function is tried here."""

from __future__ import annotations

import threading

import pytest
import torch

from hookviz._live import internals
from hookviz._live.unmodified import freed


def test_tensor_hooks_is_the_dictionary_that_register_hook_fills() -> None:
    leaf = torch.tensor(1.0, requires_grad=True)
    assert internals.tensor_hooks(leaf) is None

    def hook(grad: torch.Tensor) -> None: ...

    handle = leaf.register_hook(hook)
    hooks = internals.tensor_hooks(leaf)
    assert hooks is not None
    assert list(hooks.items()) == [(handle.id, hook)]
    handle.remove()
    assert not internals.tensor_hooks(leaf)


def test_a_value_swapped_in_that_dictionary_is_what_pytorch_runs() -> None:
    leaf = torch.tensor(1.0, requires_grad=True)
    handle = leaf.register_hook(lambda grad: grad * 2)
    hooks = internals.tensor_hooks(leaf)
    assert hooks is not None
    hooks[handle.id] = lambda grad: grad * 5
    (leaf * 3).backward()
    assert leaf.grad is not None
    assert leaf.grad.item() == 15


def test_post_accumulate_hooks_is_the_dictionary_that_registration_fills() -> None:
    leaf = torch.tensor(1.0, requires_grad=True)
    seen: list[str] = []
    handle = leaf.register_post_accumulate_grad_hook(lambda _: seen.append("own"))
    hooks = internals.post_accumulate_hooks(leaf)
    assert hooks is not None
    hooks[handle.id] = lambda _: seen.append("swapped")
    (leaf * 3).backward()
    assert seen == ["swapped"]


def test_version_counts_changes_in_place() -> None:
    tensor = torch.zeros(2)
    before = internals.version(tensor)
    tensor.add_(1)
    assert internals.version(tensor) == before + 1
    with torch.inference_mode():
        assert internals.version(torch.zeros(2)) == -1


needs_saved = pytest.mark.skipif(
    not internals.can_see_saved(), reason="this PyTorch does not tell about unpack hooks"
)


@pytest.mark.skipif(
    not hasattr(torch.zeros(1, requires_grad=True).exp().grad_fn, "_input_metadata"),
    reason="this PyTorch does not tell how many outputs a node has",
)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_num_outputs_counts_the_outputs_of_the_forward_operation(count: int) -> None:
    leaf = torch.ones(count, 2, requires_grad=True)
    part = leaf.unbind(0)[0]
    assert part.grad_fn is not None
    assert internals.num_outputs(part.grad_fn) == count


@needs_saved
def test_saved_tensors_are_the_very_objects_with_their_hooks() -> None:
    a, b = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    product = a * b
    node = (product * a).grad_fn
    assert node is not None
    assert any(saved is product for saved in internals.saved_tensors(node))
    assert any(saved is a for saved in internals.saved_tensors(node))


@needs_saved
def test_saved_tensors_of_a_custom_function_are_found() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):  # type: ignore[no-untyped-def]
            return grad * 2

    leaf = torch.tensor(1.0, requires_grad=True)
    node = Double.apply(leaf).grad_fn
    assert [saved is leaf for saved in internals.saved_tensors(node)] == [True]


def test_saved_tensors_runs_no_unpack_hook() -> None:
    unpacked: list[object] = []

    def unpack(value: torch.Tensor) -> torch.Tensor:
        unpacked.append(value)
        return value

    leaf = torch.tensor(2.0, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda value: value, unpack):
        node = leaf.exp().grad_fn
    assert node is not None
    assert list(internals.saved_tensors(node)) == []
    assert unpacked == []


@needs_saved
def test_saved_tensors_says_when_they_were_freed() -> None:
    leaf = torch.tensor(2.0, requires_grad=True)
    out = leaf.exp()
    out.backward()
    assert out.grad_fn is not None
    with pytest.raises(internals.FreedError, match="second time"):
        list(internals.saved_tensors(out.grad_fn))


def test_put_engine_function_stands_between_backward_and_the_engine() -> None:
    calls: list[tuple[int, dict[str, object]]] = []

    def stand_in(*arguments: object, **keywords: object) -> object:
        calls.append((len(arguments), keywords))
        return engine(*arguments, **keywords)

    engine = internals.put_engine_function()
    leaf = torch.tensor(2.0, requires_grad=True)
    try:
        assert internals.put_engine_function(stand_in) is engine
        (leaf * leaf).backward()
        torch.autograd.grad(leaf * leaf, leaf)
    finally:
        assert internals.put_engine_function(engine) is stand_in
    # Roots, gradients, retain_graph, create_graph, inputs.
    assert calls[0] == (5, {"allow_unreachable": True, "accumulate_grad": True})
    assert calls[1][1]["accumulate_grad"] is False


def test_a_freed_node_says_what_a_second_backward_says() -> None:
    node = freed.freed_node()
    leaf = torch.tensor(2.0, requires_grad=True)
    root = leaf.exp()
    root.backward()
    with pytest.raises(RuntimeError) as caught:
        root.backward()
    assert freed.freed_message(node) == str(caught.value)


def test_a_value_that_was_replaced_is_asked_for_when_the_node_runs() -> None:
    leaf = torch.tensor(2.0, requires_grad=True)
    root = leaf * leaf
    given: list[freed.KeptValue] = []

    def pack(tensor: torch.Tensor, refusal: str) -> freed.KeptValue:
        given.append(freed.KeptValue(tensor, refusal))
        return given[-1]

    assert root.grad_fn is not None
    assert freed.take_saved(root.grad_fn, pack)
    assert [kept.tensor.item() for kept in given] == [2, 2]
    root.backward(retain_graph=True)
    assert leaf.grad is not None
    assert leaf.grad.item() == 4

    given[0].now = freed.freed_node()
    with pytest.raises(RuntimeError, match="second time"):
        root.backward(retain_graph=True)
    given[0].now = freed.KeptValue(leaf, "not this time")
    with pytest.raises(RuntimeError, match="not this time"):
        root.backward(retain_graph=True)


@pytest.mark.skipif(not internals.can_see_saved(), reason="this PyTorch does not tell")
def test_it_is_told_why_pytorch_would_refuse_a_value() -> None:
    leaf = torch.tensor(2.0, requires_grad=True)
    root = leaf * leaf
    with torch.no_grad():
        leaf.add_(1)
    refusals: list[str] = []

    def pack(tensor: torch.Tensor, refusal: str) -> freed.KeptValue:
        refusals.append(refusal)
        return freed.KeptValue(tensor, refusal)

    assert root.grad_fn is not None
    freed.take_saved(root.grad_fn, pack)
    assert "modified by an inplace operation" in refusals[0]


def test_a_value_that_cannot_be_replaced_is_told() -> None:
    leaf = torch.tensor([2.0, 3.0], requires_grad=True)
    base = torch.zeros(3)
    base[1:] = leaf
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        hooked = leaf.exp()
    for root in (base, hooked):
        assert root.grad_fn is not None
        assert not freed.take_saved(root.grad_fn, freed.KeptValue)


def test_sequence_number_is_the_number_of_the_next_node() -> None:
    leaf = torch.tensor(2.0, requires_grad=True)
    before = internals.sequence_number()
    node = (leaf * 3).grad_fn
    assert node is not None
    assert internals.number_of(node) == before
    assert internals.sequence_number() == before + 1


def test_a_node_that_no_operation_made_has_no_number() -> None:
    leaf = torch.tensor(2.0, requires_grad=True)
    node = (leaf * 3).grad_fn
    assert node is not None
    assert internals.number_of(node.next_functions[0][0]) is None


def test_a_custom_function_has_the_number_of_the_call_of_apply() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            return x * 2

        @staticmethod
        def backward(ctx, grad):  # type: ignore[no-untyped-def]
            return grad * 2

    leaf = torch.tensor(1.0, requires_grad=True)
    before = internals.sequence_number()
    # PyTorch 2.4 crashes when it is asked for the number of a function that is gone.
    output = Double.apply(leaf)
    node = output.grad_fn
    assert node is not None
    assert internals.number_of(node) == before


def test_numbers_are_counted_thread_by_thread() -> None:
    numbers: list[int] = []
    thread = threading.Thread(target=lambda: numbers.append(internals.sequence_number()))
    (torch.tensor(2.0, requires_grad=True) * 3).exp()
    thread.start()
    thread.join()
    assert numbers == [0]


def test_modes_do_not_see_what_is_kept_from_them() -> None:
    seen: list[object] = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            seen.append(func)
            return func(*args, **(kwargs or {}))

    tensor = torch.zeros(2)
    with Mode():
        with internals.unseen_by_modes():
            tensor.sum()
        assert seen == []
        tensor.sum()
    assert seen


def test_a_transform_of_torch_func_is_noticed() -> None:
    answers: list[bool] = []

    def function(x: torch.Tensor) -> torch.Tensor:
        answers.append(internals.is_transformed())
        return x * x

    torch.func.grad(function)(torch.tensor(2.0))
    assert answers == [True]
    assert not internals.is_transformed()


def test_a_trace_of_torch_jit_is_noticed() -> None:
    answers: list[bool] = []

    def function(x: torch.Tensor) -> torch.Tensor:
        answers.append(internals.is_traced())
        return x * x

    torch.jit.trace(function, (torch.ones(1),), check_trace=False)
    assert answers == [True]
    assert not internals.is_traced()


OWN = {
    "register_forward_pre_hook": internals.forward_pre_hooks,
    "register_forward_hook": internals.forward_hooks,
    "register_full_backward_pre_hook": internals.backward_pre_hooks,
    "register_full_backward_hook": internals.backward_hooks,
}

COMMON = {
    "register_module_forward_pre_hook": internals.global_forward_pre_hooks,
    "register_module_forward_hook": internals.global_forward_hooks,
    "register_module_full_backward_pre_hook": internals.global_backward_pre_hooks,
    "register_module_full_backward_hook": internals.global_backward_hooks,
}


def nothing(*args: object) -> None: ...


@pytest.mark.parametrize("register", OWN)
def test_the_dictionary_of_a_module_is_the_one_that_registration_fills(register: str) -> None:
    module = torch.nn.Identity()
    handle = getattr(module, register)(nothing)
    assert list(OWN[register](module).items()) == [(handle.id, nothing)]
    handle.remove()
    assert not OWN[register](module)


@pytest.mark.parametrize("register", COMMON)
def test_the_common_dictionary_is_the_one_that_registration_fills(register: str) -> None:
    handle = getattr(torch.nn.modules.module, register)(nothing)
    assert list(COMMON[register]().items()) == [(handle.id, nothing)]
    handle.remove()
    assert not COMMON[register]()


@pytest.mark.parametrize("register", list(OWN)[:2])
def test_a_value_swapped_in_a_modules_dictionary_is_what_pytorch_runs(register: str) -> None:
    module, seen = torch.nn.Identity(), list[str]()
    handle = getattr(module, register)(lambda *_: seen.append("own"))
    OWN[register](module)[handle.id] = lambda *_: seen.append("swapped")
    module(torch.ones(1))
    assert seen == ["swapped"]


@pytest.mark.parametrize("register", list(OWN)[:2])
def test_who_sees_keyword_arguments_is_known(register: str) -> None:
    module = torch.nn.Identity()
    plain = getattr(module, register)(nothing)
    keyed = getattr(module, register)(nothing, with_kwargs=True)
    hooks = OWN[register](module)
    assert not internals.sees_kwargs(module, hooks, plain.id)
    assert internals.sees_kwargs(module, hooks, keyed.id)


def test_which_hook_is_always_called_is_known() -> None:
    module = torch.nn.Identity()
    plain = module.register_forward_hook(nothing)
    always = module.register_forward_hook(nothing, always_call=True)
    hooks = internals.forward_hooks(module)
    assert not internals.is_always_called(module, hooks, plain.id)
    assert internals.is_always_called(module, hooks, always.id)


def test_a_common_hook_that_is_always_called_is_known() -> None:
    module = torch.nn.Identity()
    register = torch.nn.modules.module.register_module_forward_hook
    handle = register(nothing, always_call=True)  # type: ignore[arg-type]
    try:
        assert internals.is_always_called(module, internals.global_forward_hooks(), handle.id)
    finally:
        handle.remove()


def test_full_backward_hooks_are_told_from_the_old_kind() -> None:
    full, old = torch.nn.Identity(), torch.nn.Identity()
    full.register_full_backward_hook(nothing)
    old.register_backward_hook(nothing)
    assert internals.is_full(full, internals.backward_hooks(full))
    assert not internals.is_full(old, internals.backward_hooks(old))


def test_compiled_modules_are_known_in_both_forms() -> None:
    plain, compiled_in_place = torch.nn.Identity(), torch.nn.Identity()
    compiled_in_place.compile(backend="eager")
    assert not internals.is_compiled(plain)
    assert internals.is_compiled(compiled_in_place)
    assert internals.is_compiled(torch.compile(plain, backend="eager"))  # type: ignore[arg-type]


def test_parts_of_pytorch_that_took_our_call_for_its_own_get_the_plain_one() -> None:
    plain = torch.nn.Module.__call__

    def ours(*args: object) -> None: ...

    part = torch.fx._symbolic_trace
    assert part._orig_module_call is plain
    part._orig_module_call = ours  # type: ignore[assignment]
    internals.renew_copies(ours, plain)
    assert part._orig_module_call is plain


def test_whether_compiled_code_is_at_work_is_known() -> None:
    answers: list[bool] = []

    def ask(x: torch.Tensor) -> torch.Tensor:
        answers.append(internals.is_inside_compiled())
        return x * 2

    def function(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return torch._dynamo.disable(ask)(x)

    torch._dynamo.reset()
    x = torch.ones(1, requires_grad=True)
    assert not internals.is_inside_compiled()
    torch.utils.checkpoint.checkpoint(ask, x, use_reentrant=False)
    torch.compile(lambda t: t + 1, backend=lambda graph, _: (answers.append("compiled"), graph)[1])(
        x
    )
    torch.compile(function, backend="eager")(x)
    # What the compiler is kept out of runs as it is written.
    assert answers == [False, "compiled", False]
