/** Shorter values are words and digits that occur in any message. */
const SHORTEST = 4;

/** Returns the spellings of a secret: raw, percent-encoded and escaped in JSON. */
export function secretForms(secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

/** Replaces every secret in a text with `***`, the longest first, in case one contains another. */
export function scrubSecrets(text: string, secrets: readonly string[]): string {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
    .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, "***"), text);
}
