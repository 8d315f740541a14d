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
  for (const group of svg.querySelectorAll("[data-hv-key]")) {
    const { groups, fields } = partsOf(drawn, group.getAttribute("data-hv-key"));
    groups.push(group);
    for (const place of group.querySelectorAll("[data-hv-field], [data-hv-hook]")) {
      // A frame may hold other groups, whose fields are their own.
      if (place.closest("[data-hv-key]") !== group) continue;
      const hook = place.getAttribute("data-hv-hook");
      const names = [place.getAttribute("data-hv-field"), hook === null ? null : `hook-state:${hook}`];
      for (const name of names) {
        if (name !== null) fields.set(name, [...(fields.get(name) ?? []), place]);
      }
    }
  }
  // The stretch between a card and its function takes the state of the card.
  for (const feed of svg.querySelectorAll("[data-hv-feed]")) {
    partsOf(drawn, feed.getAttribute("data-hv-feed")).groups.push(feed);
  }
  return drawn;
}

/**
 * @param {Map<string, Drawn>} drawn
 * @param {string | null} key
 * @returns {Drawn}
 */
function partsOf(drawn, key) {
  const parts = drawn.get(key ?? "") ?? { groups: [], fields: new Map() };
  drawn.set(key ?? "", parts);
  return parts;
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
