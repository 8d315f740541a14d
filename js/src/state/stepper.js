/** Move through the steps by playing, and keep within their range. */

/** @typedef {"first" | "previous" | "next" | "last"} Move */

export const SPEEDS = [0.5, 1, 2, 4, 8];

const MILLISECONDS_AT_SPEED_ONE = 1200;

/**
 * Bring any number, and anything that is not one, into the range of the steps.
 *
 * @param {unknown} step
 * @param {number} count Number of steps.
 */
export function clamp(step, count) {
  const number = Math.trunc(Number(step));
  if (!Number.isFinite(number)) return 0;
  return Math.max(0, Math.min(number, count - 1));
}

/** Play the steps one after the other; pauses itself at the last one. */
export class Player {
  speed = 1;
  /** @type {unknown} */
  #timer = null;
  #advance;
  #clock;
  #changed;

  /**
   * @param {() => boolean} advance Goes to the next step; returns whether there is one after it.
   * @param {{set: (callback: () => void, delay: number) => unknown, clear: (timer: any) => void}} clock
   * @param {() => void} [changed] Called when playing starts or ends.
   */
  constructor(advance, clock, changed = () => {}) {
    this.#advance = advance;
    this.#clock = clock;
    this.#changed = changed;
  }

  get playing() {
    return this.#timer !== null;
  }

  play() {
    if (this.playing) return;
    this.#wait();
    this.#changed();
  }

  pause() {
    if (!this.playing) return;
    this.leave();
    this.#changed();
  }

  /** Stop here without saying so: other views may go on. */
  leave() {
    this.#clock.clear(this.#timer);
    this.#timer = null;
  }

  #wait() {
    this.#timer = this.#clock.set(() => {
      // Still playing while advancing, so that views drawn by it see the right state.
      const more = this.#advance();
      if (this.#timer === null) return;
      if (more) this.#wait();
      else this.pause();
    }, MILLISECONDS_AT_SPEED_ONE / this.speed);
  }
}
