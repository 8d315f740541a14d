/** Offer the whole pass as text, for those who cannot or do not want to see the picture. */

import { html } from "lit-html";

/** @type {hv.Panel} */
export function transcript({ words }, { transcript, lang }) {
  const text = Object.hasOwn(transcript, lang) ? transcript[lang] : "";
  return html`<details class="hv-passage" ?hidden=${text === ""}>
    <summary class="hv-summary">${words.say("ui.transcript")}</summary><pre class="hv-passage-text" tabindex="0">${text}</pre>
  </details>`;
}
