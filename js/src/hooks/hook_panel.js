/** Show the hooks of what is in the inspector, and keep which one is being edited. */

import { html, nothing } from "lit-html";
import { make } from "../dom/dom.js";
import { draw, icon } from "../dom/template.js";
import { ChosenHooks, NEW } from "../state/chosen_hooks.js";
import { isHookable, isModule } from "../state/target.js";
import { createHookEditor } from "./hook_editor.js";
import { hookList } from "./hook_list.js";

/**
 * @param {hv.Context} context
 * @param {import("../state/drafts.js").Drafts} drafts
 * @param {hv.CreateCodeEditor} createCodeEditor
 * @returns {{element: HTMLElement, update: (view: hv.View, notice: unknown) => void}}
 */
export function createHookPanel(context, drafts, createCodeEditor) {
  const { document, signal, words, actions, redraw } = context;
  const chosen = new ChosenHooks(drafts);
  /** @type {hv.View | null} */
  let shown = null;
  const editor = createHookEditor(context, drafts, createCodeEditor);
  const element = make(document, "section", "hv-hooks");
  // Someone who types must not lose the tensor when the steps go on.
  editor.element.addEventListener("focusin", keep, { signal });

  return { element, update };

  /**
   * @param {hv.View} view
   * @param {unknown} notice What Python said of a hook here.
   */
  function update(view, notice) {
    const hadFocus = hasFocus();
    shown = view;
    const target = view.shown;
    element.hidden = target === null;
    if (target === null) return draw(element, nothing);
    const { hooks, label } = target;
    const canAdd = isHookable(target);
    const id = chosen.see(target);
    const now = hooks.find((hook) => hook.id === id) ?? null;
    const empty = canAdd || view.saved ? "ui.hooks.empty" : "ui.hooks.not_hookable";
    editor.update(view, target, now);
    const heading = words.say("ui.hooks", { tensor: label });
    draw(element, html`<div class="hv-section-head"><h3 class="hv-heading">${heading}</h3></div>
      <p class="hv-empty" ?hidden=${hooks.length > 0 && (canAdd || view.saved)}>${
        words.say(empty, { tensor: label, code: "hookviz.explore(lambda: ...)" })}</p>
      <p class="hv-order" ?hidden=${isModule(target) || hooks.length < 2}>${words.say("ui.hooks.order")}</p>
      ${hookList(context, view, target, now, choose)}
      <button type="button" class="hv-hook-choose hv-hook-new" aria-pressed=${now === null}
        ?hidden=${hooks.length === 0 || !canAdd || view.saved} @click=${() => choose(NEW)}>${icon("plus")}<span>${
        words.say("ui.new_hook")}</span></button>
      ${editor.element}
      <div class="hv-notice-slot">${notice}</div>`);
    // The row with the focus may be gone: stay near it instead of falling out of the widget.
    if (hadFocus && !hasFocus()) editor.focus();
  }

  function hasFocus() {
    return element.querySelector(".hv-hook-lists :focus") !== null;
  }

  /** @param {string} id */
  function choose(id) {
    const target = shown?.shown;
    if (!target) return;
    chosen.choose(target, id);
    keep();
    redraw();
    editor.focus();
  }

  function keep() {
    if (shown?.shown && shown.selected === "") actions.select(shown.shown.id);
  }
}
