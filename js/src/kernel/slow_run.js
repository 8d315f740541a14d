/** Notice when Python works for long. */

const LONG = 5000;

/**
 * @param {Window} page
 * @param {AbortSignal} signal
 * @param {() => void} changed
 */
export function watchRuns(page, signal, changed) {
  let timer = 0;
  let busy = false;
  let slow = false;

  signal.addEventListener("abort", () => page.clearTimeout(timer), { once: true });

  return {
    get slow() {
      return slow;
    },
    /** @param {boolean} isBusy */
    see(isBusy) {
      if (isBusy === busy) return;
      busy = isBusy;
      slow = false;
      page.clearTimeout(timer);
      if (!busy) return;
      timer = page.setTimeout(() => {
        slow = true;
        changed();
      }, LONG);
    },
  };
}
