/** Run on to the next hook, the next rewrite, the first NaN, or the next step of a tensor. */

import { make, setText } from "../dom/dom.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").Step} Step */

const MARKS = ["hook", "rewrite", "nonfinite"];

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createRunTo({ document, signal, words, actions }) {
  const label = make(document, "span", "hv-run-label");
  const buttons = new Map(MARKS.map((mark) => [mark, make(document, "button", "hv-button hv-small", { type: "button" })]));
  const toTensor = make(document, "button", "hv-button hv-small", { type: "button" });
  const element = make(document, "div", "hv-run-to", { role: "group" }, [label, ...buttons.values(), toTensor]);
  /** @type {View | null} */
  let shown = null;

  for (const [mark, button] of buttons) {
    button.addEventListener("click", () => {
      const step = shown === null ? null : nextMarked(shown.steps, shown.step, mark);
      if (step !== null) actions.goto(step);
    }, { signal });
  }
  toTensor.addEventListener("click", () => {
    const step = shown === null ? null : nextOfTensor(shown.steps, shown.step, shown.selected);
    if (step !== null) actions.goto(step);
  }, { signal });

  return {
    element,
    update(view) {
      shown = view;
      element.setAttribute("aria-label", words.say("ui.run"));
      setText(label, words.say("ui.run"));
      for (const [mark, button] of buttons) {
        setText(button, words.say(`ui.run.${mark}`));
        enable(button, nextMarked(view.steps, view.step, mark) !== null);
        // Nobody looks for a NaN where there is none.
        if (mark === "nonfinite") button.hidden = nextMarked(view.steps, -1, mark) === null;
      }
      const tensor = view.tensors.find(({ id }) => id === view.selected);
      toTensor.hidden = tensor === undefined;
      if (tensor === undefined) return;
      setText(toTensor, words.say("ui.run.tensor", { tensor: tensor.label }));
      enable(toTensor, nextOfTensor(view.steps, view.step, tensor.id) !== null);
    },
  };
}

/**
 * @param {Step[]} steps
 * @param {number} from
 * @param {string} mark
 * @returns {number | null} The first marked step behind `from`; for a NaN the first of the pass that
 *   is still ahead.
 */
export function nextMarked(steps, from, mark) {
  const found = steps.findIndex((step, place) => place > from && (step.marks ?? []).includes(mark));
  if (found === -1) return null;
  const isLater = mark === "nonfinite" && steps.slice(0, found).some((step) => (step.marks ?? []).includes(mark));
  return isLater ? null : found;
}

/**
 * @param {Step[]} steps
 * @param {number} from
 * @param {string} tensor Id.
 * @returns {number | null}
 */
export function nextOfTensor(steps, from, tensor) {
  const found = steps.findIndex((step, place) => place > from && tensor !== "" && step.tensor === tensor);
  return found === -1 ? null : found;
}

/**
 * @param {HTMLElement} button
 * @param {boolean} isPossible
 */
function enable(button, isPossible) {
  button.setAttribute("aria-disabled", String(!isPossible));
}
