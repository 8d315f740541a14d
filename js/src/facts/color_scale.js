/**
 * One scale of colors for all values of a step: orange below zero, blue above, nothing at zero.
 *
 * The colors are mixed in the page's own style sheet, so that they fit light and dark pages.
 */

const STEPS = 254;

/**
 * @param {hv.StepValue} value A large one.
 * @returns {(number | null)[]} The number of each cell of its grid, `null` where it is not finite.
 */
export function gridCells(value) {
  const { grid, low, high } = value;
  if (low === null || high === null) return [];
  const cells = [];
  for (let place = 0; place + 1 < grid.length; place += 2) {
    const code = Number.parseInt(grid.slice(place, place + 2), 16);
    cells.push(code === 0 ? null : low + ((code - 1) / STEPS) * (high - low));
  }
  return cells;
}

/**
 * @param {hv.StepValue[]} values
 * @returns {number} The largest distance from zero; 1 when there is none.
 */
export function limitOf(values) {
  const numbers = values.flatMap((value) =>
    value.grid ? [value.low, value.high] : (value.levels ?? []).flat());
  const largest = numbers.reduce(
    (/** @type {number} */ most, number) => Math.max(most, Math.abs(number ?? 0)), 0);
  return largest > 0 ? largest : 1;
}

/**
 * @param {number | null} level
 * @param {number} limit
 * @returns {string} A CSS color.
 */
export function cellColor(level, limit) {
  if (level === null) return "var(--hv-not-finite)";
  const share = Math.round(Math.min(Math.abs(level) / limit, 1) * 100);
  const hue = level < 0 ? "var(--hv-below)" : "var(--hv-above)";
  return `color-mix(in srgb, ${hue} ${share}%, var(--hv-zero))`;
}
