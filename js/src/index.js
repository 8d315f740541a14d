/** The browser half of hookviz: anywidget calls `render`, a page without Jupyter calls `mount`. */

import { html } from "lit-html";
import { make } from "./dom/dom.js";
import { draw } from "./dom/template.js";
import { createExplorer } from "./explorer.js";
import { createPageModel } from "./kernel/page_model.js";

/**
 * @param {{model: hv.Model, el: HTMLElement}} view
 * @returns {() => void} Removes everything that `render` added.
 */
function render({ model, el }) {
  const ending = new (el.ownerDocument.defaultView ?? globalThis).AbortController();
  /** @param {unknown} error */
  const fail = (error) => {
    ending.abort();
    showError(model, el, error);
  };
  try {
    createExplorer(model, el, ending.signal, fail);
  } catch (error) {
    fail(error);
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
 * @param {(lang: string) => void} [switched] Is told the language that someone chose here.
 * @returns {() => void}
 */
export function mount(el, state, switched = () => {}) {
  const model = createPageModel(state);
  model.on("change:lang", () => switched(model.get("lang")));
  return render({ model, el });
}

/**
 * Say what went wrong, in place of an explorer that would no longer show what Python has.
 *
 * @param {hv.Model} model
 * @param {HTMLElement} el
 * @param {unknown} error
 */
function showError(model, el, error) {
  const document = el.ownerDocument;
  const detail = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  const place = make(document, "div", "hv-broken", { role: "alert" });
  draw(place, html`<strong>${said(model, "ui.broken", "hookviz could not show this explorer.")}</strong>
    <p>${said(model, "ui.broken.hint", "Run the cell again.")}</p><pre class="hv-notice-detail" tabindex="0">${detail}</pre>`);
  el.replaceChildren(place);
}

/**
 * @param {hv.Model} model Whatever it holds.
 * @param {string} key
 * @param {string} otherwise
 */
function said(model, key, otherwise) {
  const found = model.get("strings")?.[model.get("lang")]?.[key];
  return typeof found === "string" ? found : otherwise;
}

export default { render };
