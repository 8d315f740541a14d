/** Make elements. Text is only ever set as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Document} document
 * @param {Tag} tag
 * @param {string} [className]
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(document, tag, className = "", attributes = {}, children = []) {
  const element = document.createElement(tag);
  if (className !== "") element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Document} document
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {Node[]} [children]
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function makeSvg(document, tag, attributes = {}, children = []) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Set text only when it differs: screen readers and the layout notice every assignment.
 *
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
