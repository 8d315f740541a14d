/**
 * Keep arrows up to date that stand for several edges between the same two boxes: such an arrow has
 * the state of all of them, and tells what was sent along any.
 */

import { isWords } from "../state/said.js";

/** As in `hookviz/_view/scene/fields.py`: of what several edges show as one, the first that any has. */
const STATES = ["error", "current", "done", "pending", "unreached"];

/**
 * @typedef {object} Merged
 * @property {Element} group
 * @property {string[]} keys
 * @property {Element | null} place Where it says what was sent, if it ever does.
 */

/**
 * @param {SVGSVGElement} svg
 * @returns {Map<string, Merged[]>} By the key of an edge.
 */
export function findMerged(svg) {
  /** @type {Map<string, Merged[]>} */
  const found = new Map();
  for (const group of svg.querySelectorAll("[data-hv-keys]")) {
    const keys = (group.getAttribute("data-hv-keys") ?? "").split(" ");
    const merged = { group, keys, place: group.querySelector('[data-hv-field="contribution"]') };
    for (const key of keys) found.set(key, [...(found.get(key) ?? []), merged]);
  }
  return found;
}

/**
 * @param {Merged} merged
 * @param {import("../state/frames.js").Frames} frames
 * @param {number} step
 * @param {(place: Element, text: hv.Text) => void} write
 */
export function updateMerged({ group, keys, place }, frames, step, write) {
  const states = keys.map((key) => String(frames.value(key, "state", step) || "pending"));
  group.setAttribute("data-hv-state", STATES.find((state) => states.includes(state)) ?? "pending");
  if (place === null) return;
  /** @type {Map<string, hv.Text>} What is said twice is said once. */
  const texts = new Map();
  for (const key of keys) {
    const text = frames.value(key, "contribution", step);
    if (text !== "") texts.set(JSON.stringify(text), text);
  }
  const [first = "", ...more] = texts.values();
  const said = more.length === 0 ? first : { key: "value.several", args: { values: [first, ...more] } };
  write(place, said);
  place.classList.toggle("hv-said", isWords(said));
}
