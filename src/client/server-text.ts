const LONGEST = 200;
/** C0 and C1 controls, bidirectional marks, zero-width characters and line separators: none belongs in a terminal line. */
// oxlint-disable-next-line no-control-regex -- the pattern finds control characters
export const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** Returns one short printable line of a text from a server, for an error message. HTML tags are removed. */
export function excerpt(text: string): string {
  const head = text.slice(0, 20_000);
  const words = /<[a-z!/]/i.test(head)
    ? head.replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^>]*>/g, " ")
    : head;
  const line = words.replace(UNPRINTABLE, " ").replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Shorter values are words and digits that occur in any message. */
const SHORTEST = 4;
/** Shorter pieces of Base64 occur by chance in images and other encoded data. */
const SHORTEST_ENCODED = 8;

/**
 * Returns the spellings of a secret: raw, percent-encoded, escaped in JSON, and the characters of Base64 that it has at each
 * of the three offsets in a longer text, in both alphabets and without padding.
 */
export function secretForms(secret: string): readonly string[] {
  const encoded = [0, 1, 2].flatMap((offset) => {
    const piece = base64At(secret, offset);
    return [piece, piece.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [
    secret,
    encodeURIComponent(secret.replace(/\p{Surrogate}/gu, "\uFFFD")),
    JSON.stringify(secret).slice(1, -1),
    ...encoded.filter(({ length }) => length >= SHORTEST_ENCODED),
  ];
}

/** The characters that only the secret decides, after `offset` other bytes. */
function base64At(secret: string, offset: number): string {
  const bytes = [...new Uint8Array(offset), ...new TextEncoder().encode(secret)];
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((bytes.length * 8) / 6);
  return btoa(bytes.map((byte) => String.fromCharCode(byte)).join("")).slice(first, end);
}

/** Replaces every secret in a text with `***`, the longest first, in case one contains another. */
export function scrubSecrets(text: string, secrets: readonly string[], replacement = "***"): string {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .sort((a, b) => b.length - a.length)
    .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, () => replacement), text);
}
