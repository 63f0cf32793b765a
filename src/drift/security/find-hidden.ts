import type { Span } from "../../core/change.js";
import type { RuleName } from "../rules.js";
import { spansOf } from "./texts.js";

type HiddenRule = Extract<
  RuleName,
  "poison-hidden-unicode" | "poison-bidi" | "poison-tag-characters" | "poison-ansi" | "poison-html-comment"
>;

/**
 * Everything that a rule below may match, so one test is enough for a clean text. Includes `\uFE0F`, which selects the
 * coloured form of the character before it.
 */
const SUSPECT =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Noncharacter_Code_Point}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|\r(?![\r\n]|$)|<!--|\[(?:\/\/|comment)\]: ?[#<]|[^\S\n]{80}|\n\s{19}/u;

/** Embeddings, overrides and isolates reorder the text around them. Marks do so only next to right-to-left letters. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]+/gu;
const BIDI_MARK = /[\u200e\u200f\u061c]+/gu;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Tag characters spell invisible ASCII. Three flags use them: England, Scotland and Wales. */
const TAGS = /[\u{e0000}-\u{e007f}]+/gu;
const FLAG_TAGS = new Set(
  ["gbeng", "gbsct", "gbwls"].map(
    (code) =>
      Array.from(code, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("") +
      "\u{e007f}",
  ),
);

/** Characters that control a terminal: escape sequences, control characters, and a return that overwrites its line. */
const CONTROL = /(?:(?![\t\n\r])\p{Cc})+|\r(?![\r\n]|$)/gu;

const COMMENT_START = /<!--|\[(?:\/\/|comment)\]: ?[#<]/gu;
/** WordPress's block comments and its two separators, which descriptions of tools for posts have to mention. */
const BLOCK_MARK =
  /^<!-- ?(?:\/?wp:[a-z][a-z\d/-]{0,60}(?: \{[^<>]{0,80}\})? ?\/?|more|nextpage|noteaser) ?-->/;

/** Invisible characters. Joiners and selectors are judged by the characters next to them. */
const INVISIBLE =
  /(?![\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\p{Cc}\u{e0000}-\u{e007f}])[\p{Cf}\p{Co}\p{Noncharacter_Code_Point}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]+/gu;
const WORD_CHARACTER = /^[\p{L}\p{N}_]$/u;
const JOINERS = /^[\u200c\u200d]$/;
// The patterns below match one character. V8 14.6 matches no character beyond the basic plane if only `$` is given.

/** Scripts in which joiners select the form of a letter. */
const JOINED_LETTER =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}\p{Script=Myanmar}\p{M}]$/u;
const PICTURE = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3]$/u;
const BEFORE_SELECTOR = /^[\p{Emoji}\p{Extended_Pictographic}\p{So}\p{Sm}\p{Po}]$/u;
const HAN = /^\p{Script=Han}$/u;
const NUMBER_SIGNS = /^[\u0600-\u0605\u06dd\u070f\u08e2]+$/u;

/** White space that moves text out of sight: wider than a window, or longer than a screen. */
const PADDING = /(?<=\S)(?:[^\S\n]{80,}|(?:\n[^\S\n]*){20,})(?=\S)/gu;

/** Finds hidden parts of a text by rule. Exact, unlike the heuristics: a match is always hidden, if perhaps harmless. */
export function findHiddenText(text: string): ReadonlyMap<HiddenRule, readonly Span[]> {
  const found = new Map<HiddenRule, readonly Span[]>();
  if (!SUSPECT.test(text)) return found;
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  const add = (rule: HiddenRule, spans: readonly Span[]): void => {
    if (spans.length > 0)
      found.set(
        rule,
        [...(found.get(rule) ?? []), ...spans].sort(([a], [b]) => a - b),
      );
  };
  add("poison-bidi", spansOf(text, BIDI));
  if (!isRightToLeft) add("poison-bidi", spansOf(text, BIDI_MARK));
  add(
    "poison-tag-characters",
    spansOf(text, TAGS, (tags, at) => !isFlag(text, tags, at)),
  );
  add("poison-ansi", spansOf(text, CONTROL));
  add("poison-html-comment", findComments(text));
  add(
    "poison-hidden-unicode",
    spansOf(text, INVISIBLE, (run, at) => !isInPlace(text, run, at)),
  );
  add("poison-hidden-unicode", spansOf(text, PADDING));
  return found;
}

function isFlag(text: string, tags: string, at: number): boolean {
  return FLAG_TAGS.has(tags) && text.slice(Math.max(0, at - 2), at) === "\u{1f3f4}";
}

/** Whether an invisible character is legitimate: a joiner in an emoji or between joining letters, or one selector after a character with several forms. */
function isInPlace(text: string, run: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const after = text.slice(at + run.length, at + run.length + 2);
  if (run === "\ufe0f\u200d" || run === "\ufe0f") return BEFORE_SELECTOR.test(before);
  if (run === "\ufe0e") return BEFORE_SELECTOR.test(before);
  if (/^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u.test(run)) return HAN.test(before);
  if (NUMBER_SIGNS.test(run)) return true;
  // Editors leave a few zero-width spaces between words. In a word or in a longer run they may hide text.
  if (/^\u200b{1,3}$/.test(run))
    return !(WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after.charAt(0)));
  if (!JOINERS.test(run)) return false;
  return (
    JOINED_LETTER.test(before) ||
    (run === "\u200d" && PICTURE.test(before) && /^\p{Extended_Pictographic}/u.test(after))
  );
}

/** Finds comments up to their ends. A comment start inside a comment is ignored. */
function findComments(text: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const [from] of spansOf(text, COMMENT_START, (_, at) => !BLOCK_MARK.test(text.slice(at, at + 160)))) {
    if (from < end) continue;
    end = endOfComment(text, from);
    spans.push([from, end]);
  }
  return spans;
}

function endOfComment(text: string, from: number): number {
  if (!text.startsWith("<!--", from)) {
    const end = text.indexOf("\n", from);
    return end === -1 ? text.length : end;
  }
  const end = text.indexOf("-->", from);
  return end === -1 ? text.length : end + 3;
}

/** Base64 or base64url. */
const ENCODED = /[A-Za-z\d+/_-]{40,}={0,2}/g;
const ESCAPED = /(?:\\x[\da-f]{2}|\\u\{?00[\da-f]{2}\}?|&#x?[\da-f]{2,4};|%[2-7][\da-f]){10,}/gi;
/** Longer than any word, key or URL part: harmless runs have separators between words. */
const LONG_PIECE = 100;

/** Finds encoded data in a text. */
export function findBlobs(text: string): readonly Span[] {
  return [...spansOf(text, ENCODED, isBlob), ...spansOf(text, ESCAPED)];
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
  return letters / head.length > 0.85 && /(?<![A-Za-z])[A-Za-z]{2,} [A-Za-z]{2,}|https?:\/\//.test(head);
}

function decodeBase64(run: string): string {
  const digits = run
    .replace(/(?<!=)=+$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/")
    .slice(0, 400);
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
