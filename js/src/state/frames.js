/** Know what every field of the picture holds at every step, forwards and backwards in time. */

/** @typedef {{key: string, field: string, value: hv.Text}} Change */
/** @typedef {{at: number[], values: hv.Text[]}} History The steps at which a field changes. */

/**
 * The frames of a recording. The frame at step k is what the patches of steps 0..k leave behind,
 * later ones winning. Instead of folding them, each field keeps its own history, so a step back
 * costs as much as a step forward and a jump costs only what lies in between.
 */
export class Frames {
  /** @type {Map<string, Map<string, History>>} */
  #fields = new Map();
  #steps;

  /** @param {hv.Step[]} steps */
  constructor(steps) {
    this.#steps = steps;
    steps.forEach((step, index) => {
      for (const [key, field, value] of step.patches) this.#remember(key, field, index, value);
    });
  }

  /** The number of steps, step 0 included. */
  get count() {
    return this.#steps.length;
  }

  /**
   * @param {string} key Id of a tensor, node or edge.
   * @param {string} field
   * @param {number} step
   * @returns {hv.Text} The value then; "" when there was none yet.
   */
  value(key, field, step) {
    const history = this.#fields.get(key)?.get(field);
    return history === undefined ? "" : valueAt(history, step);
  }

  /**
   * Every field of every element at one step.
   *
   * @param {number} step
   * @returns {Change[]}
   */
  all(step) {
    const found = [];
    for (const [key, fields] of this.#fields) {
      for (const [field, history] of fields) {
        found.push({ key, field, value: valueAt(history, step) });
      }
    }
    return found;
  }

  /**
   * What has to change on screen to go from one step to another, in either direction.
   *
   * @param {number} from
   * @param {number} to
   * @returns {Change[]} Only fields whose value differs, each once.
   */
  changes(from, to) {
    /** @type {Map<string, Set<string>>} */
    const seen = new Map();
    const found = [];
    const [low, high] = from < to ? [from, to] : [to, from];
    for (let index = low + 1; index <= high; index += 1) {
      for (const [key, field] of this.#steps[index].patches) {
        const fields = seen.get(key) ?? new Set();
        if (fields.has(field)) continue;
        seen.set(key, fields.add(field));
        const value = this.value(key, field, to);
        if (!same(value, this.value(key, field, from))) found.push({ key, field, value });
      }
    }
    return found;
  }

  /**
   * @param {string} key
   * @param {string} field
   * @param {number} step
   * @param {hv.Text} value
   */
  #remember(key, field, step, value) {
    const fields = this.#fields.get(key) ?? new Map();
    const history = fields.get(field) ?? { at: [], values: [] };
    if (history.at.at(-1) === step) history.values.pop();
    else history.at.push(step);
    history.values.push(value);
    this.#fields.set(key, fields.set(field, history));
  }
}

/**
 * @param {History} history
 * @param {number} step
 * @returns {hv.Text}
 */
function valueAt(history, step) {
  let low = 0;
  let high = history.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (history.at[middle] <= step) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? "" : history.values[low - 1];
}

/**
 * @param {hv.Text} one
 * @param {hv.Text} other
 */
function same(one, other) {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
