/**
 * Tell whether a hook changed anything. Steps do not say it by a field of their own, but what they
 * say in words does: each way of changing something has its own message.
 */

/** @typedef {import("../types.js").Text} Text */

/** The keys of `hookviz/view/lines.py` and `hookviz/view/module_words.py` for a change by a hook. */
const LINES = new Set([
  "what.hook.rewrote", "what.hook.in_place", "what.hidden", "what.node_hook.rewrote", "what.node_prehook.rewrote",
  "what.post.both", "what.post.grad", "what.post.value",
]);
const MODULE_LINES = new Set([
  "what.module.forward_pre", "what.module.forward_hook", "what.module.backward_pre", "what.module.backward_hook",
]);
const CHANGES = new Set(["change.argument", "value.arrow"]);
/** The keys of `hookviz/view/patches.py` for what stands on a hook's own row. */
const ROWS = new Set(["value.arrow", "hook.in_place", "hook.value"]);

/**
 * Whether a hook changed something at a step.
 *
 * @param {import("../types.js").Step | undefined} step
 */
export function isRewritingStep(step) {
  const what = whatOf(step?.line);
  if (what === null) return false;
  return LINES.has(what.key) || (MODULE_LINES.has(what.key) && isChange(what.args?.changes));
}

/**
 * Whether what stands on a hook's row is a change: `8 → 10`, but not `10, unchanged`.
 *
 * @param {Text} did
 */
export function isRewriting(did) {
  if (typeof did === "string") return did !== "";
  return !Array.isArray(did) && ROWS.has(did.key);
}

/**
 * @param {Text | undefined} line
 * @returns {import("../types.js").Message | null}
 */
function whatOf(line) {
  if (typeof line !== "object" || line === null || Array.isArray(line)) return null;
  const inner = line.args?.line ?? line.args?.what;
  return inner === undefined ? line : whatOf(inner);
}

/**
 * @param {Text | undefined} changes
 * @returns {boolean}
 */
function isChange(changes) {
  if (typeof changes !== "object" || changes === null) return false;
  if (Array.isArray(changes)) return changes.some(isChange);
  return CHANGES.has(changes.key) || isChange(changes.args?.changes);
}
