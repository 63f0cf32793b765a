/** A new id of a session or of a call that waits, which cannot be guessed. */
export function newSessionId(): string {
  return crypto.randomUUID();
}

/** A key that ends with the process. */
export function newKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(32));
}
