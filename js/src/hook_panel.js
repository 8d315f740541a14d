/** Show the chain of hooks of the tensor in the inspector, and keep which one is being edited. */

import { ChosenHooks, NEW } from "./chosen_hooks.js";
import { icon, make, setText } from "./dom.js";
import { createHookEditor } from "./hook_editor.js";
import { createHookRow } from "./hook_row.js";
import { isRewriting } from "./rewriting.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Tensor} Tensor */
/** @typedef {import("./hook_row.js").HookRow} HookRow */

/**
 * @param {import("./types.js").Context} context
 * @param {import("./drafts.js").Drafts} drafts
 * @returns {import("./types.js").Part & {noticeSlot: HTMLElement}}
 */
export function createHookPanel(context, drafts) {
  const { document, signal, words, actions } = context;
  const chosen = new ChosenHooks(drafts);
  /** @type {Map<string, HookRow>} */
  let rows = new Map();
  /** @type {View | null} */
  let shown = null;

  const heading = make(document, "h3", "hv-heading");
  const empty = make(document, "p", "hv-empty");
  const order = make(document, "p", "hv-order");
  const list = make(document, "ol", "hv-hook-list");
  const newLabel = make(document, "span");
  const newHook = make(document, "button", "hv-hook-choose hv-hook-new", { type: "button" }, [
    icon(document, "plus"), newLabel,
  ]);
  const editor = createHookEditor(context, drafts);
  const noticeSlot = make(document, "div", "hv-notice-slot");
  const element = make(document, "section", "hv-hooks", {}, [
    make(document, "div", "hv-section-head", {}, [heading]),
    empty, order, list, newHook, editor.element, noticeSlot,
  ]);

  newHook.addEventListener("click", () => choose(NEW), { signal });
  // Someone who types must not lose the tensor when the steps go on.
  editor.element.addEventListener("focusin", () => {
    if (shown?.shown && shown.selected === "") actions.select(shown.shown.id);
  }, { signal });

  return { element, noticeSlot, update };

  /** @param {View} view */
  function update(view) {
    const hadFocus = list.querySelector(":focus") !== null;
    shown = view;
    const tensor = view.shown;
    element.hidden = tensor === null;
    if (tensor === null) return;
    setText(heading, words.say("ui.hooks", { tensor: tensor.label }));
    const id = chosen.see(tensor);
    const now = tensor.hooks.find((hook) => hook.id === id) ?? null;
    drawRows(tensor, view, now);
    setText(empty, words.say(tensor.hookable ? "ui.hooks.empty" : "ui.hooks.not_hookable", { tensor: tensor.label }));
    empty.hidden = tensor.hooks.length > 0 && tensor.hookable;
    setText(order, words.say("ui.hooks.order"));
    order.hidden = tensor.hooks.length < 2;
    setText(newLabel, words.say("ui.new_hook"));
    newHook.hidden = tensor.hooks.length === 0 || !tensor.hookable;
    newHook.setAttribute("aria-pressed", String(now === null));
    editor.update(view, tensor, now);
    // The row with the focus may be gone: stay near it instead of falling out of the widget.
    if (hadFocus && list.querySelector(":focus") === null) editor.focus();
  }

  /**
   * @param {Tensor} tensor
   * @param {View} view
   * @param {import("./types.js").Hook | null} now The one in the text box.
   */
  function drawRows(tensor, view, now) {
    const before = rows;
    rows = new Map(tensor.hooks.map((hook) => [
      hook.id, before.get(hook.id) ?? createHookRow(context, choose),
    ]));
    const wanted = [...rows.values()].map((row) => row.element);
    // Elements that stay where they are keep the focus.
    if (wanted.length !== list.children.length || wanted.some((item, i) => item !== list.children[i])) {
      list.replaceChildren(...wanted);
    }
    tensor.hooks.forEach((hook, index) => {
      const did = view.frames.value(tensor.id, `hook:${hook.id}`, view.step);
      const same = tensor.hooks.filter((other) => other.kind === hook.kind);
      rows.get(hook.id)?.update(hook, {
        number: index + 1,
        place: same.indexOf(hook),
        last: same.length - 1,
        did: words.format(did),
        rewrote: isRewriting(did),
        state: words.format(view.frames.value(tensor.id, `hook-state:${hook.id}`, view.step)) || "pending",
        chosen: now === hook,
        live: view.live,
        busy: view.busy,
      });
    });
  }

  /** @param {string} id */
  function choose(id) {
    const tensor = shown?.shown;
    if (!shown || !tensor) return;
    chosen.choose(tensor, id);
    actions.select(tensor.id);
    update(shown);
    editor.focus();
  }
}
