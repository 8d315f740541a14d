"""Draw arrows, with the gradients that were sent along them."""

from __future__ import annotations

import math

from hookviz._view.layout.geometry import Layout, Route
from hookviz._view.layout.labels import beside
from hookviz._view.scene.fields import Fields, room_for
from hookviz._view.scene.scene import LONGEST_CONTRIBUTION_EM, Connector
from hookviz._view.svg.element import Element, element, number, words
from hookviz._view.text.message import Message, is_words

_HALF_ARROW = 4.2
_SLOT_SIZE = 10.5
_SLOT_AT = 0.8


def draw_connector(
    connector: Connector, layout: Layout, fields: Fields, lang: str, *, is_sideways: bool
) -> Element:
    """Return the group of one arrow.

    Args:
        connector: The arrow.
        layout: The places of the arrow and of its texts.
        fields: The texts at the step to show.
        lang: The language to show.
        is_sideways: Whether the drawing flows across the page.
    """
    route = layout.routes[connector.id]
    group = element(
        "g",
        element("path", class_="hv-line", d=_curve(route)),
        element("path", class_="hv-arrow", d=_arrowhead(route)),
    )
    group.set("class", f"hv-{connector.kind}")
    if connector.kind != "edge":
        # It has no state of its own: it goes with its tensor, value, or call.
        group.set("data-hv-feed", connector.keys[0])
    elif len(connector.keys) == 1:
        group.set("data-hv-key", connector.keys[0])
    else:
        group.set("data-hv-keys", " ".join(connector.keys))
    group.set("data-hv-state", fields.state_of_all(connector.keys))
    if connector.kind in ("feed", "flow") and fields.now(connector.keys[0], "rewritten"):
        group.set("data-hv-rewritten", "true")
    if connector.slot is not None:
        slot = Message("picture.output_slot", {"slot": str(connector.slot)})
        width = room_for(slot) * _SLOT_SIZE
        x, y = beside(route, width, part=_SLOT_AT, is_other_side=True)
        text = words(
            "text",
            slot,
            lang,
            class_="hv-slot",
            x=x,
            y=y + 3.5,
            text_anchor="middle",
        )
        group.append(text)
    if connector.label_width:
        x, y = layout.labels[connector.id]
        # The shown text may be shorter than its room, so it begins next to an upright arrow.
        text = _contribution(connector, fields, lang)
        text.set("x", number(x if is_sideways else x - connector.label_width / 2))
        text.set("y", number(y + 4))
        text.set("text-anchor", "middle" if is_sideways else "start")
        group.append(element("g", text, class_="hv-contribution"))
    return group


def _contribution(connector: Connector, fields: Fields, lang: str) -> Element:
    now = fields.now_of_all(connector.keys, "contribution")
    text = words("text", now, lang, limit=LONGEST_CONTRIBUTION_EM, data_hv_field="contribution")
    text.attrib.pop("data-hv-message", None)
    if is_words(now):
        text.set("data-hv-said", "true")
    if fields.room_of_all(connector.keys, "contribution") > LONGEST_CONTRIBUTION_EM:
        text.set("data-hv-cut", f"{LONGEST_CONTRIBUTION_EM:.1f}")
    return text


def _curve(route: Route) -> str:
    start, *rest = (f"{number(x)} {number(y)}" for x, y in route.points)
    return f"M{start}C{' '.join(rest)}"


def _arrowhead(route: Route) -> str:
    (x, y), (tip_x, tip_y) = route.points[-1], route.tip
    length = math.dist(route.points[-1], route.tip) or 1.0
    across_x = -(tip_y - y) / length * _HALF_ARROW
    across_y = (tip_x - x) / length * _HALF_ARROW
    corners = ((x + across_x, y + across_y), route.tip, (x - across_x, y - across_y))
    return "M" + "L".join(f"{number(a)} {number(b)}" for a, b in corners) + "Z"
