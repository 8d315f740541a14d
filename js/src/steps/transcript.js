/** Offer the whole pass as text, for those who cannot or do not want to see the picture. */

import { make, setText } from "../dom/dom.js";

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createTranscript({ document, words }) {
  const summary = make(document, "summary", "hv-summary");
  const text = make(document, "pre", "hv-passage-text", { tabindex: "0" });
  const element = make(document, "details", "hv-passage", {}, [summary, text]);
  return {
    element,
    update(view) {
      const said = Object.hasOwn(view.transcript, view.lang) ? view.transcript[view.lang] : "";
      element.hidden = said === "";
      setText(summary, words.say("ui.transcript"));
      setText(text, said);
    },
  };
}
