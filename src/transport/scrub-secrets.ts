/** Shorter values are words and digits that stand in any message. */
const SHORTEST = 4;

/** A secret as others may write it back to us: as it is, percent-encoded, escaped in JSON. */
export function secretForms(secret: string): readonly string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

/** The text with every secret replaced by `***`, the longest first, so that none shows through another. */
export function scrubSecrets(text: string, secrets: readonly string[]): string {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
    .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, "***"), text);
}
