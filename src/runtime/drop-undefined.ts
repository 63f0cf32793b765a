/** Deeper than any input of a person's making; a value that contains itself is found by it. */
const DEEPEST = 1_000;

/** A value that JSON has no form for. */
export class NotJsonError extends Error {
  override readonly name = "NotJsonError";
  readonly path: readonly (string | number)[];

  constructor(what: string, path: readonly (string | number)[]) {
    super(what);
    this.path = path;
  }
}

/**
 * The value without the properties that hold `undefined`, at every depth. `undefined` is not JSON: such a key is not
 * sent. Where there is nothing to drop, what comes back is the value itself.
 *
 * @throws NotJsonError for a value that cannot be sent at all.
 */
export function dropUndefined(value: unknown, path: readonly (string | number)[] = []): unknown {
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") {
    throw new NotJsonError(`a ${typeof value} cannot be sent`, path);
  }
  if (typeof value !== "object" || value === null) return value;
  if (path.length > DEEPEST)
    throw new NotJsonError("the value contains itself or is nested too deeply", path.slice(0, 5));
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const kept = items.map((item, index) => dropUndefined(item, [...path, index]));
    return kept.every((item, index) => item === items[index]) ? value : kept;
  }
  // Dates and the like write themselves.
  if ("toJSON" in value && typeof value.toJSON === "function") return value;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const kept = entries
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [key, dropUndefined(item, [...path, key])] as const);
  const isSame =
    kept.length === entries.length && kept.every(([, item], index) => item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(kept);
}
