/** Leave out of a large picture what is out of sight: the browser would paint it at every step. */

import { placeInPicture } from "./places.js";

/** A picture of fewer parts is painted in no time. */
const MANY = 150;

/**
 * @param {SVGSVGElement} svg
 * @returns {(transform: {x: number, y: number, k: number}, room: {width: number, height: number}) => void}
 *   Looks at a part of the picture: what is near it is drawn, the rest is not.
 */
export function createSight(svg) {
  const parts = [...(svg.querySelector(".hv-drawing")?.children ?? [])];
  if (parts.length < MANY) return () => {};
  const placed = parts.map((part) => ({ part, place: placeInPicture(part), isAway: false }));
  /** What of the picture is drawn for sure. */
  let drawn = { left: 0, top: 0, right: 0, bottom: 0 };

  return ({ x, y, k }, { width, height }) => {
    const [wide, high] = [width / k, height / k];
    const seen = { left: -x / k, top: -y / k, right: -x / k + wide, bottom: -y / k + high };
    if (isInside(seen, drawn) && drawn.right - drawn.left < 4 * wide) return;
    // Some more on each side, so that not every small move has to look again.
    drawn = { left: seen.left - wide, top: seen.top - high, right: seen.right + wide, bottom: seen.bottom + high };
    for (const item of placed) {
      const isAway = item.place !== null && !touches(item.place, drawn);
      if (isAway !== item.isAway) item.part.classList.toggle("hv-away", isAway);
      item.isAway = isAway;
    }
  };
}

/** @typedef {import("./places.js").Box} Box */

/**
 * @param {Box} inner
 * @param {Box} outer
 */
function isInside(inner, outer) {
  return inner.left >= outer.left && inner.right <= outer.right
    && inner.top >= outer.top && inner.bottom <= outer.bottom;
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function touches(one, other) {
  return one.left <= other.right && one.right >= other.left && one.top <= other.bottom && one.bottom >= other.top;
}
