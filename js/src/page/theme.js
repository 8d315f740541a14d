/** Find out whether the page around the widget is light or dark, and follow it. */

/** @typedef {"light" | "dark"} Theme */
/** @typedef {"jupyter" | "vscode" | "colab" | "none"} Host Whose colours to take over; "none" for our own. */

/**
 * @param {Document} document
 * @param {string} wanted The `theme` trait: "auto", "light" or "dark".
 * @returns {{theme: Theme, host: Host}}
 */
export function themeOf(document, wanted) {
  const found = pageTheme(document);
  const theme = wanted === "light" || wanted === "dark" ? wanted : found.theme;
  // The page's variables would be of the other theme than the one that was asked for.
  return { theme, host: theme === found.theme ? found.host : "none" };
}

/**
 * @param {Document} document
 * @param {() => void} callback
 * @param {AbortSignal} signal
 */
export function watchTheme(document, callback, signal) {
  const view = document.defaultView;
  const observer = view?.MutationObserver ? new view.MutationObserver(callback) : null;
  for (const element of [document.documentElement, document.body]) {
    observer?.observe(element, { attributes: true });
  }
  signal.addEventListener("abort", () => observer?.disconnect(), { once: true });
  view?.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", callback, { signal });
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
