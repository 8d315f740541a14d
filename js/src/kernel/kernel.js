/** Talk to Python: say hello to learn whether a kernel answers, and send what a click asks for. */

import { listen } from "../state/listen.js";
import { isKept, keptAnswer } from "./kept_answers.js";

/** How long a greeting may stay unanswered before editing is switched off, in milliseconds. */
const PATIENCE = 4000;

/**
 * @param {hv.Model} model
 * @param {Window} page
 * @param {AbortSignal} signal
 * @param {{changed: () => void, accepted: () => void, refused: () => void}} callbacks
 */
export function connectKernel(model, page, signal, { changed, accepted, refused }) {
  const kernel = {
    live: typeof model.send === "function",
    /** Whether none ever can: a page that was saved has nobody to talk to. */
    saved: typeof model.send !== "function",
    waiting: false,
    /** Whether it is known by now if a kernel answers. */
    settled: false,
    can,
    send,
  };
  let timer = 0;

  /** @param {boolean} isLive */
  const settle = (isLive) => {
    page.clearTimeout(timer);
    Object.assign(kernel, { waiting: false, settled: true, live: isLive });
    changed();
  };
  const accept = () => {
    accepted();
    settle(true);
  };
  // Only Python changes these traits, so a change of them is an answer.
  listen(model, signal, [
    ["msg:custom", (message) => {
      if (message?.event === "applied") accepted();
      settle(true);
    }],
    ["change:tensors", accept],
    ["change:modules", accept],
    ["change:notice", () => {
      if (model.get("notice")?.kind === "error") refused();
      settle(true);
    }],
    ["change:busy", () => settle(true)],
    // ipywidgets says so when the connection to Python comes or goes: a restart ends it for good.
    ["comm_live_update", () => {
      settle(false);
      post({ action: "hello" });
    }],
  ]);
  signal.addEventListener("abort", () => page.clearTimeout(timer), { once: true });

  /** @param {object} message */
  function post(message) {
    if (typeof model.send !== "function") return;
    page.clearTimeout(timer);
    // A busy kernel may answer later: then `settle` switches editing on again.
    timer = page.setTimeout(() => settle(false), PATIENCE);
    try {
      model.send(message);
    } catch {
      // The channel was closed at the other end.
      settle(false);
    }
  }

  post({ action: "hello" });

  return kernel;

  /**
   * @param {import("./kept_answers.js").Request} request
   * @returns {boolean} Whether somebody could answer: Python, or what a saved page keeps.
   */
  function can(request) {
    return kernel.live || isKept(model, request);
  }

  /** @param {import("./kept_answers.js").Request} request */
  function send(request) {
    if (kernel.live) {
      kernel.waiting = true;
      post(request);
      changed();
      return;
    }
    const kept = keptAnswer(model, request);
    // All at once, as Python sends them: a picture belongs to the boxes that are open in it.
    if (kept !== null) model.update?.(kept);
  }
}
