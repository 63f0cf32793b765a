/**
 * Functions to call when something happens, without keeping them alive: programs may make many short-lived registries over
 * one connection. The caller that adds a function must keep a reference to it.
 */
export class WeakListeners<Argument> {
  readonly #listeners = new Set<WeakRef<(argument: Argument) => void>>();

  /** Adds a function once. */
  add(listener: (argument: Argument) => void): void {
    let isKnown = false;
    for (const reference of this.#listeners) {
      const known = reference.deref();
      if (known === undefined) this.#listeners.delete(reference);
      isKnown ||= known === listener;
    }
    if (!isKnown) this.#listeners.add(new WeakRef(listener));
  }

  get hasAny(): boolean {
    return this.#listeners.size > 0;
  }

  call(argument: Argument): void {
    for (const reference of this.#listeners) reference.deref()?.(argument);
  }
}
