"""Draw a value that went into a call or came out of it."""

from __future__ import annotations

from hookviz._view.layout.geometry import Point
from hookviz._view.scene import card as sizes
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.value_card import ValueCard
from hookviz._view.svg.element import Element, element, tooltip
from hookviz._view.svg.row import RowWriter

_CORNER = 22.0


def draw_value(card: ValueCard, center: Point, fields: Fields, lang: str) -> Element:
    """Return the group of one value: its name, what it was first, and what hooks made of it."""
    rows = RowWriter(card.key, card.width - sizes.PADDING / 2, fields, lang)
    middle = card.width / 2
    incoming = rows.field("tspan", "incoming", sizes.PADDING, sizes.TEXT_SIZE)
    arrow = element("tspan", text="→", class_="hv-arrow-text", aria_hidden="true", dx="5")
    rewritten = rows.field("tspan", "rewritten", sizes.PADDING, sizes.TEXT_SIZE)
    rewritten.set("dx", "5")
    number = element(
        "text",
        incoming,
        arrow,
        rewritten,
        class_="hv-number",
        x=middle,
        y=34,
        text_anchor="middle",
    )
    group = element(
        "g",
        tooltip([card.path], lang),
        element("rect", class_="hv-box", width=card.width, height=card.height, rx=_CORNER),
        element(
            "text", text=card.shown, class_="hv-label hv-code", x=middle, y=17, text_anchor="middle"
        ),
        number,
        class_="hv-value",
        transform=f"translate({center[0] - card.width / 2:.1f} {center[1] - card.height / 2:.1f})",
        data_hv_key=card.key,
        data_hv_state=fields.state(card.key),
    )
    if fields.now(card.key, "rewritten"):
        group.set("data-hv-rewritten", "true")
    return group
