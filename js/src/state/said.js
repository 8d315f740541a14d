/** Tell words from values: "not computed yet" must never look like a number. */

/** The keys of messages that stand where a number would, as in `hookviz/_view/svg/row.py`. */
const WORDS = /^(flow|grad|note)\.|^hook\.(not_run|off|raised|ran|unchanged)$|^change\.(same|unchanged)$|^value\.none$/;

/** @param {hv.Text | undefined} value */
export function isWords(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return WORDS.test(value.key);
}
