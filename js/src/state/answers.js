/**
 * Read what a learner typed for a number, a list or `None`, and compare it with a recording.
 *
 * `hookviz/_view/lesson/answers.py` does the same in Python, and `tests/predictions.json` holds both to one
 * another: a saved page has no kernel to ask. Nothing is ever evaluated as code.
 */

const RELATIVE = 2e-3;
const ABSOLUTE = 1e-6;
const LONGEST = 1000;
const DEEPEST = 50;
const HIGHEST_POWER = 64;

/** @type {Record<string, string>} */
const MARKS = { "【": "[", "】": "]", "、": ",", "−": "-", "×": "*", "÷": "/", "^": "**", "∞": "inf" };
const TOKEN = /\s*(\*\*|[-+*/(),[\]]|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[a-z]+)/iy;

/** @type {Map<string, number | null>} */
const NAMES = new Map([
  ["none", null],
  ["nan", NaN],
  ["inf", Infinity],
  ["infinity", Infinity],
]);

/** The text is no number, no list of numbers, and not `None`. */
export class AnswerError extends Error {}

/**
 * @param {string} text
 * @returns {(number | null)[]} Entries in row-major order.
 */
export function readAnswer(text) {
  const reader = new Reader(tokens(text));
  const entries = reader.list("");
  if (entries.length === 0 && !reader.hasBrackets) throw new AnswerError(text);
  return entries;
}

/**
 * @param {(number | null)[]} given
 * @param {(string | null)[]} recorded Exact texts of numbers as Python writes them.
 */
export function isRight(given, recorded) {
  return given.length === recorded.length && given.every((number, place) => agrees(number, parse(recorded[place])));
}

/**
 * @param {(string | null)[]} recorded
 * @returns {boolean} Whether the browser can check an answer: it does not reckon with complex ones.
 */
export function isCheckable(recorded) {
  return recorded.every((text) => text === null || !text.includes("j"));
}

/** @param {string | null} text */
function parse(text) {
  if (text === null) return null;
  const named = NAMES.get(text.replace("-", ""));
  if (typeof named !== "number") return Number(text);
  return text.startsWith("-") ? -named : named;
}

/**
 * @param {number | null} given
 * @param {number | null} recorded
 */
function agrees(given, recorded) {
  if (Object.is(given, recorded) || given === recorded) return true;
  if (given === null || recorded === null) return false;
  if (!Number.isFinite(given) || !Number.isFinite(recorded)) return false;
  const largest = Math.max(Math.abs(given), Math.abs(recorded));
  return Math.abs(given - recorded) <= Math.max(RELATIVE * largest, ABSOLUTE);
}

/**
 * @param {string} text
 * @returns {string[]}
 */
function tokens(text) {
  const plain = [...text.normalize("NFKC").trim()].map((c) => MARKS[c] ?? c).join("");
  if (plain.length > LONGEST) throw new AnswerError(text);
  const found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < plain.length) {
    const match = TOKEN.exec(plain);
    if (match === null) throw new AnswerError(text);
    found.push(match[1]);
  }
  return found;
}

/** @typedef {number | null | (number | null)[]} Value */

class Reader {
  #place = 0;
  #depth = 0;
  #found;
  hasBrackets = false;

  /** @param {string[]} found */
  constructor(found) {
    this.#found = found;
  }

  /**
   * @param {string} end The closing bracket; "" for the end of the text.
   * @returns {(number | null)[]}
   */
  list(end) {
    /** @type {(number | null)[]} */
    const entries = [];
    while (this.#next() !== end) {
      entries.push(...[this.#sum()].flat());
      if (this.#next() === end) break;
      this.#take(",");
    }
    if (end !== "") this.#take(end);
    return entries;
  }

  /** @param {string} [expected] */
  #take(expected) {
    const token = this.#found[this.#place];
    if (token === undefined || (expected !== undefined && token !== expected)) throw new AnswerError();
    this.#place += 1;
    return token;
  }

  #next() {
    return this.#found[this.#place] ?? "";
  }

  #sum() {
    let value = this.#product();
    while (this.#next() === "+" || this.#next() === "-") {
      const sign = this.#take() === "-" ? -1 : 1;
      const other = number(this.#product());
      value = number(value) + sign * other;
    }
    return value;
  }

  /** @returns {Value} */
  #product() {
    let value = this.#signed();
    while (this.#next() === "*" || this.#next() === "/") {
      const isDivision = this.#take() === "/";
      const other = number(this.#signed());
      if (isDivision && other === 0) throw new AnswerError();
      value = isDivision ? number(value) / other : number(value) * other;
    }
    return value;
  }

  /** @returns {Value} */
  #signed() {
    if (this.#next() === "+" || this.#next() === "-") {
      const sign = this.#take() === "-" ? -1 : 1;
      return sign * this.#deeper(() => number(this.#signed()));
    }
    const base = this.#atom();
    if (this.#next() !== "**") return base;
    this.#take();
    const power = number(this.#deeper(() => this.#signed()));
    const value = number(base) ** power;
    const isNoNumber = Number.isNaN(value) && !Number.isNaN(number(base));
    if (Math.abs(power) > HIGHEST_POWER || isNoNumber) throw new AnswerError();
    return value;
  }

  /** @returns {Value} */
  #atom() {
    const token = this.#take();
    if (token === "[") {
      this.hasBrackets = true;
      return this.#deeper(() => this.list("]"));
    }
    if (token === "(") return this.#deeper(() => this.#bracket());
    if (/^[\d.]/.test(token)) return Number(token);
    const named = NAMES.get(token.toLowerCase());
    if (named === undefined) throw new AnswerError();
    return named;
  }

  /** `(8)` is a number, `(8, 9)` and `(8,)` are lists. */
  #bracket() {
    const before = this.#place;
    const entries = this.list(")");
    const inside = this.#found.slice(before, this.#place - 1);
    this.hasBrackets = true;
    return entries.length === 1 && !inside.includes(",") && !inside.includes("[") ? entries[0] : entries;
  }

  /**
   * @template T
   * @param {() => T} read
   */
  #deeper(read) {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new AnswerError();
    const value = read();
    this.#depth -= 1;
    return value;
  }
}

/** @param {Value} value */
function number(value) {
  if (typeof value !== "number") throw new AnswerError();
  return value;
}
