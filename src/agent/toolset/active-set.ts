/** The names of the tools that searches have found. When it is full, the least recently used ones are removed. */
export class ActiveSet {
  readonly #most: number;
  /** The last use of each, in the order of finding. */
  readonly #uses = new Map<string, number>();
  #now = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** In the order of finding, which further uses do not change. */
  get names(): readonly string[] {
    return [...this.#uses.keys()];
  }

  /** Adds found tools, best first. Adding a tool again counts as a use. */
  add(names: readonly string[]): void {
    const kept = names.slice(0, this.#most);
    for (const name of kept) if (!this.#uses.has(name)) this.#uses.set(name, 0);
    // In reverse, so that the best is removed last.
    for (const name of kept.toReversed()) this.use(name);
    const excess = this.#uses.size - this.#most;
    if (excess <= 0) return;
    const oldest = [...this.#uses].sort(([, a], [, b]) => a - b).slice(0, excess);
    for (const [name] of oldest) this.#uses.delete(name);
  }

  /** Records a call of a tool, unless it was removed. */
  use(name: string): void {
    if (!this.#uses.has(name)) return;
    this.#now += 1;
    this.#uses.set(name, this.#now);
  }

  /** Removes the names that do not match. */
  keep(matches: (name: string) => boolean): void {
    for (const name of this.names) if (!matches(name)) this.#uses.delete(name);
  }
}
