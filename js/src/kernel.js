/** Talk to Python: say hello to learn whether a kernel answers, and send what a click asks for. */

/** How long a greeting may stay unanswered before editing is switched off, in milliseconds. */
const PATIENCE = 4000;

/**
 * @param {import("./types.js").Model} model
 * @param {Window} page
 * @param {AbortSignal} signal
 * @param {{changed: () => void, accepted: () => void}} callbacks
 */
export function connectKernel(model, page, signal, { changed, accepted }) {
  let live = typeof model.send === "function";
  let waiting = false;
  let timer = 0;

  /** @param {boolean} isLive */
  const settle = (isLive) => {
    page.clearTimeout(timer);
    waiting = false;
    live = isLive;
    changed();
  };
  /** @param {{event?: string}} [message] */
  const onMessage = (message) => {
    settle(true);
    if (message?.event === "applied") accepted();
  };
  const onChange = () => settle(true);

  /** @param {object} message */
  function post(message) {
    if (typeof model.send !== "function") return;
    model.send(message);
    page.clearTimeout(timer);
    // A busy kernel may answer later: then `settle` switches editing on again.
    timer = page.setTimeout(() => settle(false), PATIENCE);
  }

  model.on("msg:custom", onMessage);
  for (const trait of ["tensors", "notice", "busy"]) model.on(`change:${trait}`, onChange);
  signal.addEventListener("abort", () => {
    page.clearTimeout(timer);
    model.off("msg:custom", onMessage);
    for (const trait of ["tensors", "notice", "busy"]) model.off(`change:${trait}`, onChange);
  }, { once: true });
  post({ action: "hello" });

  return {
    get live() {
      return live;
    },
    get waiting() {
      return waiting;
    },
    /** @param {object} message */
    send(message) {
      if (!live) return;
      waiting = true;
      post(message);
      changed();
    },
  };
}
