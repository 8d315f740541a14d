/** Tell whether a hook changed anything: Python marks the steps, and a hook's row has its own messages. */

/** The keys of `hookviz/_view/steps/patches.py` for a change that stands on a hook's own row. */
const ROWS = new Set(["value.arrow", "hook.in_place", "hook.value"]);

/**
 * Whether a value was rewritten at a step.
 *
 * @param {hv.Step | undefined} step
 */
export function isRewritingStep(step) {
  return step?.marks?.includes("rewrite") === true;
}

/**
 * Whether what stands on a hook's row is a change: `8 → 10`, but not `10, unchanged`.
 *
 * @param {hv.Text} did
 */
export function isRewriting(did) {
  if (typeof did === "string") return did !== "";
  return !Array.isArray(did) && ROWS.has(did.key);
}
