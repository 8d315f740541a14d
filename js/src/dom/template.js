/** Draw panels from templates: only what has changed is touched, and text is only ever text. */

import { html, nothing, render } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "./icons.js";
import { STYLES } from "./message.js";

/**
 * @param {HTMLElement} element
 * @param {unknown} content What is in it from now on.
 */
export function draw(element, content) {
  // The page may be another one than the script's own, as in a window of its own.
  render(content, element, { creationScope: element.ownerDocument });
}

/** @param {string} name */
export function icon(name) {
  return html`<svg class="hv-icon hv-icon-${name}" viewBox="0 0 16 16" aria-hidden="true"><path
    d=${ICONS[name]}></path></svg>`;
}

/**
 * @typedef {object} ButtonState
 * @property {string} [look] Classes.
 * @property {string} [title] A tooltip.
 * @property {boolean} [isPossible] Whether it acts now. If not it says so by `aria-disabled`: a button that has the
 *   focus must not lose it.
 * @property {boolean} [isOff] Whether it can never act here.
 * @property {boolean} [isPressed]
 * @property {boolean} [isHidden]
 */

/**
 * A button with words on it.
 *
 * @param {string} text
 * @param {(event: any) => void} act
 * @param {ButtonState} [state]
 */
export function textButton(text, act, { look = "hv-small", title, isPossible, isOff, isPressed, isHidden } = {}) {
  return html`<button type="button" class="hv-button ${look}" title=${title || nothing} ?disabled=${isOff}
    ?hidden=${isHidden} aria-disabled=${isIdle(isPossible)} aria-pressed=${isPressed ?? nothing}
    @click=${isPossible === false ? null : act}>${text}</button>`;
}

/**
 * A button with one icon; its name is spoken, and a tooltip.
 *
 * @param {string} sign
 * @param {string} name
 * @param {(event: any) => void} act
 * @param {ButtonState & {text?: string}} [state]
 */
export function iconButton(sign, name, act, { look = "", title = name, isPossible, isOff, isHidden, text } = {}) {
  const words = text === undefined ? nothing : html`<span>${text}</span>`;
  return html`<button type="button" class="hv-button hv-icon-button ${look}" aria-label=${name} title=${title}
    ?disabled=${isOff} ?hidden=${isHidden} aria-disabled=${isIdle(isPossible)}
    @click=${isPossible === false ? null : act}>${words}${icon(sign)}</button>`;
}

/** @param {boolean | undefined} isPossible */
function isIdle(isPossible) {
  return isPossible === undefined ? nothing : String(!isPossible);
}

/**
 * A list of which one is chosen.
 *
 * @param {string} name Spoken; "" where a label stands around it.
 * @param {{value: string, text: string, isOff?: boolean, look?: string}[]} choices
 * @param {string} chosen
 * @param {(value: string) => void} act
 * @param {ButtonState} [state]
 */
export function select(name, choices, chosen, act, { look = "", title = name, isOff, isHidden } = {}) {
  return html`<select class="hv-select ${look}" aria-label=${name || nothing} title=${title || nothing} ?disabled=${isOff}
    ?hidden=${isHidden} @change=${(/** @type {any} */ event) => act(event.target.value)}>${
    choices.map((choice) => html`<option class=${choice.look ?? nothing} value=${choice.value} ?disabled=${choice.isOff}
      .selected=${live(choice.value === chosen)}>${choice.text}</option>`)}</select>`;
}

/**
 * The pieces of a text; those that mean something get the name of their placeholder as class.
 *
 * @param {import("./message.js").Segment[]} segments
 */
export function said(segments) {
  return segments.map(({ style, text }) =>
    (STYLES.has(style) ? html`<bdi class="hv-say hv-say-${style}">${text}</bdi>` : text));
}
