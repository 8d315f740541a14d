/** Type the source of a hook, a new one or one that is there, and hand it to Python. */

import { html } from "lit-html";
import { make } from "../dom/dom.js";
import { needsKernel } from "../dom/needs_kernel.js";
import { draw, textButton } from "../dom/template.js";
import { isChangeable, isHookable, isModule } from "../state/target.js";
import { createHookKindForm } from "./hook_kind_form.js";

/** @typedef {{view: hv.View, target: hv.Target, hook: hv.Hook | null}} Editing `hook` is `null` for one yet to be added. */

/**
 * @param {hv.Context} context
 * @param {import("../state/drafts.js").Drafts} drafts
 * @param {hv.CreateCodeEditor} createCodeEditor
 */
export function createHookEditor(context, drafts, createCodeEditor) {
  const { document, signal, words, actions, redraw } = context;
  /** @type {Editing | null} */
  let editing = null;
  const form = createHookKindForm(context);
  const code = createCodeEditor(document, signal, { input: set, submit });
  const element = make(document, "div", "hv-editor");

  return {
    element,
    /**
     * @param {hv.View} view
     * @param {hv.Target} target
     * @param {hv.Hook | null} hook
     */
    update(view, target, hook) {
      editing = { view, target, hook };
      show(editing);
    },
    focus() {
      code.box.focus({ preventScroll: true });
    },
  };

  function place() {
    return { target: editing?.target.id ?? "", hook: editing?.hook?.id ?? "" };
  }

  /** What the box holds while nothing has been typed. */
  function source() {
    if (editing === null) return "";
    if (editing.hook !== null) return editing.hook.source;
    return isModule(editing.target) ? form.source(editing.target) : "";
  }

  /** @param {string} text */
  function set(text) {
    drafts.set(place(), text, source());
    redraw();
  }

  /** @param {Editing} now */
  function show({ view, target, hook }) {
    const isFixed = hook !== null && !isChangeable(target, hook);
    // A page that was saved can only say why there is nothing to fill in.
    const isOffered = hook !== null || (isHookable(target) && !view.saved);
    element.hidden = !isOffered && !view.saved;
    code.element.hidden = !isOffered;
    code.setText(drafts.get(place()) ?? source());
    code.box.readOnly = isFixed;
    code.box.setAttribute("aria-label", words.say("ui.hook_source"));
    code.box.placeholder = hook === null && !isModule(target) ? words.say("ui.hook_source.placeholder") : "";
    code.box.setAttribute("aria-invalid", String(isRefused(view.notice, place())));
    const name = words.say(hook === null ? "ui.add_hook" : "ui.apply");
    const isDraft = drafts.get(place()) !== undefined;
    draw(element, html`${form.draw(hook === null && isOffered && isModule(target) ? target : null)}${code.element}
      <div class="hv-editor-row" ?hidden=${!isOffered}>
        ${textButton(name, submit, {
          look: "hv-primary",
          isOff: !view.live || isFixed,
          isPossible: !view.busy,
          title: view.live ? "" : needsKernel(words, view.saved, name),
        })}
        ${textButton(words.say("ui.cancel"), revert, { look: "", isHidden: !isDraft })}
        <span class="hv-draft" ?hidden=${!isDraft}>${words.say("ui.draft")}</span>
      </div>
      <p class="hv-help">${helpText(view, target, hook, isFixed)}</p>`);
  }

  function revert() {
    code.setText(source());
    set(source());
    code.box.focus();
  }

  function submit() {
    if (editing === null) return;
    const { view, target, hook } = editing;
    if (view.busy || !view.live || (hook !== null && !isChangeable(target, hook))) return;
    const text = code.box.value;
    // An empty box is sent too: the refusal from Python says what was expected.
    drafts.send(place(), text);
    if (hook !== null) return actions.send({ action: "edit", hook: hook.id, source: text });
    actions.send({ action: "attach", target: target.id, source: text, ...(isModule(target) ? form.asked(target) : {}) });
  }

  /**
   * @param {hv.View} view
   * @param {hv.Target} target
   * @param {hv.Hook | null} hook
   * @param {boolean} isFixed
   */
  function helpText(view, target, hook, isFixed) {
    if (!view.live) return words.say(view.saved ? "ui.saved" : "ui.no_kernel");
    if (view.slow) return words.say("ui.busy.long", { code: "explorer.interrupt()" });
    if (isFixed) return words.say(hook?.source ? "ui.hooks.not_editable" : "ui.hooks.no_source");
    const what = isModule(target)
      ? words.say(`ui.hook_source.help.${hook?.kind ?? form.asked(target).kind}`, { input: "grad_input", output: "grad_output" })
      : words.say("ui.hook_source.help");
    return `${what} ${words.say("ui.hook_source.keys")}`;
  }
}

/**
 * @param {hv.Notice | null} notice
 * @param {import("../state/drafts.js").Place} place
 */
function isRefused(notice, place) {
  if (notice?.kind !== "error") return false;
  return notice.hook !== "" ? notice.hook === place.hook : place.hook === "" && notice.target === place.target;
}
