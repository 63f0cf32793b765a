/**
 * The names of the tools that searches have found: a bounded number of them, the least recently used of which make room
 * for new ones.
 */
export class ActiveSet {
  readonly #most: number;
  /** When each was last used. The order of the keys is that of finding. */
  readonly #uses = new Map<string, number>();
  #now = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** In the order in which they were found: using one again does not move it. */
  get names(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /** Adds what a search has found, best first. What is there already is used again. */
  add(names: readonly string[]): void {
    const found = names.slice(0, this.#most);
    for (const name of found) if (!this.#uses.has(name)) this.#uses.set(name, 0);
    // The best is the last to go.
    for (const name of found.toReversed()) this.use(name);
    const excess = this.#uses.size - this.#most;
    if (excess <= 0) return;
    const oldest = [...this.#uses].sort(([, a], [, b]) => a - b).slice(0, excess);
    for (const [name] of oldest) this.#uses.delete(name);
  }

  /** Notes that a tool is called. One that has left meanwhile stays out. */
  use(name: string): void {
    if (!this.#uses.has(name)) return;
    this.#now += 1;
    this.#uses.set(name, this.#now);
  }

  /** Drops those that do not fit. */
  keep(fits: (name: string) => boolean): void {
    for (const name of this.names) if (!fits(name)) this.#uses.delete(name);
  }
}
