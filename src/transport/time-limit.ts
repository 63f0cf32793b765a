/** A time limit that can pause, such as while a person answers a question. After a pause, it starts again. */
export class TimeLimit {
  readonly #milliseconds: number;
  readonly #onEnd: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pauses = 0;
  #isCleared = false;

  constructor(milliseconds: number, onEnd: () => void) {
    this.#milliseconds = milliseconds;
    this.#onEnd = onEnd;
    this.#start();
  }

  /** Pauses the limit until the returned function is called. Pauses may overlap. */
  pause(): () => void {
    this.#pauses += 1;
    clearTimeout(this.#timer);
    let isPaused = true;
    return () => {
      if (isPaused) this.#pauses -= 1;
      isPaused = false;
      this.#start();
    };
  }

  clear(): void {
    this.#isCleared = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    if (this.#pauses > 0 || this.#isCleared) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onEnd, this.#milliseconds);
  }
}
