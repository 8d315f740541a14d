/** Listen to a model for as long as a view is there. */

/**
 * @param {hv.Model} model
 * @param {AbortSignal} signal
 * @param {[event: string, callback: (message?: any) => void][]} callbacks
 */
export function listen(model, signal, callbacks) {
  for (const [event, callback] of callbacks) model.on(event, callback);
  signal.addEventListener("abort", () => {
    for (const [event, callback] of callbacks) model.off(event, callback);
  }, { once: true });
}
