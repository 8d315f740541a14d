/** Step by keyboard, and keep every key from the notebook around the widget. */

import { isSaveKey } from "./save_key.js";
import { isAtItsEnd } from "./scroll_keys.js";

/** @type {Map<string, import("../state/stepper.js").Move>} */
const MOVES = new Map([
  ["ArrowLeft", "previous"],
  ["ArrowRight", "next"],
  ["Home", "first"],
  ["End", "last"],
]);
/** @type {Map<string, [x: number, y: number]>} */
const PANS = new Map([
  ["ArrowLeft", [-1, 0]],
  ["ArrowRight", [1, 0]],
  ["ArrowUp", [0, -1]],
  ["ArrowDown", [0, 1]],
]);

/**
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 * @param {hv.Actions} actions
 * @param {(x: number, y: number) => void} pan Looks at another part of the picture.
 */
export function handleKeys(root, signal, actions, pan) {
  root.addEventListener("keydown", (event) => {
    if (isSaveKey(event)) return;
    // With data-lm-suppress-shortcuts this keeps the notebook's own shortcuts out.
    event.stopPropagation();
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const move = MOVES.get(event.key);
    if (event.key === "Escape") {
      // Out of the text box first; the selection only goes with the next press.
      if (target.tagName !== "TEXTAREA") actions.select("");
      root.focus({ preventScroll: true });
    } else if (target.closest("textarea, select, input, pre[tabindex]") && !(isSlider(target) && event.key === " ")) {
      if (isAtItsEnd(event, target)) event.preventDefault();
    } else if (event.shiftKey && PANS.has(event.key)) {
      event.preventDefault();
      pan(...(PANS.get(event.key) ?? [0, 0]));
    } else if (move !== undefined) {
      event.preventDefault();
      actions.move(move);
    } else if (event.key === " " && !target.closest("button, summary, .hv-card, .hv-module, .hv-toggle")) {
      event.preventDefault();
      actions.togglePlay();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      // Next to the keys that step: the notebook must not jump away. Page Up and Page Down scroll it.
      event.preventDefault();
    }
  }, { signal });
}

/** @param {HTMLElement} target */
function isSlider(target) {
  return target.matches("input[type=range]");
}
