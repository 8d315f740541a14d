"""Let a reader change the hooks of a pass and see the new pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hookviz._live.session.session import HookLike, Session
from hookviz._live.session.targets import HookId, Target
from hookviz._records import HookKind, HookRecord, TraceRecord
from hookviz._trace import Trace
from hookviz._view.compare.same_place import matching_step
from hookviz._view.page.notices import info_notice, notice_for
from hookviz._widget.clicks import do_click
from hookviz._widget.source import Source
from hookviz._widget.stepping import Stepping
from hookviz.errors import HookRunError, HookvizError

T = TypeVar("T")


class Explorer(Stepping):
    """Step through one real backward pass, and change its hooks.

    Made by `hookviz.explore`. Everything a click can do is a method here. A method that fails
    raises a `HookvizError` and shows it in the widget too; the trace stays. The examples of the
    methods continue this one.

    Attributes:
        step: 0 before anything, `n` after the n-th event.
        selected: Id of the selected tensor, or empty.
        lang: `"en"` or `"zh"`.
        theme: `"auto"`, `"light"` or `"dark"`.
        direction: Which way the gradient flows in the picture: `"across"`, `"down"`, or `"auto"`.
        playing: Whether it goes on by itself; set by `play` and `pause`.
        speed: 1 is a step every 1.2 seconds.
        predicting: Whether the reader is asked for a value before it is shown.
        score: How many predictions were right, and how many there were.
        expanded: Ids of the boxes that are open.

    Example:
        >>> a, b, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 4.0))
        >>> c = a * b
        >>> e = c * d
        >>> _ = e.register_hook(lambda grad: grad * 2)
        >>> explorer = hookviz.explore(e)
        >>> explorer
        Explorer(e.backward(), step 0 of 7)
    """

    __module__ = "hookviz"  # the name that users type

    def __init__(self, shown: Session | Trace, *, lang: str | None = None) -> None:
        """Show the passes of a session, or a trace that cannot be run again.

        Args:
            shown: A session that has run once, or the trace.
            lang: `"en"` (the default) or `"zh"`.
        """
        self._notices = 0
        super().__init__(Source(shown), lang=lang or "en")
        self.on_msg(self._on_click)

    # -- hooks ----------------------------------------------------------------------------------

    def run(self) -> None:
        """Run backward again with the hooks as they are now.

        Raises:
            HookRunError: If the pass fails; the trace stays, and every `.grad` is as before.

        Example:
            >>> explorer.run()
        """
        self._act(lambda: self._source.session.run(), is_change=False)

    def attach(
        self,
        target: Target,
        hook: HookLike,
        *,
        kind: HookKind | None = None,
        with_kwargs: bool | None = None,
    ) -> str:
        """Register a hook at the end of its chain, run again, and return the hook's id.

        Args:
            target: A tensor or module of the graph, its name, or an id: `t2`, `m3`, or `n4` for a
                function.
            hook: A callable, or the text of a lambda or `def`.
            kind: The kind of hook, such as `"post_accumulate_hook"`; if not given `"tensor_hook"`
                on a tensor, `"module_forward_hook"` on a module, `"node_hook"` on a function.
            with_kwargs: Whether a forward hook is given keyword arguments as well; if not given,
                decided by the number of its parameters.

        Raises:
            UnknownTargetError: If the graph has no such thing.
            HookvizError: If it takes no hook of this kind, or the forward cannot be run again.
            HookSourceError: If the hook is not usable; nothing was changed.
            HookRunError: If the pass fails with the hook; the hook was taken off again.

        Example:
            >>> explorer.attach("c", lambda grad: grad + 2)
            'h1'
            >>> explorer.trace.grad("a")
            30.
        """
        return self._act(
            lambda: self._source.session.attach(target, hook, kind=kind, with_kwargs=with_kwargs),
            target=target,
        )

    def edit(self, hook_id: HookId, hook: HookLike) -> None:
        """Put another function in a hook's place, and run again; the hook stays on or off.

        Args:
            hook_id: The id of the hook, or its record from `hooks`.
            hook: A callable, or the text of a lambda or `def`.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If it belongs to a forward that cannot be run again.
            HookSourceError: If the new hook is not usable; nothing was changed.
            HookRunError: If the pass fails with it; the old hook is back.

        Example:
            >>> explorer.edit("h0", "lambda grad: grad * 10")
            >>> explorer.trace.grad("a")
            120.
        """
        self._act(lambda: self._source.session.edit(hook_id, hook), hook=hook_id)

    def remove(self, hook_id: HookId) -> None:
        """Take a hook off, and run again.

        Args:
            hook_id: The id of the hook, or its record from `hooks`.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If it belongs to a forward that cannot be run again.
            HookRunError: If the pass fails without it; the hooks are as before.

        Example:
            >>> explorer.remove("h0")
            >>> explorer.hooks("e")
            ()
        """
        self._act(lambda: self._source.session.remove(hook_id), hook=hook_id)

    def enable(self, hook_id: HookId) -> None:
        """Turn a hook on, and run again.

        Args:
            hook_id: The id of the hook, or its record from `hooks`.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If it belongs to a forward that cannot be run again.
            HookRunError: If the pass fails with it; the hooks are as before.

        Example:
            >>> explorer.disable("h0")
            >>> explorer.enable("h0")
            >>> explorer.hooks("e")
            (<hook h0 lambda grad: grad * 2 on e>,)
        """
        self._act(lambda: self._source.session.enable(hook_id), hook=hook_id)

    def disable(self, hook_id: HookId) -> None:
        """Turn a hook off, and run again; it keeps its place and its handle.

        Args:
            hook_id: The id of the hook, or its record from `hooks`.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If it belongs to a forward that cannot be run again.
            HookRunError: If the pass fails without it; the hooks are as before.

        Example:
            >>> explorer.disable("h0")
            >>> explorer.hooks("e")
            (<hook h0 lambda grad: grad * 2 on e, off>,)
        """
        self._act(lambda: self._source.session.disable(hook_id), hook=hook_id)

    def move(self, hook_id: HookId, position: int) -> None:
        """Move a hook to another place in its chain, and run again.

        Args:
            hook_id: The id of the hook, or its record from `hooks`.
            position: The place, from 0 for the hook that runs first.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If the place is no number, or the forward cannot be run again.
            HookRunError: If the pass fails; the hooks are as before.

        Example:
            >>> explorer.move(explorer.attach("e", lambda grad: grad + 1), 0)
            >>> explorer.trace.grad("a")
            48.
        """
        self._act(lambda: self._source.session.move(hook_id, position), hook=hook_id)

    def interrupt(self) -> None:
        """Stop a hook that hangs: raise a `KeyboardInterrupt` in the thread of the pass.

        A click is served by a thread that the interrupt button of a notebook does not reach; a
        cell that calls this does. A hook that waits inside compiled code first has to come back.

        Example:
            >>> explorer.interrupt()
        """
        self._source.interrupt()

    # -- comparing ------------------------------------------------------------------------------

    @property
    def baseline(self) -> Trace:
        """The same pass with every listed hook turned off: one more real backward, put back.

        Forward hooks stay on where the forward cannot be run again.

        Example:
            >>> explorer.trace.grad("a"), explorer.baseline.grad("a")
            (24., 12.)
        """
        return Trace(self._source.session.without())

    def compare(self, against: str | HookRecord | None = "hooks") -> None:
        """Show beside each value its value in another pass, and mark the differences.

        Args:
            against: `"hooks"`: without any hook. The id or record of a hook: without that one.
                `"edit"`: before the last change of hooks. `None`: end the comparison.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If nothing was changed yet, no hook is on, the change made another graph,
                or the hook belongs to a forward that cannot be run again.

        Example:
            >>> explorer.compare("hooks")
            >>> explorer.last()
            >>> explorer.compare(None)
        """
        self._act(lambda: self._compared.choose(against))

    def dismiss(self) -> None:
        """Put the message away.

        Example:
            >>> explorer.dismiss()
        """
        self.notice = None

    def close(self) -> None:
        """Put the user's hooks back as they were found, and take the widget off the page.

        Raises:
            HookvizError: If a pass is running; call it when the pass has finished.

        Example:
            >>> explorer.close()
        """
        if hasattr(self, "_source"):
            self._source.close()
        super().close()
        # ipywidgets hides a closed widget's display method; what this one has shown stays true.
        self.__dict__.pop("_repr_mimebundle_", None)

    # -- inside ---------------------------------------------------------------------------------

    def _act(
        self,
        action: Callable[[], T],
        *,
        target: Target = "",
        hook: HookId = "",
        is_change: bool = True,
    ) -> T:
        """Do something that may run another pass, and show that pass or the error."""
        self.busy = True
        before, step = self._source.record, self.step
        try:
            result = action()
            self._compared.see(before, self._source.record, is_change=is_change)
        except BaseException as error:
            if isinstance(error, HookRunError) and isinstance(error.trace, TraceRecord):
                error.trace = Trace(error.trace)
            hook_id = hook.id if isinstance(hook, HookRecord) else str(hook)
            self._notice(notice_for, error, target=self._id_or_nothing(target), hook=hook_id)
            self.busy = False
            raise
        with self.hold_sync():
            self.notice = None
            if self._source.dropped:
                values = {"hooks": ", ".join(self._source.dropped)}
                self._notice(info_notice, "notice.hooks_dropped", values)
            self._show()
            self.step = matching_step(before.events, self._source.record.events, step)
            self.busy = False
        return result

    def _notice(self, make: Callable[..., dict[str, Any]], *args: object, **more: object) -> None:
        self._notices += 1
        self._put({"notice": make(*args, **more, serial=self._notices)})

    def _attach_by_id(
        self, target: str, source: str, *, kind: HookKind | None, with_kwargs: bool | None
    ) -> None:
        # The page speaks of ids; another tensor may have such an id for its name.
        is_tensor = any(tensor["id"] == target for tensor in self.tensors)

        def attach() -> str:
            session = self._source.session
            owner = session.tensor_with_id(target).tensor if is_tensor else target
            return session.attach(owner, source, kind=kind, with_kwargs=with_kwargs)

        self._act(attach, target=target)

    def _id_or_nothing(self, target: Target) -> str:
        try:
            return self._id_of(target)
        except HookvizError:
            return ""

    def _on_click(self, _: object, content: object, __: object) -> None:
        if not isinstance(content, dict):
            return
        try:
            is_known = do_click(self, content)
        except (Exception, KeyboardInterrupt, SystemExit):  # noqa: BLE001
            # It is on screen already; an exception here would vanish in the server's log, and
            # `exit()` in a hook would end the kernel.
            return
        if is_known:
            # The view learns that a kernel answers, and that what was typed is now in Python.
            self.send({"event": "hello" if content["action"] == "hello" else "applied"})
