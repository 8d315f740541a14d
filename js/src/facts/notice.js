/** Show an error or a hint from Python: a title, the exact words of the error, and what to do. */

import { iconButton, make, nameButton, setText } from "../dom/dom.js";

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createNotice({ document, signal, words, actions }) {
  const title = make(document, "strong", "hv-notice-title", { dir: "auto" });
  const detail = make(document, "pre", "hv-notice-detail", { tabindex: "0" });
  const hint = make(document, "p", "hv-notice-hint", { dir: "auto" });
  const dismiss = iconButton(document, "close", "hv-quiet");
  const element = make(document, "div", "hv-notice", { role: "alert" }, [
    make(document, "div", "hv-notice-head", {}, [title, dismiss]),
    detail,
    hint,
  ]);
  /** Python may be gone, so a dismissed notice is also remembered here. */
  let dismissed = -1;
  let serial = -1;

  dismiss.addEventListener("click", () => {
    dismissed = serial;
    element.hidden = true;
    actions.send({ action: "dismiss" });
  }, { signal });

  return {
    element,
    update({ notice }) {
      serial = notice?.serial ?? -1;
      element.hidden = notice === null || serial === dismissed;
      element.dataset.hvKind = notice?.kind ?? "";
      setText(title, words.format(notice?.title));
      setDetail(detail, notice?.detail ?? "");
      detail.hidden = !notice?.detail;
      setText(hint, words.format(notice?.hint));
      hint.hidden = hint.textContent === "";
      nameButton(dismiss, words.say("ui.dismiss"));
    },
  };
}

/**
 * Write the words of an error. They may wrap, except for a line with a caret below it: there the
 * caret has to point at the right place.
 *
 * @param {HTMLElement} element
 * @param {string} text
 */
function setDetail(element, text) {
  if (element.textContent === text) return;
  const lines = text.split(/(?<=\n)/);
  /** @param {string | undefined} line */
  const isCaret = (line) => line !== undefined && /^\s*[\^~]+\s*$/.test(line);
  element.replaceChildren(
    ...lines.map((line, index) =>
      isCaret(line) || isCaret(lines[index + 1])
        ? make(element.ownerDocument, "span", "hv-exact", {}, [line])
        : line,
    ),
  );
}
