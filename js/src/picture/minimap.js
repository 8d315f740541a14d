/** Show a picture that is larger than its box as a whole, with the part that is in sight marked. */

import { make, makeSvg } from "../dom/dom.js";
import { placeOfShape } from "./places.js";

const LONGEST = 150;
/** What is drawn of each element: only its outline. */
const SHAPES = ".hv-card > .hv-box, .hv-function > .hv-shape, .hv-module > .hv-module-box, .hv-module > .hv-frame";
/** Where at least this part of the picture is in sight, the rest is found without a map, which would hide some of it. */
const ENOUGH = 0.4;
/** More outlines than this are a grey mass. */
const MOST_SHAPES = 1500;

/**
 * @typedef {object} Sight What of the picture is in the box, in the picture's own units.
 * @property {number} left
 * @property {number} top
 * @property {number} width
 * @property {number} height
 * @property {{width: number, height: number}} size Of the whole picture.
 */

/**
 * @param {hv.Context} context
 * @param {(x: number, y: number) => void} lookAt Brings a point of the picture to the middle.
 */
export function createMinimap({ document, signal, words }, lookAt) {
  // One line around all of them: 1,000 elements would be taken up again at every step.
  const frames = makeSvg(document, "path", { class: "hv-minimap-frame" });
  const shapes = makeSvg(document, "path", { class: "hv-minimap-shape" });
  const sight = makeSvg(document, "rect", { class: "hv-minimap-sight" });
  const svg = makeSvg(document, "svg", {}, [frames, shapes, sight]);
  const element = make(document, "div", "hv-minimap", { "aria-hidden": "true", hidden: "" }, [svg]);
  let isDragged = false;

  svg.addEventListener("pointerdown", (event) => {
    isDragged = true;
    svg.setPointerCapture?.(event.pointerId);
    follow(event);
  }, { signal });
  svg.addEventListener("pointermove", (event) => {
    if (isDragged) follow(event);
  }, { signal });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, () => {
      isDragged = false;
    }, { signal });
  }

  /** @param {Event} event */
  function follow(event) {
    const { clientX, clientY } = /** @type {PointerEvent} */ (event);
    const place = svg.getBoundingClientRect();
    const [, , width, height] = (svg.getAttribute("viewBox") ?? "0 0 1 1").split(" ").map(Number);
    if (place.width === 0) return;
    lookAt(((clientX - place.left) / place.width) * width, ((clientY - place.top) / place.height) * height);
    event.preventDefault();
  }

  return { element, show, move };

  /**
   * @param {SVGSVGElement} picture
   * @param {{width: number, height: number}} size
   */
  function show(picture, { width, height }) {
    const scale = LONGEST / Math.max(width, height);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", String(Math.round(width * scale)));
    svg.setAttribute("height", String(Math.round(height * scale)));
    const found = [...picture.querySelectorAll(SHAPES)].slice(0, MOST_SHAPES);
    const isFrame = (/** @type {Element} */ shape) => shape.classList.contains("hv-frame");
    frames.setAttribute("d", outlines(found.filter(isFrame)));
    shapes.setAttribute("d", outlines(found.filter((shape) => !isFrame(shape))));
    element.title = words.say("ui.minimap");
  }

  /** @param {Sight} now */
  function move({ left, top, width, height, size }) {
    const across = Math.min(left + width, size.width) - Math.max(left, 0);
    const down = Math.min(top + height, size.height) - Math.max(top, 0);
    element.hidden = across > 0 && down > 0 && across * down >= ENOUGH * size.width * size.height;
    for (const [name, value] of Object.entries({ x: left, y: top, width, height })) {
      sight.setAttribute(name, String(Math.round(value)));
    }
  }
}

/** @param {Element[]} parts */
function outlines(parts) {
  return parts.map(outline).join("");
}

/** @param {Element} shape A rectangle or a circle, which is one with round corners. */
function outline(shape) {
  const place = placeOfShape(shape);
  if (place === null) return "";
  const { left, top, right, bottom } = place;
  const [width, height] = [right - left, bottom - top];
  const round = Math.min(Number(shape.getAttribute("rx") ?? shape.getAttribute("r") ?? 0), width / 2, height / 2);
  const [across, down] = [width - 2 * round, height - 2 * round];
  /** @param {number} x @param {number} y */
  const corner = (x, y) => `a${round} ${round} 0 0 1 ${x} ${y}`;
  return `M${left + round} ${top}h${across}${corner(round, round)}v${down}${corner(-round, round)}`
    + `h${-across}${corner(-round, -round)}v${-down}${corner(round, -round)}z`;
}
