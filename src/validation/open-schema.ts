/**
 * Returns what a function makes. Generated code with `schemas: "open"` creates its Zod objects in such a function: a bundler
 * drops one call that is marked as pure, and would keep the many calls inside it.
 */
export function openSchema<T>(make: () => T): T {
  return make();
}
