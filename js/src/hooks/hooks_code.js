/** Offer the hooks as plain PyTorch lines, to be copied into a program. */

import { html } from "lit-html";
import { textButton } from "../dom/template.js";

const SAID_FOR = 2000;

/** @type {hv.CreatePanel} */
export function createHooksCode({ document, words, redraw }) {
  const page = document.defaultView ?? window;
  let isCopied = false;

  return ({ hooksCode }) => html`<details class="hv-passage hv-hooks-code" ?hidden=${hooksCode === ""}>
    <summary class="hv-summary">${words.say("ui.hooks_code")}</summary>
    <div class="hv-copy-row">${textButton(words.say("ui.copy"), ({ currentTarget }) => copy(currentTarget, hooksCode))}
      <span class="hv-copied" aria-live="polite">${isCopied ? words.say("ui.copied") : ""}</span></div>
    <pre class="hv-passage-text" tabindex="0">${hooksCode}</pre>
  </details>`;

  /**
   * @param {Element} button
   * @param {string} text
   */
  async function copy(button, text) {
    try {
      await page.navigator.clipboard.writeText(text);
      tell(true);
      page.setTimeout(() => tell(false), SAID_FOR);
    } catch {
      // Without leave to use the clipboard the text is selected: one more key copies it.
      const place = button.closest("details")?.querySelector("pre");
      if (place) page.getSelection()?.selectAllChildren(place);
    }
  }

  /** @param {boolean} now */
  function tell(now) {
    isCopied = now;
    redraw();
  }
}
