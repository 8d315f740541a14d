/** Step by keyboard, and keep every key from the notebook around the widget. */

/** @type {Map<string, import("./stepper.js").Move>} */
const MOVES = new Map([
  ["ArrowLeft", "previous"],
  ["ArrowRight", "next"],
  ["Home", "first"],
  ["End", "last"],
]);

/**
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 * @param {import("./types.js").Actions} actions
 */
export function handleKeys(root, signal, actions) {
  root.addEventListener("keydown", (event) => {
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
      return;
    } else if (move !== undefined) {
      event.preventDefault();
      actions.move(move);
    } else if (event.key === " " && !target.closest("button, summary, .hv-card")) {
      event.preventDefault();
      actions.togglePlay();
    }
  }, { signal });
}

/** @param {HTMLElement} target */
function isSlider(target) {
  return target.matches("input[type=range]");
}
