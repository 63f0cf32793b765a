import { runInThisContext } from "node:vm";

/** Long enough for work of less than a second, and short enough to detect a hang. */
export const MOST_MS = 20_000;

/** Runs synchronous work, and throws after {@link MOST_MS}, since a time-out of Vitest cannot interrupt it. */
export function within<T>(work: () => T): T {
  let result: { readonly value: T } | undefined;
  const key = Symbol.for("mcp-codegen.test.within");
  Reflect.set(globalThis, key, () => {
    result = { value: work() };
  });
  try {
    runInThisContext('globalThis[Symbol.for("mcp-codegen.test.within")]()', { timeout: MOST_MS });
  } finally {
    Reflect.deleteProperty(globalThis, key);
  }
  if (result === undefined) throw new Error("The work did not run.");
  return result.value;
}
