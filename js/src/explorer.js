/** Put the parts together and keep them in step with the model. */

import { createCaption } from "./steps/caption.js";
import { createComparison } from "./lesson/comparison.js";
import { createCodePanel } from "./code/code_panel.js";
import { createControls } from "./steps/controls.js";
import { make } from "./dom/dom.js";
import { Drafts } from "./state/drafts.js";
import { watchHaste } from "./page/haste.js";
import { createHookPanel } from "./hooks/hook_panel.js";
import { createHooksCode } from "./hooks/hooks_code.js";
import { createInspector } from "./facts/inspector.js";
import { connectKernel } from "./kernel/kernel.js";
import { keptAnswer } from "./kernel/kept_answers.js";
import { handleKeys } from "./page/keyboard.js";
import { createLegend } from "./picture/legend.js";
import { createNotice } from "./facts/notice.js";
import { createPicture } from "./picture/picture.js";
import { createPrediction } from "./lesson/prediction.js";
import { createRunTo } from "./steps/run_to.js";
import { letSaveKeyOut } from "./page/save_key.js";
import { watchRuns } from "./kernel/slow_run.js";
import { clamp, Player } from "./state/stepper.js";
import { themeOf, watchTheme } from "./page/theme.js";
import { createTimeline } from "./steps/timeline.js";
import { createTranscript } from "./steps/transcript.js";
import { createValues } from "./facts/values.js";
import { readView } from "./state/view.js";
import { Words } from "./dom/words.js";

/** @typedef {import("./types.js").View} View */

const TRAITS = [
  "picture", "steps", "stops", "strings", "tensors", "modules", "boxes", "expanded", "code", "step", "selected",
  "lang", "title", "transcript", "notice", "busy", "playing", "speed", "values", "predicting", "score",
  "comparisons", "comparison", "hooks_code", "direction",
];

/**
 * @param {import("./types.js").Model} model
 * @param {HTMLElement} el
 * @param {AbortSignal} signal Aborted when the view goes away.
 * @param {(error: unknown) => void} failed Called when it cannot show what the model holds.
 */
export function createExplorer(model, el, signal, failed) {
  const document = el.ownerDocument;
  const page = document.defaultView ?? window;
  const words = new Words();
  const drafts = new Drafts();
  /** @type {View | null} */
  let view = null;
  let isHeld = false;

  let lastPlayed = -1;
  // A page that was saved while it played does not start by itself: a kernel has to answer first.
  let mayPlay = !model.get("playing");
  const player = new Player(
    () => {
      if (view === null) return false;
      // Another view of the same model plays too; whoever comes second lets the step stand.
      if (view.step === lastPlayed) goto(view.stops.moved(view.step, "next"));
      lastPlayed = view.step;
      return view.step < view.frames.count - 1;
    },
    { set: (callback, delay) => page.setTimeout(callback, delay), clear: (timer) => page.clearTimeout(timer) },
    () => save("playing", player.playing),
  );
  const kernel = connectKernel(model, page, signal, {
    changed: () => {
      refresh();
      if (mayPlay || !kernel.settled) return;
      mayPlay = true;
      if (kernel.live) followPlaying();
      else save("playing", false);
    },
    accepted: () => drafts.accept(),
    refused: () => drafts.refuse(),
  });

  const runs = watchRuns(page, signal, refresh);

  /** @type {import("./types.js").Actions} */
  const actions = {
    goto(step) {
      save("playing", false);
      goto(step);
    },
    gotoStop(place) {
      if (view !== null) actions.goto(view.stops.stepAt(place));
    },
    visit(step) {
      if (view !== null) actions.gotoStop(view.stops.placeOf(step));
    },
    move(where) {
      if (view !== null) actions.goto(view.stops.moved(view.step, where));
    },
    togglePlay() {
      if (view === null) return;
      mayPlay = true;
      if (!player.playing && view.step >= view.frames.count - 1) goto(0);
      save("playing", !player.playing);
    },
    setSpeed(speed) {
      save("speed", speed);
    },
    select(id) {
      save("selected", id);
    },
    setLang(lang) {
      save("lang", lang);
    },
    toggle(box, isExpanded) {
      actions.send({ action: isExpanded ? "expand" : "collapse", box });
    },
    stepInto(box, step) {
      if (!view?.can({ action: "expand", box })) return;
      actions.goto(step);
      actions.toggle(box, true);
    },
    setDirection(direction) {
      save("direction", direction);
    },
    togglePredicting() {
      save("predicting", !model.get("predicting"));
    },
    answered(step, right) {
      const score = view?.score;
      if (score === undefined || score.steps.includes(step)) return;
      save("score", {
        right: score.right + (right ? 1 : 0), asked: score.asked + 1, steps: [...score.steps, step],
      });
    },
    send(request) {
      if (view === null || view.busy) return;
      const kept = kernel.live ? null : keptAnswer(model, request);
      if (kept === null) kernel.send(request);
      else {
        // All at once, as Python sends them: a picture belongs to the boxes that are open in it.
        isHeld = true;
        for (const [trait, value] of Object.entries(kept)) model.set(trait, value);
        isHeld = false;
        refresh();
      }
    },
  };
  /** @type {import("./types.js").Context} */
  const context = { document, signal, words, actions };

  const comparison = createComparison(context);
  const controls = createControls(context, comparison.element);
  const caption = createCaption(context);
  const picture = createPicture(context);
  const legend = createLegend(context, picture.tools);
  const code = createCodePanel(context);
  const prediction = createPrediction(context);
  const runTo = createRunTo(context);
  const values = createValues(context);
  const timeline = createTimeline(context);
  const inspector = createInspector(context);
  const hooks = createHookPanel(context, drafts);
  const notice = createNotice(context);
  const transcript = createTranscript(context);
  const hooksCode = createHooksCode(context);
  const parts = [
    controls, comparison, prediction, caption, picture, legend, code, runTo, timeline, inspector, values, hooks, notice, transcript,
    hooksCode,
  ];
  timeline.element.firstElementChild?.after(runTo.element);
  const noticeSlot = make(document, "div", "hv-notice-slot");
  const root = make(document, "div", "hv-root hv-theme", { tabindex: "0", role: "region" }, [
    controls.element,
    prediction.element,
    noticeSlot,
    caption.element,
    make(document, "div", "hv-body", {}, [
      make(document, "div", "hv-main", {}, [picture.element, legend.element, inspector.element]),
      make(document, "div", "hv-panel", {}, [code.element, timeline.element]),
      hooks.element,
      values.element,
    ]),
    transcript.element,
    hooksCode.element,
  ]);

  const stepped = watchHaste(root, page, signal);
  letSaveKeyOut(root, page, signal);
  handleKeys(root, signal, actions, picture.pan);
  const paint = () => {
    const { theme, host } = themeOf(document, model.get("theme") ?? "auto");
    root.dataset.hvTheme = theme;
    root.dataset.hvHost = host;
  };
  paint();
  watchTheme(document, paint, signal);
  listen("theme", paint);
  listen("playing", followPlaying);
  for (const trait of TRAITS) listen(trait, refresh);
  signal.addEventListener("abort", () => player.leave(), { once: true });

  el.classList.add("hv-host");
  signal.addEventListener("abort", () => el.classList.remove("hv-host"), { once: true });
  // First into the page: the picture is fitted to sizes that are known only there.
  el.replaceChildren(root);
  refresh();

  function followPlaying() {
    if (!model.get("playing")) player.pause();
    else if (!player.playing && mayPlay) {
      lastPlayed = view?.step ?? -1;
      player.play();
    }
  }

  function refresh() {
    if (signal.aborted || isHeld) return;
    try {
      draw();
    } catch (error) {
      failed(error);
    }
  }

  function draw() {
    const before = view;
    view = readView(model, before, {
      live: kernel.live, saved: kernel.saved, waiting: kernel.waiting, slow: runs.slow, playing: Boolean(model.get("playing")),
      drafts: drafts.version,
    });
    runs.see(view.busy);
    player.speed = view.speed;
    if (view === before) return;
    words.use(model.get("strings"), view.lang);
    root.setAttribute("aria-label", ["hookviz", words.format(view.title)].filter(Boolean).join(" "));
    const language = view.lang === "zh" ? "zh-CN" : view.lang;
    // Set again, the same language would have the browser style everything anew at every step.
    if (root.lang !== language) root.lang = language;
    root.toggleAttribute("data-hv-busy", view.busy);
    root.toggleAttribute("data-hv-code", view.code.length > 0);
    root.toggleAttribute("data-hv-predicting", view.predicting);
    if (before !== null && view.step !== before.step) stepped();
    for (const part of parts) part.update(view, before);
    placeNotice(view);
  }

  /**
   * An error in a hook's source belongs below that source, anything else on top.
   *
   * @param {View} now
   */
  function placeNotice(now) {
    const { notice: said, shown } = now;
    const isHere = shown !== null && said !== null
      && (said.target === shown.id || shown.hooks.some((hook) => hook.id === said.hook));
    const slot = isHere ? hooks.noticeSlot : noticeSlot;
    if (notice.element.parentElement !== slot) slot.replaceChildren(notice.element);
  }

  /** @param {number} step */
  function goto(step) {
    if (view !== null) save("step", clamp(step, view.frames.count));
  }

  /**
   * @param {string} trait
   * @param {unknown} value
   */
  function save(trait, value) {
    if (model.get(trait) === value) return;
    model.set(trait, value);
    model.save_changes();
  }

  /**
   * @param {string} trait
   * @param {() => void} callback
   */
  function listen(trait, callback) {
    model.on(`change:${trait}`, callback);
    signal.addEventListener("abort", () => model.off(`change:${trait}`, callback), { once: true });
  }
}
