/** Know which box lies in which: calls of modules, and folds of repeated ones. */

export class Boxes {
  /** @type {Map<string, hv.Box>} */
  #boxes;

  /** @param {Record<string, hv.Box>} boxes By id; drawn or not. */
  constructor(boxes) {
    this.#boxes = new Map(Object.entries(boxes));
  }

  get count() {
    return this.#boxes.size;
  }

  /** In the order of Python's tree. */
  get ids() {
    return [...this.#boxes.keys()];
  }

  /** @param {string} id */
  get(id) {
    return this.#boxes.get(id);
  }

  /**
   * @param {string} id
   * @returns {hv.Text} How a person calls it.
   */
  label(id) {
    return this.#boxes.get(id)?.label || id;
  }

  /**
   * A box and what it lies in, from the inside out.
   *
   * @param {string} id
   * @returns {string[]}
   */
  around(id) {
    /** @type {Set<string>} */
    const found = new Set();
    // The set also ends the walk where a broken page has boxes in a circle.
    for (let now = id; now !== "" && !found.has(now); now = this.#boxes.get(now)?.parent ?? "") found.add(now);
    return [...found];
  }
}
