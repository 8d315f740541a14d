/** Remember what the user typed for each tensor and hook until Python has accepted it. */

/** @typedef {{target: string, hook: string}} Place `hook` is "" for a hook that is yet to be added. */
/** @typedef {Place & {text: string}} Sent */

export class Drafts {
  /** @type {Map<string, string>} */
  #texts = new Map();
  /** @type {Sent | null} */
  #sent = null;
  /** Grows whenever a draft goes without the user's doing, so that the text box follows. */
  version = 0;

  /**
   * @param {Place} place
   * @returns {string | undefined}
   */
  get(place) {
    return this.#texts.get(keyOf(place));
  }

  /**
   * Whether there is a draft that Python has not been asked about.
   *
   * @param {Place} place
   */
  isUnsent(place) {
    const draft = this.get(place);
    const isSent = this.#sent !== null && keyOf(this.#sent) === keyOf(place) && this.#sent.text === draft;
    return draft !== undefined && !isSent;
  }

  /**
   * @param {Place} place
   * @param {string} text
   * @param {string} source What Python has: a draft equal to it is no draft.
   */
  set(place, text, source) {
    if (text === source) this.#texts.delete(keyOf(place));
    else this.#texts.set(keyOf(place), text);
  }

  /**
   * @param {Place} place
   * @param {string} text
   */
  send(place, text) {
    this.#sent = { ...place, text };
  }

  /** Python took the source: drop its draft, unless the user has typed on since. */
  accept() {
    if (this.#sent !== null && this.get(this.#sent) === this.#sent.text) {
      this.#texts.delete(keyOf(this.#sent));
      this.version += 1;
    }
    this.#sent = null;
  }

  /** Python refused the source: the draft stays. */
  refuse() {
    this.#sent = null;
  }
}

/** @param {Place} place */
function keyOf(place) {
  return JSON.stringify([place.target, place.hook]);
}
