"""Describe the steps around a module: its forward, and its hooks."""

from hookviz._records.event import Event, HookEvent
from hookviz._records.value import Argument, Value


class ModuleForwardEvent(Event, frozen=True, kw_only=True, tag="module_forward"):
    """The `forward` of a module ran.

    Attributes:
        call: Which call of the module, from 0.
        arguments_before: Its arguments, flattened.
        arguments_after: Its outputs, flattened.
    """

    call: int | None = None
    arguments_before: tuple[Argument, ...] = ()
    arguments_after: tuple[Argument, ...] = ()


class ModuleForwardPreHookEvent(
    HookEvent, frozen=True, kw_only=True, tag="module_forward_pre_hook"
):
    """A hook ran before the `forward` of a module.

    Attributes:
        call: Which call of the module, from 0.
        arguments_before, arguments_after: The module's arguments, flattened.
    """

    call: int | None = None
    arguments_before: tuple[Argument, ...] = ()
    arguments_after: tuple[Argument, ...] = ()


class ModuleForwardHookEvent(HookEvent, frozen=True, kw_only=True, tag="module_forward_hook"):
    """A hook ran after the `forward` of a module.

    Attributes:
        call: Which call of the module, from 0.
        arguments_before, arguments_after: The module's outputs, flattened.
    """

    call: int | None = None
    arguments_before: tuple[Argument, ...] = ()
    arguments_after: tuple[Argument, ...] = ()


class ModuleBackwardPreHookEvent(
    HookEvent, frozen=True, kw_only=True, tag="module_backward_pre_hook"
):
    """A full backward pre-hook of a module ran.

    Attributes:
        call: Which call of the module, from 0.
        incoming, outgoing: `grad_output`, as the hook was given it and after the hook.
    """

    call: int | None = None
    incoming: Value = None
    outgoing: Value = None


class ModuleBackwardHookEvent(HookEvent, frozen=True, kw_only=True, tag="module_backward_hook"):
    """A backward hook of a module ran.

    Attributes:
        call: Which call of the module, from 0.
        incoming, outgoing: `grad_input`, as the hook was given it and after the hook.
        grad_output: The gradients of the module's outputs, which the hook was given as well.
    """

    call: int | None = None
    incoming: Value = None
    outgoing: Value = None
    grad_output: tuple[Argument, ...] = ()

    @property
    def arguments_before(self) -> tuple[Argument, ...]:
        """The arguments of the hook beside `grad_input`."""
        return self.grad_output
