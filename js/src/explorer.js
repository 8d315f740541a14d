/** Put the parts together and keep them in step with the model. */

import { html, nothing } from "lit-html";
import { createCodeEditor } from "./code/code_editor.js";
import { createCodePanel } from "./code/code_panel.js";
import { make } from "./dom/dom.js";
import { draw } from "./dom/template.js";
import { Words } from "./dom/words.js";
import { inspector } from "./facts/inspector.js";
import { createNotice } from "./facts/notice.js";
import { values } from "./facts/values.js";
import { createHookPanel } from "./hooks/hook_panel.js";
import { createHooksCode } from "./hooks/hooks_code.js";
import { connectKernel } from "./kernel/kernel.js";
import { watchRuns } from "./kernel/slow_run.js";
import { comparison } from "./lesson/comparison.js";
import { createPrediction } from "./lesson/prediction.js";
import { watchHaste } from "./page/haste.js";
import { handleKeys } from "./page/keyboard.js";
import { letSaveKeyOut } from "./page/save_key.js";
import { followTheme } from "./page/theme.js";
import { createLegend } from "./picture/legend.js";
import { createPicture } from "./picture/picture.js";
import { createActions } from "./state/actions.js";
import { Drafts } from "./state/drafts.js";
import { listen } from "./state/listen.js";
import { createPlaying } from "./state/playing.js";
import { hasChanged, readView, TRAITS } from "./state/view.js";
import { caption } from "./steps/caption.js";
import { controls } from "./steps/controls.js";
import { runTo } from "./steps/run_to.js";
import { createTimeline } from "./steps/timeline.js";
import { transcript } from "./steps/transcript.js";

/**
 * @param {hv.Model} model
 * @param {HTMLElement} el
 * @param {AbortSignal} signal Aborted when the view goes away.
 * @param {(error: unknown) => void} failed Called when it cannot show what the model holds.
 */
export function createExplorer(model, el, signal, failed) {
  const document = el.ownerDocument;
  const page = document.defaultView ?? window;
  const drafts = new Drafts();
  /** @type {hv.View | null} */
  let view = null;
  const now = () => view;

  const playing = createPlaying(model, page, now);
  const kernel = connectKernel(model, page, signal, {
    changed() {
      refresh();
      if (kernel.settled) playing.settle(kernel.live);
    },
    accepted: () => drafts.accept(),
    refused: () => drafts.refuse(),
  });
  const runs = watchRuns(page, signal, refresh);
  const actions = createActions(model, now, playing, kernel.send);
  const root = make(document, "div", "hv-root hv-theme", { tabindex: "0", role: "region" });
  /** @type {hv.Context} */
  const context = { document, signal, words: new Words(), actions, redraw };
  const parts = createParts(context, root, drafts);

  const stepped = watchHaste(root, page, signal);
  letSaveKeyOut(root, page, signal);
  handleKeys(root, signal, actions, parts.pan);
  followTheme(root, model, signal);
  listen(model, signal, TRAITS.map((trait) => [`change:${trait}`, refresh]));
  listen(model, signal, [["change:playing", playing.follow]]);
  el.classList.add("hv-host");
  signal.addEventListener("abort", () => {
    playing.leave();
    el.classList.remove("hv-host");
  }, { once: true });
  // First into the page: the picture is fitted to sizes that are known only there.
  el.replaceChildren(root);
  refresh();

  /** Read the model again, and draw it if it is another one. */
  function refresh() {
    if (signal.aborted) return;
    try {
      const before = view;
      const { live, saved, waiting, can } = kernel;
      view = readView(model, before, { live, saved, waiting, slow: runs.slow, drafts: drafts.version, can });
      runs.see(view.busy);
      playing.setSpeed(view.speed);
      if (view === before) return;
      if (before !== null && view.step !== before.step) stepped();
      show(view, before);
    } catch (error) {
      failed(error);
    }
  }

  function redraw() {
    if (view !== null && !signal.aborted) show(view, view);
  }

  /**
   * @param {hv.View} now
   * @param {hv.View | null} before
   */
  function show(now, before) {
    if (hasChanged(now, before, "strings", "lang", "title")) {
      context.words.use(now.strings, now.lang);
      root.setAttribute("aria-label", ["hookviz", context.words.format(now.title)].filter(Boolean).join(" "));
    }
    const language = now.lang === "zh" ? "zh-CN" : now.lang;
    // Set again, the same language would have the browser style everything anew at every step.
    if (root.lang !== language) root.lang = language;
    root.toggleAttribute("data-hv-busy", now.busy);
    root.toggleAttribute("data-hv-code", now.code.length > 0);
    root.toggleAttribute("data-hv-predicting", now.predicting);
    parts.update(now, before);
  }
}

/**
 * @param {hv.Context} context
 * @param {HTMLElement} root
 * @param {Drafts} drafts
 */
function createParts(context, root, drafts) {
  const prediction = createPrediction(context);
  const picture = createPicture(context);
  const legend = createLegend(context, picture.tools);
  const code = createCodePanel(context);
  const timeline = createTimeline(context);
  const hooks = createHookPanel(context, drafts, createCodeEditor);
  const notice = createNotice(context);
  const hooksCode = createHooksCode(context);

  return {
    pan: picture.pan,
    /**
     * @param {hv.View} view
     * @param {hv.View | null} before
     */
    update(view, before) {
      const isOfHook = isOfShownHook(view);
      draw(root, html`
        ${controls(context, view, comparison(context, view))}
        ${prediction(view, before)}
        <div class="hv-notice-slot">${isOfHook ? nothing : notice(view)}</div>
        ${caption(context, view)}
        <div class="hv-body">
          <div class="hv-main">${picture.element}${legend.element}${inspector(context, view)}</div>
          <div class="hv-panel">${code.element}${timeline.element}</div>
          ${hooks.element}
          ${values(context, view)}
        </div>
        ${transcript(context, view)}
        ${hooksCode(view)}`);
      code.update(view, before);
      timeline.update(view, before, runTo(context, view));
      hooks.update(view, isOfHook ? notice(view) : nothing);
      legend.update(view, before);
      // Last, since it is fitted to the room that the others leave; what can be opened is known by it.
      picture.update(view, before);
      if (hasChanged(view, before, "picture")) legend.update(view, before);
    },
  };
}

/**
 * An error in a hook's source belongs below that source, anything else on top.
 *
 * @param {hv.View} view
 */
function isOfShownHook({ notice, shown }) {
  if (notice === null || shown === null) return false;
  return notice.target === shown.id || shown.hooks.some((hook) => hook.id === notice.hook);
}
