/** Leave out of a large picture what is out of sight: the browser would paint it at every step. */

import { placeInPicture } from "./places.js";

/** A picture of fewer parts is painted in no time. */
const MANY = 150;
/** How much more than what is in sight is drawn, on each side. */
const MORE = 0.4;

/**
 * @param {SVGSVGElement} svg
 * @returns {(transform: {x: number, y: number, k: number}, room: {width: number, height: number}) => boolean}
 *   Looks at a part of the picture: what is near it is drawn, the rest is not. Tells whether it was
 *   drawn before, so that the picture can glide there.
 */
export function createSight(svg) {
  const parts = [...(svg.querySelector(".hv-drawing")?.children ?? [])];
  if (parts.length < MANY) return () => true;
  const placed = parts.map((part) => ({ part, place: placeInPicture(part), isAway: false }));
  /** What of the picture is drawn for sure. */
  let drawn = { left: 0, top: 0, right: 0, bottom: 0 };
  let scale = 0;

  return ({ x, y, k }, { width, height }) => {
    const [wide, high] = [width / k, height / k];
    const seen = { left: -x / k, top: -y / k, right: -x / k + wide, bottom: -y / k + high };
    if (k === scale && isInside(seen, drawn)) return true;
    scale = k;
    const [left, top] = [MORE * wide, MORE * high];
    drawn = { left: seen.left - left, top: seen.top - top, right: seen.right + left, bottom: seen.bottom + top };
    for (const item of placed) {
      const isAway = item.place !== null && !touches(item.place, drawn);
      if (isAway !== item.isAway) item.part.classList.toggle("hv-away", isAway);
      item.isAway = isAway;
    }
    return false;
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
