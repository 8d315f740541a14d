/** Notice when steps follow each other so fast that the eye cannot follow a change on its way. */

const FAST = 350;

/**
 * @param {HTMLElement} root Carries `data-hv-haste` meanwhile: the style sheet then moves nothing.
 * @param {Window} page
 * @param {AbortSignal} signal
 * @returns {() => void} To be called at each step.
 */
export function watchHaste(root, page, signal) {
  let timer = 0;
  signal.addEventListener("abort", () => page.clearTimeout(timer), { once: true });
  return () => {
    if (timer !== 0) root.setAttribute("data-hv-haste", "true");
    page.clearTimeout(timer);
    timer = page.setTimeout(() => {
      timer = 0;
      root.removeAttribute("data-hv-haste");
    }, FAST);
  };
}
