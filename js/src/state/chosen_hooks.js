/** Know which hook of each tensor or module stands in the text box. */

/** What is chosen when the source in the box is that of a hook yet to be added. */
export const NEW = "";

export class ChosenHooks {
  /** @type {Map<string, string>} By tensor or module: the id of the hook, or `NEW`. */
  #chosen = new Map();
  /** @type {{target: string, ids: string[]}} What was seen last. */
  #seen = { target: "", ids: [] };
  #drafts;

  /** @param {import("./drafts.js").Drafts} drafts */
  constructor(drafts) {
    this.#drafts = drafts;
  }

  /**
   * @param {hv.Target} target
   * @param {string} id
   */
  choose(target, id) {
    this.#chosen.set(target.id, id);
  }

  /**
   * Look at a tensor or module, again or for the first time, and say what of it is in the box.
   *
   * @param {hv.Target} shown
   * @returns {string} The id of one of its hooks, or `NEW`.
   */
  see({ id: target, hooks }) {
    const ids = hooks.map(({ id }) => id);
    const { target: last, ids: before } = this.#seen;
    this.#seen = { target, ids };
    const now = this.#chosen.get(target);
    const next = last === target && now !== undefined
      ? this.#changed(target, now, before, ids)
      : this.#first(target, now, ids);
    this.#chosen.set(target, next);
    return next;
  }

  /**
   * What comes into sight shows its first hook, unless something unfinished waits there.
   *
   * @param {string} target
   * @param {string | undefined} now
   * @param {string[]} ids
   */
  #first(target, now, ids) {
    const isThere = now !== undefined && (now === NEW || ids.includes(now));
    return isThere && this.#drafts.get({ target, hook: now }) !== undefined ? now : (ids[0] ?? NEW);
  }

  /**
   * @param {string} target
   * @param {string} now
   * @param {string[]} before
   * @param {string[]} ids
   */
  #changed(target, now, before, ids) {
    if (now === NEW) {
      // The new hook may be seen before Python says that it was accepted. What the user has typed
      // since then must stay in sight.
      const added = ids.find((id) => !before.includes(id));
      return added !== undefined && !this.#drafts.isUnsent({ target, hook: NEW }) ? added : NEW;
    }
    if (ids.includes(now)) return now;
    const later = before.slice(before.indexOf(now) + 1);
    return later.find((id) => ids.includes(id)) ?? NEW;
  }
}
