"""Draw arrows, with what was sent along them."""

from __future__ import annotations

import math

from hookviz._view.layout.geometry import Route
from hookviz._view.layout.labels import LabelPlaces
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.scene import (
    CONTRIBUTION_SIZE,
    LONGEST_CONTRIBUTION_EM,
    Connector,
)
from hookviz._view.svg.element import Element, element, number, words
from hookviz._view.text.message import Message, is_words, render
from hookviz._view.text.width import width_in_em

_ALONG = (0.5, 0.42, 0.6, 0.34, 0.7, 0.26, 0.8, 0.18)
_ALONG_SLOT = (0.8, 0.7, 0.9, 0.6)
_SLOT_SIZE = 10.5
_HALF_ARROW = 4.2


def draw_connector(
    connector: Connector, route: Route, places: LabelPlaces, fields: Fields, lang: str
) -> Element:
    """Return the group of one arrow.

    Args:
        connector: The arrow to draw.
        route: The way of the arrow.
        places: The places of labels so far; the labels of this arrow are added.
        fields: The texts at the step to show.
        lang: The language to show.
    """
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
        width = width_in_em(render(slot, lang)) * _SLOT_SIZE
        place = places.place_along(route, width, parts=_ALONG_SLOT)
        group.append(
            words(
                "text",
                slot,
                lang,
                class_="hv-slot",
                x=place.x,
                y=place.y + 3.5,
                text_anchor=place.anchor,
            )
        )
    # An edge along which no step sends anything needs no place for a label.
    if connector.kind == "edge" and fields.room_of_all(connector.keys, "contribution"):
        group.append(_contribution(connector, route, places, fields, lang))
    return group


def _contribution(
    connector: Connector, route: Route, places: LabelPlaces, fields: Fields, lang: str
) -> Element:
    needed = fields.room_of_all(connector.keys, "contribution")
    room = min(needed, LONGEST_CONTRIBUTION_EM)
    place = places.place_along(route, max(room, 1.0) * CONTRIBUTION_SIZE, parts=_ALONG)
    now = fields.now_of_all(connector.keys, "contribution")
    text = words(
        "text",
        now,
        lang,
        limit=LONGEST_CONTRIBUTION_EM,
        x=place.x,
        y=place.y + 4,
        text_anchor=place.anchor,
    )
    text.attrib.pop("data-hv-message", None)
    if is_words(now):
        text.set("data-hv-said", "true")
    text.set("data-hv-field", "contribution")
    if needed > LONGEST_CONTRIBUTION_EM:
        text.set("data-hv-cut", f"{LONGEST_CONTRIBUTION_EM:.1f}")
    return element("g", text, class_="hv-contribution")


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
