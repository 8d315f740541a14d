/** Show the hooks of what is in the inspector, and keep which one is being edited. */

import { ChosenHooks, NEW } from "../state/chosen_hooks.js";
import { icon, make, setText } from "../dom/dom.js";
import { createHookEditor } from "./hook_editor.js";
import { createHookList } from "./hook_list.js";
import { isHookable, isModule } from "../state/target.js";

/** @typedef {import("../types.js").View} View */

/**
 * @param {import("../types.js").Context} context
 * @param {import("../state/drafts.js").Drafts} drafts
 * @returns {import("../types.js").Part & {noticeSlot: HTMLElement}}
 */
export function createHookPanel(context, drafts) {
  const { document, signal, words, actions } = context;
  const chosen = new ChosenHooks(drafts);
  /** @type {View | null} */
  let shown = null;

  const heading = make(document, "h3", "hv-heading");
  const empty = make(document, "p", "hv-empty");
  const order = make(document, "p", "hv-order");
  const list = createHookList(context, choose);
  const newLabel = make(document, "span");
  const newHook = make(document, "button", "hv-hook-choose hv-hook-new", { type: "button" }, [
    icon(document, "plus"), newLabel,
  ]);
  const editor = createHookEditor(context, drafts);
  const noticeSlot = make(document, "div", "hv-notice-slot");
  const element = make(document, "section", "hv-hooks", {}, [
    make(document, "div", "hv-section-head", {}, [heading]),
    empty, order, list.element, newHook, editor.element, noticeSlot,
  ]);

  newHook.addEventListener("click", () => choose(NEW), { signal });
  // Someone who types must not lose the tensor when the steps go on.
  editor.element.addEventListener("focusin", keep, { signal });

  return { element, noticeSlot, update };

  /** @param {View} view */
  function update(view) {
    const hadFocus = list.hasFocus();
    shown = view;
    const target = view.shown;
    element.hidden = target === null;
    if (target === null) return;
    const name = { tensor: target.label };
    const canAdd = isHookable(target);
    setText(heading, words.say("ui.hooks", name));
    const id = chosen.see(target);
    const now = target.hooks.find((hook) => hook.id === id) ?? null;
    list.update(view, target, now);
    setText(empty, words.say(canAdd || view.saved ? "ui.hooks.empty" : "ui.hooks.not_hookable", { ...name, code: "hookviz.explore(lambda: ...)" }));
    empty.hidden = target.hooks.length > 0 && (canAdd || view.saved);
    setText(order, words.say("ui.hooks.order"));
    order.hidden = isModule(target) || target.hooks.length < 2;
    setText(newLabel, words.say("ui.new_hook"));
    newHook.hidden = target.hooks.length === 0 || !canAdd || view.saved;
    newHook.setAttribute("aria-pressed", String(now === null));
    editor.update(view, target, now);
    // The row with the focus may be gone: stay near it instead of falling out of the widget.
    if (hadFocus && !list.hasFocus()) editor.focus();
  }

  /** @param {string} id */
  function choose(id) {
    const target = shown?.shown;
    if (!shown || !target) return;
    chosen.choose(target, id);
    keep();
    update(shown);
    editor.focus();
  }

  function keep() {
    if (shown?.shown && shown.selected === "") actions.select(shown.shown.id);
  }
}
