/** Leave out of a large picture what is out of sight: the browser would paint it at every step. */

import { placeInPicture } from "./places.js";

/** A picture of fewer parts is painted in no time. */
const MANY = 150;
/** How much more than what is in sight is drawn, on each side. */
const MORE = 0.5;
/** Where less than this is left of it, more is drawn in the pause after the step. */
const LEAST = 0.35;

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
  let seen = drawn;
  let scale = 0;
  let isWaiting = false;

  return ({ x, y, k }, { width, height }) => {
    seen = { left: -x / k, top: -y / k, right: (width - x) / k, bottom: (height - y) / k };
    if (k === scale && isInside(seen, drawn)) {
      if (!isInside(around(seen, LEAST), drawn)) drawSoon();
      return true;
    }
    scale = k;
    draw();
    return false;
  };

  /** What comes into sight next is made while the browser has nothing else to do, not within a step. */
  function drawSoon() {
    if (isWaiting) return;
    isWaiting = true;
    const page = svg.ownerDocument.defaultView;
    const more = () => {
      isWaiting = false;
      draw();
    };
    // Safari has no idle callback.
    if (page?.requestIdleCallback) page.requestIdleCallback(more);
    else page?.setTimeout(more);
  }

  function draw() {
    drawn = around(seen, MORE);
    for (const item of placed) {
      const isAway = item.place !== null && !touches(item.place, drawn);
      if (isAway !== item.isAway) item.part.classList.toggle("hv-away", isAway);
      item.isAway = isAway;
    }
  }
}

/** @typedef {import("./places.js").Box} Box */

/**
 * @param {Box} box
 * @param {number} more How much more, as a part of its size.
 * @returns {Box}
 */
function around({ left, top, right, bottom }, more) {
  const [wide, high] = [more * (right - left), more * (bottom - top)];
  return { left: left - wide, top: top - high, right: right + wide, bottom: bottom + high };
}

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
