/** Stand in for anywidget's model on a page without Jupyter: state from JSON, no kernel. */

/**
 * @typedef {object} PageModel
 * @property {(changes: Record<string, unknown>) => void} update Change traits as Python would.
 * @property {(event: string, detail?: unknown) => void} emit
 */

/**
 * @param {Record<string, unknown>} state
 * @param {(content: object) => void} [send] What to do with messages; without it nobody answers.
 * @returns {hv.Model & PageModel}
 */
export function createPageModel(state, send) {
  const values = new Map(Object.entries(state));
  /** @type {Map<string, Set<(...args: any[]) => void>>} */
  const listeners = new Map();

  /**
   * @param {string} event
   * @param {unknown} [detail]
   */
  function emit(event, detail) {
    for (const callback of [...(listeners.get(event) ?? [])]) callback(detail);
  }

  /** @param {Record<string, unknown>} changes */
  function update(changes) {
    // All values first, as in ipywidgets: a listener never sees half of an update.
    const changed = Object.keys(changes).filter((name) => values.get(name) !== changes[name]);
    for (const name of changed) values.set(name, changes[name]);
    for (const name of changed) emit(`change:${name}`);
  }

  return {
    get: (name) => values.get(name),
    set: (name, value) => update({ [name]: value }),
    save_changes() {},
    send: send && ((content) => send(content)),
    on(event, callback) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(callback));
    },
    off(event, callback) {
      listeners.get(event)?.delete(callback);
    },
    update,
    emit,
  };
}
