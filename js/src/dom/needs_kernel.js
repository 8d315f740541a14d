/** Say why something cannot be done now that only Python can do. */

/**
 * @param {import("./words.js").Words} words
 * @param {boolean} saved Whether no kernel can ever answer here, as in a page that was saved.
 * @param {string} action What the button says that it does.
 */
export function needsKernel(words, saved, action) {
  return saved ? words.say("ui.saved.tooltip", { action }) : words.say("ui.no_kernel.tooltip");
}
