"""Draw the parts of a scene, each in its place."""

from __future__ import annotations

from hookviz._view.layout.geometry import Layout, Rectangle
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.panel import Panel
from hookviz._view.scene.scene import Box, Connector, Frame, Scene
from hookviz._view.svg.arrow import draw_connector
from hookviz._view.svg.element import Element, element, number
from hookviz._view.svg.function import draw_function
from hookviz._view.svg.outline import draw_ground
from hookviz._view.svg.panel import draw_panel

_SHORTEST_WIDTH = 360.0


class Drawing:
    """Draw the parts of one scene.

    Args:
        scene: The boxes, frames and arrows.
        layout: Their places.
        fields: The texts at the step to show.
        lang: The language to show.
    """

    def __init__(self, scene: Scene, layout: Layout, fields: Fields, lang: str) -> None:
        self._scene = scene
        self._layout = layout
        self._fields = fields
        self._lang = lang

    def draw(self) -> tuple[Element, float]:
        """Return the whole drawing, and how wide its picture is."""
        scene = self._scene
        grounds = [self.ground(frame) for frame in scene.frames]
        heads = [self.head(frame) for frame in scene.frames]
        arrows = [self.arrow(arrow) for arrow in scene.connectors]
        cards: list[Element] = []
        functions: list[Element] = []
        for box in scene.boxes:
            is_card = isinstance(box.content, Panel) and box.content.group is None
            (cards if is_card else functions).append(self.box(box))
        drawing = element("g", *grounds, *arrows, *heads, *cards, *functions, class_="hv-drawing")
        return drawing, self.center(drawing)

    def center(self, drawing: Element) -> float:
        """Put a drawing into the middle of its picture; return the width of the picture."""
        room = _SHORTEST_WIDTH - self._layout.width
        if room > 0:
            drawing.set("transform", f"translate({number(room / 2)} 0)")
        return max(self._layout.width, _SHORTEST_WIDTH)

    def ground(self, frame: Frame) -> Element:
        """Return the ground behind the content of a frame; it belongs below the arrows."""
        return draw_ground(self._layout.frames[frame.id])

    def head(self, frame: Frame) -> Element:
        """Return the border and the head of a frame; they belong above the arrows."""
        return self.panel(frame.head, self._layout.frames[frame.id])

    def box(self, box: Box) -> Element:
        """Return a card, a closed box or a function."""
        center, content = self._layout.centers[box.id], box.content
        if isinstance(content, Panel):
            return self.panel(content, Rectangle.around(center, box.width, box.height))
        note = self._layout.notes.get(box.id)
        return draw_function(content, center, note, self._fields, self._lang)

    def panel(self, panel: Panel, place: Rectangle) -> Element:
        """Return a panel in any place."""
        return draw_panel(panel, place, self._fields, self._lang)

    def arrow(self, arrow: Connector, layout: Layout | None = None) -> Element:
        """Return an arrow, in another layout if one is given."""
        return draw_connector(
            arrow,
            layout or self._layout,
            self._fields,
            self._lang,
            is_sideways=self._scene.is_sideways,
        )
