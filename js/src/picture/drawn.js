/** Find the elements of a picture once; looking them up at each step would be slow. */

/**
 * @typedef {object} Drawn The elements of one tensor, node, edge or box; a leaf may be drawn many times.
 * @property {Element[]} groups
 * @property {Map<string, Element[]>} fields
 */

/**
 * @param {SVGSVGElement} svg
 * @returns {Map<string, Drawn>} By key.
 */
export function findDrawn(svg) {
  /** @type {Map<string, Drawn>} */
  const drawn = new Map();
  /**
   * @param {string | null} key
   * @returns {Drawn}
   */
  const of = (key) => {
    const parts = drawn.get(key ?? "") ?? { groups: [], fields: new Map() };
    drawn.set(key ?? "", parts);
    return parts;
  };
  /**
   * @param {Element} group
   * @param {Element} place
   * @param {string} field
   */
  const add = (group, place, field) => {
    // A frame may hold other groups, whose fields are their own.
    if (place.closest("[data-hv-key]") !== group) return;
    const { fields } = of(group.getAttribute("data-hv-key"));
    fields.set(field, [...(fields.get(field) ?? []), place]);
  };

  for (const group of svg.querySelectorAll("[data-hv-key]")) {
    of(group.getAttribute("data-hv-key")).groups.push(group);
    for (const place of group.querySelectorAll("[data-hv-field]")) {
      add(group, place, place.getAttribute("data-hv-field") ?? "");
    }
    for (const row of group.querySelectorAll("[data-hv-hook]")) {
      add(group, row, `hook-state:${row.getAttribute("data-hv-hook")}`);
    }
  }
  // The stretch between a card and its function takes the state of the card.
  for (const feed of svg.querySelectorAll("[data-hv-feed]")) {
    of(feed.getAttribute("data-hv-feed")).groups.push(feed);
  }
  return drawn;
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {boolean} isSet
 */
export function setFlag(element, name, isSet) {
  if (isSet) element.setAttribute(name, "true");
  else element.removeAttribute(name);
}
