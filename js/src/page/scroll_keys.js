/** Know when a key would scroll the notebook, because what has the focus has no use for it. */

const UP = new Set(["ArrowUp", "Home"]);
const DOWN = new Set(["ArrowDown", "End", " "]);

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} target A text that scrolls, or a field; it has the focus.
 * @returns {boolean} Whether the text cannot scroll any further that way.
 */
export function isAtItsEnd({ key, shiftKey }, target) {
  if (!UP.has(key) && !DOWN.has(key)) return false;
  // A field that can be written in uses the key for its caret.
  if (!target.matches("pre, [readonly]")) return false;
  const isUp = UP.has(key) || shiftKey;
  const room = isUp ? target.scrollTop : target.scrollHeight - target.clientHeight - target.scrollTop;
  return room < 1;
}
