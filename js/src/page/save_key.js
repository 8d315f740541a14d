/** Let the key that saves the notebook out of the widget, which keeps all others in. */

const SUPPRESS = "data-lm-suppress-shortcuts";

/**
 * Ctrl+S, and Cmd+S on a Mac.
 *
 * @param {KeyboardEvent} event
 */
export function isSaveKey(event) {
  // Browsers that fill in forms send events without a key.
  return event.key?.toLowerCase() === "s" && event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey;
}

/**
 * JupyterLab ignores every key inside an element with `data-lm-suppress-shortcuts`, so the
 * attribute goes for the time that the event of this one key takes. Notebook 7 looks at what has
 * the focus before it looks further out, and takes `a`, `x` and the like from a button: so that
 * needs the attribute as well.
 *
 * @param {HTMLElement} root
 * @param {Window} page
 * @param {AbortSignal} signal
 */
export function letSaveKeyOut(root, page, signal) {
  let timer = 0;
  /** @type {Element} */
  let focused = root;

  const close = () => {
    page.clearTimeout(timer);
    for (const element of [root, focused]) element.setAttribute(SUPPRESS, "true");
  };
  close();
  page.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    const isOurs = root.contains(target);
    if (isOurs) focused = target;
    close();
    if (!isSaveKey(event) || !isOurs) return;
    for (const element of [root, focused]) element.removeAttribute(SUPPRESS);
    // For pages that let the event not come back up here.
    timer = page.setTimeout(close, 0);
  }, { signal, capture: true });
  page.addEventListener("keydown", close, { signal });
  signal.addEventListener("abort", close, { once: true });
}
