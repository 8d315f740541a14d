/** Type the source of a hook, a new one or one that is there, and hand it to Python. */

import { createCodeEditor } from "./code_editor.js";
import { make, setText } from "./dom.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Tensor} Tensor */
/** @typedef {import("./types.js").Hook} Hook */

/**
 * @param {import("./types.js").Context} context
 * @param {import("./drafts.js").Drafts} drafts
 */
export function createHookEditor({ document, signal, words, actions }, drafts) {
  /** @type {{tensor: Tensor, hook: Hook | null} | null} */
  let editing = null;
  const place = () => ({ target: editing?.tensor.id ?? "", hook: editing?.hook?.id ?? "" });
  const source = () => editing?.hook?.source ?? "";

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
  const element = make(document, "div", "hv-editor", {}, [
    code.element,
    make(document, "div", "hv-editor-row", {}, [accept, cancel, draft]),
    help,
  ]);
  accept.addEventListener("click", submit, { signal });
  cancel.addEventListener("click", () => {
    code.setText(source());
    drafts.set(place(), source(), source());
    showDraft();
    code.box.focus();
  }, { signal });

  return {
    element,
    focus() {
      code.box.focus({ preventScroll: true });
    },
    /**
     * @param {View} view
     * @param {Tensor} tensor
     * @param {Hook | null} hook
     */
    update(view, tensor, hook) {
      editing = { tensor, hook };
      const fixed = hook !== null && !hook.editable;
      element.hidden = hook === null && !tensor.hookable;
      code.setText(drafts.get(place()) ?? source());
      code.box.readOnly = fixed;
      code.box.setAttribute("aria-label", words.say("ui.hook_source"));
      code.box.placeholder = hook === null ? words.say("ui.hook_source.placeholder") : "";
      code.box.setAttribute("aria-invalid", String(isRefused(view.notice, place())));
      setText(accept, words.say(hook === null ? "ui.add_hook" : "ui.apply"));
      accept.disabled = !view.live || fixed;
      accept.setAttribute("aria-disabled", String(view.busy));
      accept.title = view.live ? "" : words.say("ui.no_kernel.tooltip");
      setText(cancel, words.say("ui.cancel"));
      setText(draft, words.say("ui.draft"));
      setText(help, helpText(view, fixed, hook));
      showDraft();
    },
  };

  function submit() {
    if (editing === null || accept.disabled || accept.getAttribute("aria-disabled") === "true") return;
    const text = code.box.value;
    // An empty box is sent too: the refusal from Python says what was expected.
    drafts.send(place(), text);
    const { hook, tensor } = editing;
    actions.send(
      hook === null
        ? { action: "attach", target: tensor.id, source: text }
        : { action: "edit", hook: hook.id, source: text },
    );
  }

  function showDraft() {
    const changed = drafts.get(place()) !== undefined;
    draft.hidden = cancel.hidden = !changed;
  }

  /**
   * @param {View} view
   * @param {boolean} fixed
   * @param {Hook | null} hook
   */
  function helpText(view, fixed, hook) {
    if (!view.live) return words.say("ui.no_kernel");
    if (view.slow) return words.say("ui.busy.long", { code: "explorer.interrupt()" });
    if (fixed) return words.say(hook?.source ? "ui.hooks.not_editable" : "ui.hooks.no_source");
    return `${words.say("ui.hook_source.help")} ${words.say("ui.hook_source.keys")}`;
  }
}

/**
 * @param {import("./types.js").Notice | null} notice
 * @param {import("./drafts.js").Place} place
 */
function isRefused(notice, place) {
  if (notice?.kind !== "error") return false;
  return notice.hook !== "" ? notice.hook === place.hook : place.hook === "" && notice.target === place.target;
}
