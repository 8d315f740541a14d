/** Run on to the next hook, the next rewrite, the first NaN, or the next step of a tensor. */

import { html } from "lit-html";
import { textButton } from "../dom/template.js";

const MARKS = ["hook", "rewrite", "nonfinite"];

/** @type {hv.Panel} */
export function runTo({ words, actions }, { steps, step, tensors, selected }) {
  const tensor = tensors.find(({ id }) => id === selected);
  return html`<div class="hv-run-to" role="group" aria-label=${words.say("ui.run")}>
    <span class="hv-run-label">${words.say("ui.run")}</span>
    ${MARKS.map((mark) => {
      // Nobody looks for a NaN where there is none.
      const isHidden = mark === "nonfinite" && nextMarked(steps, -1, mark) === null;
      return button(words.say(`ui.run.${mark}`), nextMarked(steps, step, mark), isHidden);
    })}
    ${tensor && button(words.say("ui.run.tensor", { tensor: tensor.label }), nextOfTensor(steps, step, selected))}
  </div>`;

  /**
   * @param {string} text
   * @param {number | null} target The step to go to, if there is one.
   * @param {boolean} [isHidden]
   */
  function button(text, target, isHidden) {
    return textButton(text, () => actions.goto(target ?? step), { isPossible: target !== null, isHidden });
  }
}

/**
 * @param {hv.Step[]} steps
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
 * @param {hv.Step[]} steps
 * @param {number} from
 * @param {string} tensor Id.
 * @returns {number | null}
 */
export function nextOfTensor(steps, from, tensor) {
  const found = steps.findIndex((step, place) => place > from && tensor !== "" && step.tensor === tensor);
  return found === -1 ? null : found;
}
