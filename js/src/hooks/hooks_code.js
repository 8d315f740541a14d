/** Offer the hooks as plain PyTorch lines, to be copied into a program. */

import { make, setText } from "../dom/dom.js";

const SAID_FOR = 2000;

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createHooksCode({ document, signal, words }) {
  const summary = make(document, "summary", "hv-summary");
  const text = make(document, "pre", "hv-passage-text", { tabindex: "0" });
  const copy = make(document, "button", "hv-button hv-small", { type: "button" });
  const said = make(document, "span", "hv-copied", { "aria-live": "polite" });
  const element = make(document, "details", "hv-passage hv-hooks-code", {}, [
    summary, make(document, "div", "hv-copy-row", {}, [copy, said]), text,
  ]);
  const page = document.defaultView ?? window;

  copy.addEventListener("click", async () => {
    try {
      await page.navigator.clipboard.writeText(text.textContent ?? "");
      setText(said, words.say("ui.copied"));
      page.setTimeout(() => setText(said, ""), SAID_FOR);
    } catch {
      // Without leave to use the clipboard the text is selected: one more key copies it.
      page.getSelection()?.selectAllChildren(text);
    }
  }, { signal });

  return {
    element,
    update(view) {
      element.hidden = view.hooksCode === "";
      setText(summary, words.say("ui.hooks_code"));
      setText(copy, words.say("ui.copy"));
      setText(text, view.hooksCode);
    },
  };
}
