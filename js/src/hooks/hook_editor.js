/** Type the source of a hook, a new one or one that is there, and hand it to Python. */

import { createCodeEditor } from "../code/code_editor.js";
import { make, setText } from "../dom/dom.js";
import { createHookKindForm } from "./hook_kind_form.js";
import { needsKernel } from "../dom/needs_kernel.js";
import { isChangeable, isHookable, isModule } from "../state/target.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").Target} Target */
/** @typedef {import("../types.js").Hook} Hook */

/**
 * @param {import("../types.js").Context} context
 * @param {import("../state/drafts.js").Drafts} drafts
 */
export function createHookEditor(context, drafts) {
  const { document, signal, words, actions } = context;
  /** @type {{view: View, target: Target, hook: Hook | null} | null} */
  let editing = null;
  const place = () => ({ target: editing?.target.id ?? "", hook: editing?.hook?.id ?? "" });
  /** What the box holds while nothing has been typed. */
  const source = () => {
    if (editing === null) return "";
    if (editing.hook !== null) return editing.hook.source;
    return isModule(editing.target) ? form.source() : "";
  };

  const form = createHookKindForm(context, () => {
    if (editing !== null) update(editing.view, editing.target, editing.hook);
  });
  const code = createCodeEditor(document, signal, {
    input(text) {
      drafts.set(place(), text, source());
      showDraft();
    },
    submit,
  });
  const accept = make(document, "button", "hv-button hv-primary", { type: "button" });
  const cancel = make(document, "button", "hv-button", { type: "button" });
  const draft = make(document, "span", "hv-draft");
  const help = make(document, "p", "hv-help");
  const row = make(document, "div", "hv-editor-row", {}, [accept, cancel, draft]);
  const element = make(document, "div", "hv-editor", {}, [form.element, code.element, row, help]);
  accept.addEventListener("click", submit, { signal });
  cancel.addEventListener("click", () => {
    code.setText(source());
    drafts.set(place(), source(), source());
    showDraft();
    code.box.focus();
  }, { signal });

  return {
    element,
    update,
    focus() {
      code.box.focus({ preventScroll: true });
    },
  };

  /**
   * @param {View} view
   * @param {Target} target
   * @param {Hook | null} hook
   */
  function update(view, target, hook) {
    editing = { view, target, hook };
    const fixed = hook !== null && !isChangeable(target, hook);
    // A page that was saved can only say why there is nothing to fill in.
    const isOffered = hook !== null || (isHookable(target) && !view.saved);
    form.update(hook === null && isOffered && isModule(target) ? target : null);
    element.hidden = !isOffered && !view.saved;
    code.element.hidden = row.hidden = !isOffered;
    code.setText(drafts.get(place()) ?? source());
    code.box.readOnly = fixed;
    code.box.setAttribute("aria-label", words.say("ui.hook_source"));
    code.box.placeholder = hook === null && !isModule(target) ? words.say("ui.hook_source.placeholder") : "";
    code.box.setAttribute("aria-invalid", String(isRefused(view.notice, place())));
    setText(accept, words.say(hook === null ? "ui.add_hook" : "ui.apply"));
    accept.disabled = !view.live || fixed;
    accept.setAttribute("aria-disabled", String(view.busy));
    accept.title = view.live ? "" : needsKernel(words, view.saved, accept.textContent ?? "");
    setText(cancel, words.say("ui.cancel"));
    setText(draft, words.say("ui.draft"));
    setText(help, helpText(view, fixed, hook, isModule(target)));
    showDraft();
  }

  function submit() {
    if (editing === null || accept.disabled || accept.getAttribute("aria-disabled") === "true") return;
    const text = code.box.value;
    // An empty box is sent too: the refusal from Python says what was expected.
    drafts.send(place(), text);
    const { hook, target } = editing;
    if (hook !== null) return actions.send({ action: "edit", hook: hook.id, source: text });
    const { kind, withKwargs } = form.get();
    const more = isModule(target) ? { kind, with_kwargs: withKwargs } : {};
    actions.send({ action: "attach", target: target.id, source: text, ...more });
  }

  function showDraft() {
    const changed = drafts.get(place()) !== undefined;
    draft.hidden = cancel.hidden = !changed;
  }

  /**
   * @param {View} view
   * @param {boolean} fixed
   * @param {Hook | null} hook
   * @param {boolean} isOfModule
   */
  function helpText(view, fixed, hook, isOfModule) {
    if (!view.live) return words.say(view.saved ? "ui.saved" : "ui.no_kernel");
    if (view.slow) return words.say("ui.busy.long", { code: "explorer.interrupt()" });
    if (fixed) return words.say(hook?.source ? "ui.hooks.not_editable" : "ui.hooks.no_source");
    const kind = hook === null ? form.get().kind : hook.kind;
    const what = isOfModule
      ? words.say(`ui.hook_source.help.${kind}`, { input: "grad_input", output: "grad_output" })
      : words.say("ui.hook_source.help");
    return `${what} ${words.say("ui.hook_source.keys")}`;
  }
}

/**
 * @param {import("../types.js").Notice | null} notice
 * @param {import("../state/drafts.js").Place} place
 */
function isRefused(notice, place) {
  if (notice?.kind !== "error") return false;
  return notice.hook !== "" ? notice.hook === place.hook : place.hook === "" && notice.target === place.target;
}
