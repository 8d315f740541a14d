"""Explain an exception out of a forward."""

from __future__ import annotations

import re

from hookviz._live.user.storable import text_of
from hookviz._live.user.tracebacks import user_traceback
from hookviz._records import ErrorRecord, HookRecord

_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"BackwardHookFunction(Backward)? is a view", "error.hooked_in_place"),
    (r"forward pre-hook must return None or a tuple", "error.pre_hook_result"),
    (r"RemovableHandle", "error.handle_passed_on"),
    (r"got multiple values for argument", "error.argument_twice"),
    (r'missing the required "forward" function', "error.no_forward"),
    (r"takes \d+ positional argument|missing \d+ required positional", "error.call_arguments"),
)
"""Parts of the messages (seen on 2.13) and the key of the language tables for each."""

_ALSO_OUTSIDE = ("error.hooked_in_place", "error.handle_passed_on")
"""What a hook of a module can bring about in the lines after the call."""

_UNSEEN = (ValueError, IndexError, KeyError, TypeError)


def explain_forward(
    error: BaseException,
    *,
    hook: HookRecord | None,
    is_own_call: bool = False,
    has_unseen_kwargs: bool = False,
    is_silenced: bool = False,
    is_outside: bool = False,
) -> ErrorRecord:
    """Describe an exception out of a module's call.

    Args:
        error: The exception.
        hook: The forward pre-hook or forward hook it came from, if it came from one.
        is_own_call: Whether the hook could not even be called with what PyTorch gives it.
        has_unseen_kwargs: Whether there were keyword arguments that the hook is not shown.
        is_silenced: Whether PyTorch turns it into a warning, because the forward had failed.
        is_outside: Whether the code around the modules raised it, and no module.
    """
    message = text_of(error)
    if is_silenced:
        key = "error.hook_silenced"
    elif hook is not None and has_unseen_kwargs and isinstance(error, _UNSEEN):
        key = "error.hook_kwargs_unseen"
    elif hook is not None and is_own_call:
        key = f"error.arguments.{hook.kind}"
    else:
        found = (key for pattern, key in _PATTERNS if re.search(pattern, message))
        otherwise = "error.hook_raised" if hook is not None else "error.forward_raised"
        key = next(found, otherwise)
        if is_outside and key not in _ALSO_OUTSIDE:
            key = "error.around_raised"
    return ErrorRecord(
        type=type(error).__name__,
        message=message,
        explanation=key,
        hook=hook,
        traceback=user_traceback(error),
    )
