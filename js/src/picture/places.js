/**
 * Where the parts of a picture lie, from the numbers that Python wrote. To ask the browser, when a
 * step has just changed something, would have it lay out everything at once.
 */

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box In the picture's own units. */

const SHAPES = [".hv-box", ".hv-module-box", ".hv-frame", ".hv-shape", ".hv-line", ".hv-toggle-box"]
  .map((shape) => `:scope > ${shape}`).join();
const NUMBER = /-?\d+(?:\.\d+)?/g;
const TRANSLATE = /^translate\(([^)]*)\)$/;

/**
 * @param {Element} element A card, a box, a function or an arrow.
 * @returns {Box | null} `null` if that cannot be told by the numbers alone.
 */
export function placeInPicture(element) {
  const shape = element.querySelector(SHAPES);
  return shape === null ? null : placeOfShape(shape);
}

/**
 * @param {Element} shape A rectangle, a circle or a line.
 * @returns {Box | null} `null` if that cannot be told by the numbers alone.
 */
export function placeOfShape(shape) {
  const own = outline(shape);
  if (own === null) return null;
  let [x, y] = [0, 0];
  for (let around = /** @type {Element | null} */ (shape); around !== null && around.localName !== "svg"; around = around.parentElement) {
    const moved = offset(around.getAttribute("transform"));
    if (moved === null) return null;
    x += moved[0];
    y += moved[1];
  }
  return { left: own.left + x, top: own.top + y, right: own.right + x, bottom: own.bottom + y };
}

/**
 * @param {Element} shape
 * @returns {Box | null}
 */
function outline(shape) {
  /** @param {string} name */
  const number = (name) => Number(shape.getAttribute(name) ?? 0);
  if (shape.localName === "rect") {
    return around([number("x"), number("x") + number("width")], [number("y"), number("y") + number("height")]);
  }
  if (shape.localName === "circle") {
    return around([number("cx") - number("r"), number("cx") + number("r")], [number("cy") - number("r"), number("cy") + number("r")]);
  }
  // A curve lies within its points.
  const points = (shape.getAttribute("d")?.match(NUMBER) ?? []).map(Number);
  return around(points.filter((_, index) => index % 2 === 0), points.filter((_, index) => index % 2 === 1));
}

/**
 * @param {number[]} xs
 * @param {number[]} ys
 * @returns {Box | null}
 */
function around(xs, ys) {
  const box = { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  return Object.values(box).every(Number.isFinite) ? box : null;
}

/**
 * @param {string | null} transform
 * @returns {number[] | null}
 */
function offset(transform) {
  if (!transform) return [0, 0];
  const numbers = TRANSLATE.exec(transform)?.[1].match(NUMBER)?.map(Number);
  return numbers === undefined ? null : [numbers[0] ?? 0, numbers[1] ?? 0];
}
