"""Draw a pass as SVG, as it looks at one step with some boxes open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from hookviz._records import Event, GraphRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.tree import GroupTree
from hookviz._view.layout.geometry import Layout
from hookviz._view.layout.graphviz import lay_out
from hookviz._view.lookup.titles import description_of
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.ranks import Direction
from hookviz._view.scene.scene import Scene
from hookviz._view.steps.stops import Stop, stops
from hookviz._view.svg.drawing import Drawing
from hookviz._view.svg.element import Element, element, title, to_markup, words
from hookviz._view.svg.legend import LINE_HEIGHT, draw_legend, draw_transcript
from hookviz._view.svg.style_sheet import make_standalone, style_element
from hookviz._view.text.message import Message, render

if TYPE_CHECKING:
    from hookviz._view.steps.steps import Step

LANGUAGE = "en"
"""The language of a picture for a page with a script; the page translates it."""

_MARGIN = 12.0
_WIDEST_THAT_SHRINKS = 1100.0


class Drawn:
    """A pass that is drawn at any step, with any boxes open.

    Made once for a pass: its pictures share the widths of texts, and the last layout.

    Args:
        graph: The graph.
        steps: Every step of the pass; step 0 has a value for every field.
        tree: The groups of the graph; found if not given.
        events: The events of the pass, one for each step after step 0.
    """

    def __init__(
        self,
        graph: GraphRecord,
        steps: Sequence[Step],
        tree: GroupTree | None = None,
        events: Sequence[Event] = (),
    ) -> None:
        self.graph = graph
        self.steps = steps
        self.events = events
        self.tree = tree or group_tree(graph)
        self.fields = Fields(steps, 0)
        self._last: tuple[object, Scene, Layout] | None = None

    def scene(
        self, expanded: Collection[str] | None = None, direction: Direction = "auto"
    ) -> Scene:
        """Return the scene with some boxes open; see `build_scene`."""
        return build_scene(
            self.graph, self.fields, tree=self.tree, expanded=expanded, direction=direction
        )

    def stops(self, expanded: Collection[str]) -> tuple[Stop, ...]:
        """Return the stops with some boxes open; see `stops`."""
        return stops(self.graph, self.steps, self.events, expanded, tree=self.tree)

    def picture(
        self,
        step: int,
        *,
        lang: str,
        expanded: Collection[str] | None = None,
        direction: Direction = "auto",
        standalone: bool = False,
        transcript: str | None = None,
    ) -> str:
        """Return a picture of one step, as the text of one `<svg>` element.

        Stepping needs no other picture: what changes carries `data-hv-field` or `data-hv-state`,
        and there is room for what it shows at any step and in any language.

        Args:
            step: The step to show.
            lang: The language to show.
            expanded: Ids of the boxes that are open; `None` for the start, see `start_expanded`.
            direction: The direction in which the gradient flows.
            standalone: Whether the picture brings its style sheet and legend, so that it needs no
                script, font, or other file.
            transcript: Lines to draw below a picture that stands alone.
        """
        scene, layout = self._laid_out(expanded, direction)
        # A still picture of the whole pass shows its end, and not its last event.
        is_whole_pass = standalone and step == len(self.steps) - 1
        fields = self.fields.at(step, is_at_rest=is_whole_pass)
        drawing, width = Drawing(scene, layout, fields, lang).draw()
        below: list[Element] = []
        height = layout.height + 6
        if standalone:
            # The widget has a legend of its own, which neither moves nor shrinks with the picture.
            legend, legend_height = draw_legend(
                width - 2 * _MARGIN,
                height,
                lang,
                is_forward=scene.is_forward,
                has_order=any(connector.kind == "order" for connector in scene.connectors),
            )
            below.append(legend)
            height += legend_height
        if layout.is_rescue:
            below.append(_note(_layout_words(layout), height, lang))
            height += LINE_HEIGHT
        if transcript is not None:
            lines, lines_width, lines_height = draw_transcript(transcript, height + 6, lang)
            below.append(lines)
            width = max(width, lines_width + 2 * _MARGIN)
            height += 6 + lines_height
        root = self._frame(width, height, scene, lang)
        if standalone:
            background = element("rect", class_="hv-background", width=width, height=height + 4)
            root.extend([title(root.get("aria-label", "")), style_element(), background])
        root.extend([drawing, *below])
        if standalone:
            make_standalone(root)
        return to_markup(root)

    def picture_for_page(self, expanded: Collection[str]) -> Element:
        """Return the picture of step 0 for a page with a script, which steps and translates."""
        scene, layout = self._laid_out(expanded, "auto")
        drawing, width = Drawing(scene, layout, self.fields, LANGUAGE).draw()
        note = _layout_words(layout) if layout.is_rescue else None
        return self.picture_around(drawing, width, scene, layout, note)

    def picture_around(
        self, drawing: Element, width: float, scene: Scene, layout: Layout, note: Message | None
    ) -> Element:
        """Return the picture around a drawing for such a page, with a note below it if any."""
        height = layout.height + 6
        below = [] if note is None else [_note(note, height, LANGUAGE)]
        root = self._frame(width, height + LINE_HEIGHT * len(below), scene, LANGUAGE)
        root.extend([drawing, *below])
        return root

    def _laid_out(
        self, expanded: Collection[str] | None, direction: Direction
    ) -> tuple[Scene, Layout]:
        asked = (None if expanded is None else frozenset(expanded), direction)
        if self._last is None or self._last[0] != asked:
            scene = self.scene(expanded, direction)
            self._last = asked, scene, lay_out(scene)
        return self._last[1:]

    def _frame(self, width: float, height: float, scene: Scene, lang: str) -> Element:
        width, height = float(round(width)), float(round(height + 4))
        classes = ["hv-picture"]
        if width > _WIDEST_THAT_SHRINKS:
            # Shrunk to a page, text this wide could no longer be read: it scrolls instead.
            classes.append("hv-wide")
        root = element("svg", class_=" ".join(classes))
        root.set("xmlns", "http://www.w3.org/2000/svg")
        root.set("viewBox", f"0 0 {width:.0f} {height:.0f}")
        root.set("width", f"{width:.0f}")
        root.set("height", f"{height:.0f}")
        root.set("role", "group")
        root.set("data-hv-direction", "across" if scene.is_sideways else "down")
        root.set("aria-label", render(description_of(self.graph), lang))
        return root


def picture_svg(
    graph: GraphRecord,
    steps: Sequence[Step],
    *,
    step: int,
    tree: GroupTree | None = None,
    transcript: str | None = None,
    standalone: bool | None = None,
    **options: Any,
) -> str:
    """Return one picture; see `Drawn.picture`. With a transcript it stands alone."""
    stands_alone = transcript is not None if standalone is None else standalone
    drawn = Drawn(graph, steps, tree)
    return drawn.picture(step, transcript=transcript, standalone=stands_alone, **options)


def _note(note: Message, top: float, lang: str) -> Element:
    return words("text", note, lang, class_="hv-layout-note", x=_MARGIN, y=top + 12)


def _layout_words(layout: Layout) -> Message:
    is_straight = layout.engine == "straight"
    return Message("picture.straight_layout" if is_straight else "picture.rescue_layout")
