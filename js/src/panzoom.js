/** Move and scale the picture inside its box; a plain wheel keeps scrolling the page. */

import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { iconButton, make, nameButton } from "./dom.js";

const TALLEST = 560;
const LOWEST = 160;
/** Below this scale text cannot be read: then a part of the picture is shown instead. */
const READABLE = 0.55;
/** Down to this scale the whole picture is better than a larger part of it. */
const COMFORTABLE = 0.66;
const MARGIN = 12;

/**
 * @param {import("./types.js").Context} context
 * @param {HTMLElement} stage Holds the picture.
 */
export function createPanZoom({ document, signal, words }, stage) {
  const buttons = {
    zoom_in: iconButton(document, "plus", "hv-quiet"),
    zoom_out: iconButton(document, "minus", "hv-quiet"),
    zoom_fit: iconButton(document, "fit", "hv-quiet"),
  };
  const element = make(document, "div", "hv-zoom-buttons", {}, Object.values(buttons));
  /** @type {SVGSVGElement | null} */
  let svg = null;
  let size = { width: 1, height: 1 };
  /** Until someone moves the picture, it is fitted again whenever its box changes. */
  let untouched = true;
  let shown = false;
  /** @type {Element | null} What has to stay in sight when not all of the picture fits. */
  let target = null;

  const behavior = /** @type {import("d3-zoom").ZoomBehavior<HTMLElement, unknown>} */ (
    /** @type {unknown} */ (zoom())
  );
  behavior
    .extent(() => /** @type {[[number, number], [number, number]]} */ ([
      [0, 0], [stage.clientWidth, stage.clientHeight],
    ]))
    .touchable(() => "ontouchstart" in stage)
    .filter(isOurs)
    .on("zoom", ({ transform, sourceEvent }) => {
      if (sourceEvent) untouched = false;
      stage.classList.toggle("hv-gliding", !sourceEvent);
      if (svg !== null) svg.style.transform = `translate(${transform.x}px, ${transform.y}px) scale(${transform.k})`;
    });
  const selection = select(stage);
  selection.call(behavior).on("dblclick.zoom", null);
  signal.addEventListener("abort", () => selection.on(".zoom", null), { once: true });

  buttons.zoom_in.addEventListener("click", () => scale(1.3), { signal });
  buttons.zoom_out.addEventListener("click", () => scale(1 / 1.3), { signal });
  buttons.zoom_fit.addEventListener("click", () => {
    untouched = true;
    fit(0);
  }, { signal });
  // The browser scrolls the box to show a card that gets the focus; `reveal` does that instead.
  stage.addEventListener("scroll", () => stage.scrollTo(0, 0), { signal });
  watchSize(stage, signal, () => {
    if (svg === null || stage.clientWidth === 0) return;
    if (untouched || !shown) fit(READABLE);
    else behavior.translateBy(selection, 0, 0);
  });

  return { element, update, show, reveal };

  function update() {
    for (const [name, button] of Object.entries(buttons)) nameButton(button, words.say(`ui.${name}`));
  }

  /**
   * @param {SVGSVGElement} picture
   * @param {SVGSVGElement | null} old The picture it replaces, after an edit.
   */
  function show(picture, old) {
    svg = picture;
    const box = numbers(picture.getAttribute("viewBox"));
    size = { width: box[2] || 1, height: box[3] || 1 };
    picture.style.width = `${size.width}px`;
    picture.style.height = `${size.height}px`;
    behavior.translateExtent([[-MARGIN, -MARGIN], [size.width + MARGIN, size.height + MARGIN]]);
    const isAlike = old?.getAttribute("viewBox") === picture.getAttribute("viewBox");
    if (isAlike && old) picture.style.transform = old.style.transform;
    else untouched = true;
    if (untouched) fit(READABLE);
  }

  /** @param {number} lowest The smallest scale that will do; 0 shows the whole picture. */
  function fit(lowest) {
    const width = stage.clientWidth;
    if (svg === null || width === 0) return;
    shown = true;
    const widest = Math.min(1, (width - 2 * MARGIN) / size.width);
    const readable = Math.max(widest, lowest);
    const height = Math.min(TALLEST, Math.max(LOWEST, size.height * readable + 2 * MARGIN));
    stage.style.minHeight = `${Math.round(height)}px`;
    // A picture that does not fit takes all the room beside the panel.
    stage.classList.toggle("hv-stage-grows", size.height * readable + 2 * MARGIN > TALLEST);
    const whole = Math.min(widest, (stage.clientHeight - 2 * MARGIN) / size.height);
    const k = whole >= COMFORTABLE || lowest === 0 ? whole : readable;
    behavior.scaleExtent([Math.min(0.1, whole), 4]);
    const x = Math.max(MARGIN, (width - size.width * k) / 2);
    const y = Math.max(MARGIN, (stage.clientHeight - size.height * k) / 2);
    behavior.transform(selection, zoomIdentity.translate(x, y).scale(k));
    if (target?.isConnected) reveal(target);
  }

  /** @param {number} factor */
  function scale(factor) {
    untouched = false;
    behavior.scaleBy(selection, factor);
  }

  /**
   * Bring an element of the picture into the box, and leave it alone if it is there.
   *
   * @param {Element} element
   */
  function reveal(element) {
    target = element;
    const frame = stage.getBoundingClientRect();
    const place = element.getBoundingClientRect();
    const x = shift(place.left, place.right, frame.left, frame.right);
    const y = shift(place.top, place.bottom, frame.top, frame.bottom);
    if (frame.width === 0 || (x === 0 && y === 0) || svg === null) return;
    const k = Number(/scale\(([^)]+)\)/.exec(svg.style.transform)?.[1] ?? 1);
    behavior.translateBy(selection, x / k, y / k);
  }
}

/**
 * Take a drag with the main button, Ctrl and the wheel, or two fingers; leave the rest to the page.
 *
 * @param {any} event
 */
function isOurs(event) {
  if (event.type === "wheel") return event.ctrlKey || event.metaKey;
  if (event.touches !== undefined) return event.touches.length > 1;
  return !event.button && !event.ctrlKey;
}

/**
 * How far to move something so that it lies inside, with some room around it.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} lowest
 * @param {number} highest
 */
function shift(low, high, lowest, highest) {
  const fits = high - low + 2 * MARGIN <= highest - lowest;
  if (low < lowest + 1) return lowest + (fits ? MARGIN : 0) - low;
  if (high > highest - 1) return fits ? highest - MARGIN - high : lowest - low;
  return 0;
}

/**
 * @param {HTMLElement} element
 * @param {AbortSignal} signal
 * @param {() => void} callback
 */
function watchSize(element, signal, callback) {
  const Observer = element.ownerDocument.defaultView?.ResizeObserver;
  if (Observer === undefined) return;
  const observer = new Observer(callback);
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
}

/** @param {string | null} viewBox */
function numbers(viewBox) {
  return (viewBox ?? "").split(/[\s,]+/).map(Number);
}
