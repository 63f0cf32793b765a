/** A scope token (RFC 6749, section 3.3), no longer than what a lock or a message should hold. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const MOST_SCOPES = 100;

/** Returns the scopes of a space-separated text without invalid ones. The text is the server's. */
export function splitScopes(text: string | undefined): readonly string[] {
  const tokens = (text ?? "").slice(0, 20_000).split(" ");
  return unite(tokens.filter((token) => SCOPE.test(token)).slice(0, MOST_SCOPES));
}

/** Returns all scopes, sorted, each once. */
export function unite(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))].sort();
}
