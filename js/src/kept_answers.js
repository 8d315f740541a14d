/**
 * Answer for Python on a page that was saved: what it would have answered to some requests is kept
 * in the state, so that boxes open and passes compare without a kernel.
 */

/** @typedef {import("./types.js").Model} Model */
/** @typedef {{action: string, [name: string]: unknown}} Request */

/**
 * @param {Request} request
 * @returns {string} Under which name the answer is kept.
 */
function nameOf({ action, box, against }) {
  return [action, box ?? against].filter((part) => part !== undefined).join(":");
}

/**
 * @param {Model} model
 * @param {Request} request
 * @returns {Record<string, unknown> | null} The traits to set, or `null` where nothing is kept.
 */
export function keptAnswer(model, request) {
  const answers = model.get("answers") ?? {};
  const name = nameOf(request);
  return Object.hasOwn(answers, name) ? answers[name] : null;
}

/**
 * @param {Model} model
 * @param {Record<string, unknown>} answer Names a list of steps instead of holding it: several
 *   answers share one.
 */
export function applyAnswer(model, answer) {
  const lists = model.get("step_lists") ?? {};
  for (const [trait, value] of Object.entries(answer)) {
    const isName = trait === "steps" && typeof value === "string";
    model.set(trait, isName ? lists[value] : value);
  }
}
