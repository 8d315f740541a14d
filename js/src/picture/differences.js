/** Mark in the picture what is different in another pass. */

/**
 * Say of every drawn element whether the other pass has another value there.
 *
 * @param {Element} picture
 * @param {hv.Comparison | null} comparison
 */
export function markDifferences(picture, comparison) {
  const changed = new Set(comparison?.changed ?? []);
  const same = new Set(comparison?.same ?? []);
  for (const group of picture.querySelectorAll("[data-hv-key], [data-hv-keys], [data-hv-feed]")) {
    const keys = keysOf(group);
    const isKnown = keys.some((key) => changed.has(key) || same.has(key));
    if (!isKnown) group.removeAttribute("data-hv-compared");
    else group.setAttribute("data-hv-compared", keys.some((key) => changed.has(key)) ? "changed" : "same");
  }
}

/** @param {Element} group */
function keysOf(group) {
  const several = group.getAttribute("data-hv-keys");
  if (several !== null) return several.split(" ");
  return [group.getAttribute("data-hv-key") ?? group.getAttribute("data-hv-feed") ?? ""];
}
