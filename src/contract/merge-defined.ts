/**
 * Returns `base` with the keys of `over` laid over it. A key that holds `undefined` changes nothing: programs pass optional
 * values on as they are, and that must not remove an environment or a credential.
 */
export function mergeDefined<A extends object, B extends object = Partial<A>>(
  base: A,
  over: B | undefined,
): A & Partial<B> {
  const defined = Object.entries(over ?? {}).filter(([, value]) => value !== undefined);
  return Object.assign({}, base, Object.fromEntries(defined) as Partial<B>);
}
