/** The browser half of hookviz: anywidget calls `render`, a page without Jupyter calls `mount`. */

import { createExplorer } from "./explorer.js";
import { make } from "./dom.js";
import { createPageModel } from "./page_model.js";

/**
 * @param {{model: import("./types.js").Model, el: HTMLElement}} view
 * @returns {() => void} Removes everything that `render` added.
 */
function render({ model, el }) {
  const ending = new (el.ownerDocument.defaultView ?? globalThis).AbortController();
  try {
    createExplorer(model, el, ending.signal);
  } catch (error) {
    ending.abort();
    showError(el, error);
    return () => el.replaceChildren();
  }
  return () => {
    ending.abort();
    el.replaceChildren();
  };
}

/**
 * Show saved state on a plain page; stepping works, hooks cannot be changed.
 *
 * @param {HTMLElement} el
 * @param {Record<string, unknown>} state The values of the widget's traits.
 * @returns {() => void}
 */
export function mount(el, state) {
  return render({ model: createPageModel(state), el });
}

/**
 * @param {HTMLElement} el
 * @param {unknown} error
 */
function showError(el, error) {
  const document = el.ownerDocument;
  const detail = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  el.replaceChildren(
    make(document, "div", "hv-broken", { role: "alert" }, [
      make(document, "strong", "", {}, ["hookviz could not show this explorer."]),
      make(document, "pre", "hv-notice-detail", {}, [detail]),
    ]),
  );
}

export default { render };
