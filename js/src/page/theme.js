/** Find out whether the page around the widget is light or dark, and follow it. */

import { listen } from "../state/listen.js";

/** @typedef {"light" | "dark"} Theme */
/** @typedef {"jupyter" | "vscode" | "colab" | "none"} Host Whose colours to take over; "none" for our own. */

/**
 * @param {HTMLElement} root Says in `data-hv-theme` and `data-hv-host` what was found, for the style sheet.
 * @param {hv.Model} model
 * @param {AbortSignal} signal
 */
export function followTheme(root, model, signal) {
  const document = root.ownerDocument;
  const page = document.defaultView;
  const paint = () => {
    const found = pageTheme(document);
    const wanted = model.get("theme") ?? "auto";
    const theme = wanted === "light" || wanted === "dark" ? wanted : found.theme;
    root.dataset.hvTheme = theme;
    // The page's variables would be of the other theme than the one that was asked for.
    root.dataset.hvHost = theme === found.theme ? found.host : "none";
  };
  paint();
  const observer = page?.MutationObserver ? new page.MutationObserver(paint) : null;
  for (const element of [document.documentElement, document.body]) {
    observer?.observe(element, { attributes: true });
  }
  page?.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", paint, { signal });
  listen(model, signal, [["change:theme", paint]]);
  signal.addEventListener("abort", () => observer?.disconnect(), { once: true });
}

/**
 * @param {Document} document
 * @returns {{theme: Theme, host: Host}}
 */
function pageTheme(document) {
  const { body, documentElement } = document;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter !== undefined) return { theme: jupyter === "false" ? "dark" : "light", host: "jupyter" };
  const kinds = [...body.classList].filter((name) => /^vscode-(light|dark|high-contrast(-light)?)$/.test(name));
  // A light one of high contrast has the class of the dark one as well.
  if (kinds.length > 0) return { theme: kinds.some((name) => name.endsWith("light")) ? "light" : "dark", host: "vscode" };
  // Colab, MyST and Sphinx themes say it on the root element, marimo on the body.
  const said = documentElement.dataset.theme ?? documentElement.getAttribute("theme") ?? body.dataset.theme;
  if (said === "dark" || said === "light") return { theme: said, host: isColab(document) ? "colab" : "none" };
  const dark = document.defaultView?.matchMedia?.("(prefers-color-scheme: dark)").matches;
  return { theme: dark ? "dark" : "light", host: "none" };
}

/** @param {Document} document */
function isColab({ defaultView, documentElement }) {
  return Boolean(defaultView?.getComputedStyle(documentElement).getPropertyValue("--colab-primary-surface-color"));
}
