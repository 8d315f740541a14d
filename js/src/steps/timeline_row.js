/** Draw one row of the timeline: its number, its line, and a way into the box it steps over. */

import { icon, make, nameButton, setSegments } from "../dom/dom.js";
import { needsKernel } from "../dom/needs_kernel.js";
import { isRewritingStep } from "../state/rewriting.js";

/**
 * @typedef {object} TimelineRow
 * @property {HTMLElement} element
 * @property {HTMLButtonElement} button Goes to the stop.
 * @property {HTMLButtonElement | null} into Opens the box.
 * @property {() => void} stepInto
 * @property {(isCurrent: boolean) => void} mark
 * @property {(view: import("../types.js").View) => void} enable
 */

/**
 * @param {import("../types.js").Context} context
 * @param {import("../types.js").View} view
 * @param {number} place Of the stop.
 * @returns {TimelineRow}
 */
export function createTimelineRow({ document, words, actions }, view, place) {
  const { step: last, line, box = "", count = 1 } = view.stops.at(place) ?? { step: 0 };
  const step = view.steps[last];
  const inside = view.stops.stepsOf(place);
  const isFolded = view.stops.isFolded(place);

  const text = make(document, "span", "hv-row-text", { dir: "auto" });
  setSegments(text, words.segments(line || step.line));
  const number = make(document, "span", "hv-row-number", {}, [String(place)]);
  // Only the current row is a Tab stop: 3,000 of them would wall off what comes after.
  const button = make(document, "button", "hv-row", {
    type: "button", tabindex: "-1", "data-hv-kind": line ? "box" : step.kind, "data-hv-ahead": "true",
  }, [number, text]);
  button.toggleAttribute("data-hv-rewrote", !line && isRewritingStep(step));
  button.toggleAttribute("data-hv-rewrote-inside", isFolded && inside.some(isRewritingStep));
  const element = make(document, "li", "hv-row-item", {}, [button]);

  /** @type {HTMLButtonElement | null} */
  let into = null;
  if (isFolded) {
    into = make(document, "button", "hv-button hv-quiet hv-row-into", { type: "button", tabindex: "-1" }, [
      // Drawn by the style sheet: as text it would have to be in the button's name.
      make(document, "span", "hv-row-count", { "data-hv-count": String(count) }), icon(document, "into"),
    ]);
    element.append(into);
  }
  const name = words.say("ui.step_into", { module: words.format(view.boxes.label(box)) });

  return {
    element,
    button,
    into,
    stepInto() {
      if (into?.getAttribute("aria-disabled") === "false") actions.stepInto(box, last - inside.length + 1);
    },
    mark(isCurrent) {
      button.tabIndex = isCurrent ? 0 : -1;
      if (into !== null) into.tabIndex = button.tabIndex;
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    },
    enable({ live, saved, can }) {
      if (into === null) return;
      nameButton(into, name);
      const isPossible = can({ action: "expand", box });
      into.title = live || isPossible ? `${name} (${words.say("ui.steps", { count: String(count) })})` : needsKernel(words, saved, name);
      into.setAttribute("aria-disabled", String(!isPossible));
    },
  };
}
