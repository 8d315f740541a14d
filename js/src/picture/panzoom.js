/** Move and scale the picture inside its box; a plain wheel keeps scrolling the page. */

import { select } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform } from "d3-zoom";
import { html } from "lit-html";
import { iconButton } from "../dom/template.js";
import { fitted, inBox, isWhole, MARGIN, revealing, scalesFor, sightOf } from "./camera.js";
import { placeInPicture } from "./places.js";
import { createSight } from "./sight.js";

/** How far one press of a key moves the picture. */
const STRIDE = 80;

/** @typedef {import("./camera.js").Place} Place */

/**
 * @param {hv.Context} context
 * @param {HTMLElement} stage Holds the picture.
 * @param {(sight: import("./minimap.js").Sight) => void} moved Is told what is in sight now.
 */
export function createPanZoom({ document, signal, words }, stage, moved = () => {}) {
  /** @type {SVGSVGElement | null} */
  let svg = null;
  let size = { width: 1, height: 1 };
  /** Of the box; kept, because to ask in the middle of a step costs a layout. */
  let room = { width: 0, height: 0 };
  /** @type {ReturnType<typeof createSight>} */
  let lookAt = () => true;
  /** Until someone moves the picture, it is fitted again whenever its box changes. */
  let untouched = true;
  /** Whether a box that was opened or closed keeps its place instead. */
  let held = false;
  let shown = false;
  /** Whether it was asked for as a whole, however small. */
  let isEntire = false;
  let isInstant = false;
  /** @type {Element | null} What has to stay in sight when not all of the picture fits. */
  let target = null;

  const behavior = /** @type {import("d3-zoom").ZoomBehavior<HTMLElement, unknown>} */ (
    /** @type {unknown} */ (zoom())
  );
  behavior
    .extent(() => /** @type {[[number, number], [number, number]]} */ ([
      [0, 0], [room.width, room.height],
    ]))
    .touchable(() => "ontouchstart" in stage)
    .filter(isOurs)
    .on("zoom", ({ transform, sourceEvent }) => {
      if (sourceEvent) untouched = false;
      const isDrawn = lookAt(transform, room);
      stage.classList.toggle("hv-stage-wide", size.width * transform.k > room.width);
      if (svg !== null) {
        // On the picture itself: on the stage, the browser would look for it among 10,000 elements.
        svg.classList.toggle("hv-gliding", !sourceEvent && !isInstant && isDrawn);
        svg.style.transform = `translate(${transform.x}px, ${transform.y}px) scale(${transform.k})`;
      }
      if (room.width > 0) moved({ ...sightOf(room, transform), size });
    });
  const selection = select(stage);
  selection.call(behavior).on("dblclick.zoom", null);
  signal.addEventListener("abort", () => selection.on(".zoom", null), { once: true });

  dragSideways(stage, signal, (x) => byHand(() => move(x, 0)));
  // The browser scrolls the box to show a card that gets the focus; `reveal` does that instead.
  stage.addEventListener("scroll", () => stage.scrollTo(0, 0), { signal });
  watchSize(stage, signal, () => {
    measure();
    if (svg === null || room.width === 0) return;
    if ((untouched && !held) || !shown) fit(isEntire);
    else behavior.translateBy(selection, 0, 0);
  });

  return { buttons, show, reveal, pan, placeOf, center };

  function buttons() {
    /** @type {[sign: string, key: string, act: () => void][]} */
    const found = [
      ["plus", "ui.zoom_in", () => scale(1.3)],
      ["minus", "ui.zoom_out", () => scale(1 / 1.3)],
      ["fit", "ui.zoom_fit", showAll],
    ];
    return html`<div class="hv-zoom-buttons">${found.map(([sign, key, act]) =>
      iconButton(sign, words.say(key), act, { look: "hv-quiet" }))}</div>`;
  }

  function showAll() {
    untouched = true;
    held = false;
    fit(true);
  }

  /**
   * Bring a point of the picture to the middle of the box.
   *
   * @param {number} x In the picture's own units.
   * @param {number} y
   */
  function center(x, y) {
    if (svg !== null) byHand(() => behavior.translateTo(selection, x, y));
  }

  /** @param {() => void} act Moves the picture as the pointer goes, without a glide. */
  function byHand(act) {
    untouched = false;
    isInstant = true;
    act();
    isInstant = false;
  }

  /**
   * @param {SVGSVGElement} picture
   * @param {SVGSVGElement | null} old The picture it replaces, after an edit.
   * @param {Place | null} [anchor] Where something was that is in both: it stays there.
   * @param {Element} [anchored] The same in the new picture.
   */
  function show(picture, old, anchor = null, anchored = undefined) {
    svg = picture;
    lookAt = createSight(picture);
    measure();
    const box = numbers(picture.getAttribute("viewBox"));
    size = { width: box[2] || 1, height: box[3] || 1 };
    picture.style.width = `${size.width}px`;
    picture.style.height = `${size.height}px`;
    behavior.translateExtent([[-MARGIN, -MARGIN], [size.width + MARGIN, size.height + MARGIN]]);
    const isAlike = old?.getAttribute("viewBox") === picture.getAttribute("viewBox");
    if (isAlike && old) picture.style.transform = old.style.transform;
    else if (anchor === null) untouched = true;
    isInstant = true;
    held = false;
    if (untouched) fit();
    if (!isAlike && anchor !== null && anchored !== undefined && room.width > 0) hold(anchor, anchored);
    isInstant = false;
  }

  /**
   * Keep something where it was in the picture before; a picture that is in sight as a whole stays so.
   *
   * @param {Place} anchor
   * @param {Element} anchored
   */
  function hold(anchor, anchored) {
    if (!untouched) {
      makeRoom(false);
      behavior.transform(selection, zoomTransform(stage));
    }
    held = !(untouched && isWhole(size, room, zoomTransform(stage)));
    const place = placeOf(anchored);
    if (held && place !== null) move(anchor.left - place.left, anchor.top - place.top);
    reveal(anchored);
  }

  /** @param {boolean} all Whether to show the whole picture, however small it gets. */
  function fit(all = false) {
    measure();
    if (svg === null || room.width === 0) return;
    shown = true;
    isEntire = all;
    const { transform: { x, y, k }, extent } = fitted(size, room, makeRoom(all), all);
    behavior.scaleExtent(extent);
    behavior.transform(selection, zoomIdentity.translate(x, y).scale(k));
    if (target?.isConnected) reveal(target);
  }

  /**
   * Make the box as high as the picture needs it.
   *
   * @param {boolean} all
   */
  function makeRoom(all) {
    const around = stage.closest(".hv-root")?.clientWidth ?? room.width;
    const scales = scalesFor(size, room.width, { isEntire: all, around });
    stage.style.minHeight = `${scales.height}px`;
    // A picture that does not fit takes all the room beside the panel.
    stage.classList.toggle("hv-stage-grows", scales.isTooHigh);
    measure();
    return scales;
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
    const place = placeOf(element);
    if (place !== null) move(...revealing(place, room));
  }

  /**
   * @param {Element | undefined} element Of the picture.
   * @returns {Place | null} Where it is in the box, or will be: the picture may still be gliding.
   */
  function placeOf(element) {
    if (element === undefined || svg === null || room.width === 0) return null;
    const { x, y, k } = zoomTransform(stage);
    const known = placeInPicture(element);
    if (known !== null) return inBox(known, { x, y, k });
    const whole = svg.getBoundingClientRect();
    if (!whole.width) return null;
    const place = element.getBoundingClientRect();
    const zoomed = (k * size.width) / whole.width;
    const left = x + (place.left - whole.left) * zoomed;
    const top = y + (place.top - whole.top) * zoomed;
    return { left, top, right: left + place.width * zoomed, bottom: top + place.height * zoomed };
  }

  function measure() {
    room = { width: stage.clientWidth, height: stage.clientHeight };
  }

  /**
   * @param {number} x In pixels of the screen.
   * @param {number} y
   */
  function move(x, y) {
    const { k } = zoomTransform(stage);
    if (x !== 0 || y !== 0) behavior.translateBy(selection, x / k, y / k);
  }

  /**
   * Look at another part of the picture.
   *
   * @param {number} x How many strides to the right.
   * @param {number} y How many strides down.
   */
  function pan(x, y) {
    if (svg === null) return;
    untouched = false;
    move(-x * STRIDE, -y * STRIDE);
  }
}

/**
 * Let one finger move a picture that is wider than its box. Up and down it scrolls the page, which
 * the browser does by itself, so d3's own way, which takes both, will not do.
 *
 * @param {HTMLElement} stage
 * @param {AbortSignal} signal
 * @param {(x: number) => void} move
 */
function dragSideways(stage, signal, move) {
  /** @type {Map<number, number>} By finger: where it was last. */
  const fingers = new Map();
  stage.addEventListener("pointerdown", (event) => {
    if (event.isPrimary) fingers.clear();
    if (event.pointerType === "touch") fingers.set(event.pointerId, event.clientX);
  }, { signal });
  stage.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size === 1) move(event.clientX - before);
  }, { signal });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.addEventListener(end, (event) => {
      fingers.delete(/** @type {PointerEvent} */ (event).pointerId);
    }, { signal });
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
