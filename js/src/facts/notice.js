/** Show an error or a hint from Python: a title, the exact words of the error, and what to do. */

import { html } from "lit-html";
import { iconButton } from "../dom/template.js";

/** @type {hv.CreatePanel} */
export function createNotice({ words, actions, redraw }) {
  /** Python may be gone, so a dismissed notice is also remembered here. */
  let dismissed = -1;

  return ({ notice }) => {
    const hint = words.format(notice?.hint);
    return html`<div class="hv-notice" role="alert" ?hidden=${notice === null || notice.serial === dismissed}
      data-hv-kind=${notice?.kind ?? ""}>
      <div class="hv-notice-head"><strong class="hv-notice-title" dir="auto">${words.format(notice?.title)}</strong>${
        iconButton("close", words.say("ui.dismiss"), () => dismiss(notice?.serial ?? -1), { look: "hv-quiet" })}</div>
      <pre class="hv-notice-detail" tabindex="0" ?hidden=${!notice?.detail}>${lines(notice?.detail ?? "")}</pre>
      <p class="hv-notice-hint" dir="auto" ?hidden=${hint === ""}>${hint}</p>
    </div>`;
  };

  /** @param {number} serial */
  function dismiss(serial) {
    dismissed = serial;
    actions.send({ action: "dismiss" });
    redraw();
  }
}

/**
 * The words of an error. They may wrap, except for a line with a caret below it: there the caret has
 * to point at the right place.
 *
 * @param {string} text
 */
function lines(text) {
  const lines = text.split(/(?<=\n)/);
  /** @param {string | undefined} line */
  const isCaret = (line) => line !== undefined && /^\s*[\^~]+\s*$/.test(line);
  return lines.map((line, index) =>
    (isCaret(line) || isCaret(lines[index + 1]) ? html`<span class="hv-exact">${line}</span>` : line));
}
