/**
 * Returns the code of an error, such as `ENOENT`; undefined for anything without one. It does not ask for an instance of
 * `Error`: under Jest, the errors of Node have another `Error` than the code that is tested.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
