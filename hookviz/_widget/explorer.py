"""Show a session as a widget: traits go to the browser, actions come back. Nothing else is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hookviz._live.session.session import HookLike, Session
from hookviz._live.session.targets import HookId, Target
from hookviz._records import BackwardArguments, HookKind, HookRecord, TraceRecord
from hookviz._trace import Trace
from hookviz._view.compare.choices import choice_data, comparison_data
from hookviz._view.compare.compare import Comparison
from hookviz._view.compare.ghosts import with_ghosts
from hookviz._view.compare.same_place import matching_step
from hookviz._view.groups.find import group_tree
from hookviz._view.page.box_data import box_data
from hookviz._view.page.data import explorer_data
from hookviz._view.page.notices import info_notice, notice_for
from hookviz._view.steps.steps import build_steps
from hookviz._view.svg.picture import picture_svg
from hookviz._view.text.message import Message
from hookviz._widget.compared import Compared
from hookviz._widget.saving import SharingWidget
from hookviz.errors import HookvizError


class Explorer(SharingWidget):
    """Step through one real backward pass, and change its hooks.

    Made by `hookviz.explore`. Whatever a click can do is a method here. A method that cannot do
    what it is asked raises a `HookvizError` and shows it in the widget too; the trace stays.

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
    """

    _shown: TraceRecord | None = None

    def __init__(self, session: Session, *, lang: str | None = None) -> None:
        """Show a session.

        Args:
            session: It has run once.
            lang: `"en"` (the default) or `"zh"`.
        """
        self._session = session
        self._compared = Compared(session)
        self._notices = 0
        super().__init__(lang=lang or "en")
        with self.hold_sync():
            self._show()
        self.on_msg(self._on_action)

    # -- where the reader stands ----------------------------------------------------------------

    def run_to(self, target: Target) -> bool:
        """Go on to the next step at a tensor, module or function; return whether there was one.

        Raises:
            UnknownTargetError: If the graph has no such thing.
        """
        wanted = self._session.find_owner(target).id
        calls = {call.id for call in self._trace.graph.calls if call.module == wanted}
        return self._run_to(
            n
            for n, step in enumerate(self._steps)
            if wanted in (step.tensor, step.node) or step.call in calls
        )

    def select(self, target: Target) -> None:
        """Select a tensor or a module, as a click on it does.

        Raises:
            UnknownTargetError: If the graph has no such thing.
        """
        self.selected = self._session.find_owner(target).id

    # -- hooks ----------------------------------------------------------------------------------

    def hooks(self, target: Target) -> tuple[HookRecord, ...]:
        """Return the hooks of a tensor, module or function, those turned off too.

        Those of one kind come in the order in which they run.

        Raises:
            UnknownTargetError: If the graph has no such thing.
        """
        wanted = self._session.find_owner(target).id
        graph = self._trace.graph
        chains = {
            **{tensor.id: tensor.hooks for tensor in graph.tensors},
            **{module.id: module.hooks for module in graph.modules},
            **{node.id: node.hooks for node in graph.nodes},
        }
        return chains.get(wanted, ())

    def run(self) -> None:
        """Run backward again with the hooks as they are now. See `Session.run`."""
        self._act(self._session.run, is_change=False)

    def attach(
        self,
        target: Target,
        hook: HookLike,
        *,
        kind: HookKind | None = None,
        with_kwargs: bool | None = None,
    ) -> str:
        """Add a hook to a tensor, module or function and return its id. See `Session.attach`."""
        hook_id: str = self._act(
            lambda: self._session.attach(target, hook, kind=kind, with_kwargs=with_kwargs),
            target=target,
        )
        return hook_id

    def edit(self, hook_id: HookId, hook: HookLike) -> None:
        """Put another function in a hook's place. See `Session.edit`."""
        self._act(lambda: self._session.edit(hook_id, hook), hook=hook_id)

    def remove(self, hook_id: HookId) -> None:
        """Take a hook off its tensor. See `Session.remove`."""
        self._act(lambda: self._session.remove(hook_id), hook=hook_id)

    def enable(self, hook_id: HookId) -> None:
        """Turn a hook on. See `Session.enable`."""
        self._act(lambda: self._session.enable(hook_id), hook=hook_id)

    def disable(self, hook_id: HookId) -> None:
        """Turn a hook off; it keeps its place. See `Session.disable`."""
        self._act(lambda: self._session.disable(hook_id), hook=hook_id)

    def move(self, hook_id: HookId, position: int) -> None:
        """Move a hook to a place in its chain, from 0. See `Session.move`."""
        self._act(lambda: self._session.move(hook_id, position), hook=hook_id)

    def interrupt(self) -> None:
        """Stop a hook that does not come back, from another cell. See `Session.interrupt`."""
        self._session.interrupt()

    # -- comparing ------------------------------------------------------------------------------

    @property
    def baseline(self) -> Trace:
        """The same pass with every listed hook turned off: one more real backward, put back.

        Forward hooks stay on where the forward cannot be run again.
        """
        return Trace.from_record(self._session.without())

    def compare(self, against: str | HookRecord | None = "hooks") -> None:
        """Show beside each value what it is in another pass, and mark what differs.

        Args:
            against: `"hooks"`: without any hook. The id or record of a hook: without that one.
                `"edit"`: before the last change of hooks. `None`: end the comparison.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If nothing was changed yet, no hook is on, the change made another graph,
                or the hook belongs to a forward that cannot be run again.
        """
        self._act(lambda: self._compared.choose(against))

    def _given_arguments(self) -> BackwardArguments:
        return self._session.arguments

    def _compared_with_each(self) -> tuple[dict[str, Comparison], tuple[Message, ...]]:
        return self._compared.with_each([choice["id"] for choice in self.comparisons])

    def dismiss(self) -> None:
        """Put the message away."""
        self.notice = None

    def close(self) -> None:
        """Put the user's hooks back as they were found, and take the widget off the page."""
        session = getattr(self, "_session", None)
        if session is not None:
            session.close()
        super().close()
        # ipywidgets hides a closed widget's display method; what this one has shown stays true.
        self.__dict__.pop("_repr_mimebundle_", None)

    # -- inside ---------------------------------------------------------------------------------

    def _act(
        self, action: Any, *, target: Target = "", hook: HookId = "", is_change: bool = True
    ) -> Any:
        self.busy = True
        before, step = self._session.trace, self.step
        try:
            result = action()
            self._compared.see(before, self._session.trace, is_change=is_change)
        except BaseException as error:
            self._notices += 1
            notice = notice_for(
                error,
                serial=self._notices,
                target=self._id_of(target),
                hook=hook.id if isinstance(hook, HookRecord) else str(hook),
            )
            self._give({"notice": notice})
            self.busy = False
            raise
        with self.hold_sync():
            self._give({"notice": self._news()})
            self._show()
            self.step = matching_step(before.events, self._trace.events, step)
            self.busy = False
        return result

    def _news(self) -> dict[str, Any] | None:
        """Return what the reader has to know of the last change, if anything."""
        if self._session.notice is None:
            return None
        self._notices += 1
        return info_notice(*self._session.notice, serial=self._notices)

    def _attach_to(self, content: dict[str, Any]) -> None:
        wanted, kind = str(content.get("target", "")), content.get("kind") or None
        # The page speaks of ids; another tensor may have such an id for its name.
        is_tensor = any(tensor["id"] == wanted for tensor in self.tensors)
        self._act(
            lambda: self._session.attach(
                self._session.tensor_with_id(wanted).tensor if is_tensor else wanted,
                str(content.get("source", "")),
                kind=kind,
                with_kwargs=content.get("with_kwargs"),
            ),
            target=wanted,
        )

    def _id_of(self, target: Target) -> str:
        try:
            return self._session.find_owner(target).id
        except HookvizError:
            return ""

    def _show(self) -> None:
        if self._shown is not self._session.trace:
            self._shown = self._session.trace
            self._trace = Trace.from_record(self._shown)
        graph, before = self._trace.graph, self.boxes
        self._tree = group_tree(graph)
        self._steps = build_steps(graph, self._trace.events, tree=self._tree)
        comparison = self._compared.comparison
        if comparison is not None:
            self._steps = with_ghosts(self._steps, comparison)
        # What the reader has opened stays open while the boxes are the same ones.
        expanded = self.expanded if before and before == box_data(self._tree) else None
        # The steps come first: the validators of `step` and `selected` measure by what is there.
        self.score = {**self.score, "steps": []}
        data = explorer_data(
            self._trace,
            self._steps,
            expanded=expanded,
            tree=self._tree,
            direction=self.direction,
            kinds=self._session.module_kinds,
            is_fixed=self._session.is_fixed,
        )
        data["comparisons"] = choice_data(
            graph,
            has_edit=self._compared.has_edit,
            can_leave_out=self._session.can_leave_out,
        )
        data["hooks_code"] = self.as_code()
        data["comparison"] = comparison_data(self._compared.against, comparison)
        self._give(data)
        if not self._is_there(self.selected):
            self.selected = ""

    def _on_action(self, _: object, content: object, __: object) -> None:
        if not isinstance(content, dict):
            return
        hook, source = str(content.get("hook", "")), str(content.get("source", ""))
        actions: dict[str, Callable[[], object]] = {
            "attach": lambda: self._attach_to(content),
            "edit": lambda: self.edit(hook, source),
            "remove": lambda: self.remove(hook),
            "enable": lambda: self.enable(hook),
            "disable": lambda: self.disable(hook),
            "move": lambda: self.move(hook, int(content.get("position", 0))),
            "expand": lambda: self.expand(str(content.get("box", ""))),
            "collapse": lambda: self.collapse(str(content.get("box", ""))),
            "expand_all": self.expand_all,
            "collapse_all": self.collapse_all,
            "run": self.run,
            "compare": lambda: self.compare(str(content.get("against", "")) or None),
            "dismiss": self.dismiss,
            "hello": lambda: None,
        }
        name = str(content.get("action", ""))
        action = actions.get(name)
        if action is None:
            return
        try:
            action()
            # The view learns that a kernel answers, and that what was typed is now in Python.
            self.send({"event": "hello" if name == "hello" else "applied"})
        except (Exception, KeyboardInterrupt, SystemExit):  # noqa: BLE001
            # It is on screen already; an exception here would vanish in the server's log, and
            # `exit()` in a hook would end the kernel.
            return

    def __repr__(self) -> str:
        return f"Explorer({self.title}, step {self.step} of {len(self._steps) - 1})"

    def _ipython_display_(self, **_: Any) -> None:
        # Two outputs: pages that prefer the widget and cannot load it (an exported page without a
        # network) still have the picture; where the widget lives, its style sheet hides it.
        from IPython.display import display

        data, metadata = self._repr_mimebundle_()
        still = {"image/svg+xml": data.pop("image/svg+xml"), "text/plain": data["text/plain"]}
        if data.keys() - {"text/plain"}:
            data["text/plain"] = repr(self)
            display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        display(still, raw=True)  # type: ignore[no-untyped-call]

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        # A closed widget has no model to show; what it has shown stays true.
        is_open = self.comm is not None and not self._session.is_closed
        data, metadata = (super()._repr_mimebundle_(**kwargs) if is_open else None) or ({}, {})
        # For pages that cannot run the widget (a repository's page, a PDF), in the same output.
        text = self.transcript[self.lang]
        data["text/plain"] = text
        data["image/svg+xml"] = picture_svg(
            self._trace.graph,
            self._steps,
            step=len(self._steps) - 1,
            lang=self.lang,
            transcript=text,
        )
        return data, metadata
