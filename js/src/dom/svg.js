/** Read the picture that Python drew, keeping only what a drawing needs. */

/** What `hookviz/_view/svg/picture.py` draws with. A saved notebook may hold something else. */
const ALLOWED = new Set([
  "svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title", "desc",
]);

/**
 * @param {Document} document
 * @param {string} markup A whole `<svg>` document.
 * @returns {SVGSVGElement | null} `null` when it is not one.
 */
export function parseSvg(document, markup) {
  const Parser = document.defaultView?.DOMParser ?? DOMParser;
  const root = new Parser().parseFromString(markup, "image/svg+xml").documentElement;
  if (root.localName !== "svg" || root.querySelector("parsererror") !== null) return null;
  clean(root);
  // Programs that read a picture as text run the words of neighbors together otherwise.
  for (const text of root.querySelectorAll("g > text")) text.after(" ");
  return /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(root, true)));
}

/** @param {Element} root */
function clean(root) {
  for (const element of [root, ...root.querySelectorAll("*")]) {
    if (!ALLOWED.has(element.localName)) {
      element.remove();
      continue;
    }
    for (const { name } of [...element.attributes]) {
      if (/^on/i.test(name) || /(^|:)href$/i.test(name)) element.removeAttribute(name);
    }
  }
}
