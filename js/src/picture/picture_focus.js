/** Keep the focus at its place when another picture comes in. */

/**
 * @typedef {object} Place
 * @property {string} key What has the focus: a card or a box.
 * @property {boolean} isToggle Whether it is the box's sign that opens and closes it.
 */

/**
 * @param {Element} stage
 * @returns {Place | null}
 */
export function focusedPlace(stage) {
  const focused = stage.querySelector(":focus");
  const toggle = focused?.closest("[data-hv-toggle]")?.getAttribute("data-hv-toggle");
  if (toggle) return { key: toggle, isToggle: true };
  const key = focused?.closest("[data-hv-key]")?.getAttribute("data-hv-key");
  return key ? { key, isToggle: false } : null;
}

/**
 * Focus what had it before; if that is not drawn any more, the innermost box around it that is,
 * else the explorer itself.
 *
 * @param {SVGSVGElement} svg
 * @param {Place} place
 * @param {import("../state/boxes.js").Boxes} boxes
 * @param {string} box The box right around it, if it is known.
 */
export function focusAgain(svg, place, boxes, box) {
  const items = [...svg.querySelectorAll("[data-hv-key][tabindex], [data-hv-toggle]")];
  /** @param {string} attribute @param {string} key */
  const item = (attribute, key) => items.find((element) => element.getAttribute(attribute) === key);
  const candidates = [
    place.isToggle ? item("data-hv-toggle", place.key) : undefined,
    ...[place.key, ...boxes.around(place.key), ...boxes.around(box)].map((key) => item("data-hv-key", key)),
    svg.closest(".hv-root"),
  ];
  const found = candidates.find(Boolean);
  /** @type {HTMLElement | undefined} */ (/** @type {unknown} */ (found))?.focus({ preventScroll: true });
}
