/**
 * Decide which part of the picture is shown: from sizes, targets and insets to a transform. Nothing
 * here knows the page; `panzoom.js` does what is decided here.
 */

/**
 * @typedef {{width: number, height: number}} Size
 * @typedef {{x: number, y: number, k: number}} Transform
 * @typedef {{left: number, top: number, right: number, bottom: number}} Place In pixels of the box, or units of the picture.
 *
 * @typedef {object} Scales
 * @property {number} widest At which the picture is as wide as the box, at most its own size.
 * @property {number} readable At which its text can be read.
 * @property {number} comfortable Down to this scale the whole picture is better than a larger part of it.
 * @property {number} height What the box needs, within reason.
 * @property {boolean} isTooHigh Whether the picture does not fit into that.
 */

/** Room around the picture, and around what is brought into sight. */
export const MARGIN = 12;
const TALLEST = 560;
const LOWEST = 160;
/** Below this scale text cannot be read: then a part of the picture is shown instead. */
const READABLE = 0.55;
const COMFORTABLE = 0.66;
/** An explorer of less than this width shows a part of the picture, in a size that can be read. */
const NARROW = 700;
const READABLE_IF_NARROW = 0.8;
/** At most so small is the picture drawn by hand. */
const SMALLEST = 0.1;
const LARGEST = 4;

/**
 * @param {Size} size Of the picture.
 * @param {number} width Of the box.
 * @param {{isEntire: boolean, around: number}} wanted Whether all of it, however small; the width of the explorer.
 * @returns {Scales}
 */
export function scalesFor(size, width, { isEntire, around }) {
  const isNarrow = around < NARROW;
  const widest = Math.min(1, (width - 2 * MARGIN) / size.width);
  const readable = isEntire ? widest : Math.max(widest, isNarrow ? READABLE_IF_NARROW : READABLE);
  const needed = size.height * readable + 2 * MARGIN;
  return {
    widest,
    readable,
    comfortable: isNarrow ? READABLE_IF_NARROW : COMFORTABLE,
    height: Math.round(Math.min(TALLEST, Math.max(LOWEST, needed))),
    isTooHigh: needed > TALLEST,
  };
}

/**
 * Fit the picture into the box: as a whole where that can be read, else a part from its upper left.
 *
 * @param {Size} size
 * @param {Size} room Of the box.
 * @param {Scales} scales
 * @param {boolean} isEntire
 * @returns {{transform: Transform, extent: [number, number]}} Also how far it may be scaled by hand.
 */
export function fitted(size, room, { widest, readable, comfortable }, isEntire) {
  const whole = Math.min(widest, (room.height - 2 * MARGIN) / size.height);
  const k = isEntire || whole >= comfortable ? whole : readable;
  return {
    transform: {
      x: Math.max(MARGIN, (room.width - size.width * k) / 2),
      y: Math.max(MARGIN, (room.height - size.height * k) / 2),
      k,
    },
    extent: [Math.min(SMALLEST, whole), LARGEST],
  };
}

/**
 * @param {Place} place In the picture's own units.
 * @param {Transform} transform
 * @returns {Place} In the box.
 */
export function inBox({ left, top, right, bottom }, { x, y, k }) {
  return { left: x + left * k, top: y + top * k, right: x + right * k, bottom: y + bottom * k };
}

/**
 * How far to move the picture so that something lies in the box; not at all if it does.
 *
 * @param {Place} place In the box, or out of it.
 * @param {Size} room
 * @returns {[x: number, y: number]} In pixels.
 */
export function revealing({ left, top, right, bottom }, { width, height }) {
  return [shift(left, right, width), shift(top, bottom, height)];
}

/**
 * @param {Size} size
 * @param {Size} room
 * @param {Transform} transform
 * @returns {boolean} Whether the whole picture has its place in the box.
 */
export function isWhole(size, room, { k }) {
  return size.width * k <= room.width && size.height * k <= room.height;
}

/**
 * @param {Size} room
 * @param {Transform} transform
 * @returns {{left: number, top: number, width: number, height: number}} What is in sight, in the picture's units.
 */
export function sightOf({ width, height }, { x, y, k }) {
  return { left: -x / k, top: -y / k, width: width / k, height: height / k };
}

/**
 * @param {number} low
 * @param {number} high
 * @param {number} room
 */
function shift(low, high, room) {
  const fits = high - low + 2 * MARGIN <= room;
  if (low < 1) return (fits ? MARGIN : 0) - low;
  if (high > room - 1) return fits ? room - MARGIN - high : -low;
  return 0;
}
