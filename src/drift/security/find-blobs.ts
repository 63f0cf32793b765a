import type { Span } from "../../contract/change.js";

/** Base64 or base64url. */
const ENCODED = /[A-Za-z\d+/_-]{40,}={0,2}/g;
/** A run of escaped characters. */
const ESCAPED = /(?:\\x[\da-f]{2}|\\u\{?00[\da-f]{2}\}?|&#x?[\da-f]{2,4};|%[2-7][\da-f]){10,}/gi;
/** Longer than any word, key or URL part: harmless runs have separators between words. */
const LONG_PIECE = 100;

/** Finds encoded data in a text. */
export function findBlobs(text: string): readonly Span[] {
  const spansOf = (pattern: RegExp, isWrong: (run: string) => boolean): readonly Span[] =>
    [...text.matchAll(pattern)]
      .filter(([run]) => isWrong(run))
      .map((match): Span => [match.index, match.index + match[0].length]);
  return [...spansOf(ENCODED, isBlob), ...spansOf(ESCAPED, () => true)];
}

function isBlob(run: string): boolean {
  if (isReadable(decodeBase64(run)) || isReadable(decodeHex(run))) return true;
  const longest = run.split(/[-_/+]/).reduce((most, piece) => Math.max(most, piece.length), 0);
  return longest >= LONG_PIECE && /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
}

/** Whether decoded text consists of words. Random bytes do not, nor does a word that happens to be valid base64. */
function isReadable(text: string): boolean {
  if (text.length < 20) return false;
  const head = text.slice(0, 400);
  const letters = head.match(/[A-Za-z ,.:/_\n-]/g)?.length ?? 0;
  return letters / head.length > 0.85 && /[A-Za-z]{2,} [A-Za-z]{2,}|https?:\/\//.test(head);
}

function decodeBase64(run: string): string {
  const digits = run.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/").slice(0, 400);
  try {
    return atob(digits.slice(0, digits.length - (digits.length % 4)));
  } catch {
    return "";
  }
}

function decodeHex(run: string): string {
  const digits = /^[\da-f]+$/i.test(run) ? (run.slice(0, 800).match(/../g) ?? []) : [];
  return String.fromCharCode(...digits.map((pair) => Number.parseInt(pair, 16)));
}
