/**
 * Returns the result of a function. Generated code with `schemas: "open"` creates its Zod objects in such a function: a
 * bundler drops one unused call that is marked as pure, but would keep the many calls inside it.
 */
export function openSchema<T>(make: () => T): T {
  return make();
}
