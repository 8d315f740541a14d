/** Scroll a box and nothing around it: `scrollIntoView` would move the notebook too. */

/**
 * @param {HTMLElement} box
 * @param {HTMLElement} item Something inside, which comes into sight with some room around it.
 */
export function scrollInside(box, item) {
  const frame = box.getBoundingClientRect();
  const place = item.getBoundingClientRect();
  const margin = Math.min(48, frame.height / 4);
  const above = place.top - margin - frame.top;
  const below = place.bottom + margin - frame.bottom;
  if (above < 0) box.scrollTop += above;
  else if (below > 0) box.scrollTop += below;
}
