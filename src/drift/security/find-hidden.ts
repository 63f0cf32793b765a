import type { Span } from "../../contract/change.js";
import type { RuleName } from "../rules.js";

export type HiddenRule = Extract<
  RuleName,
  "poison-hidden-unicode" | "poison-bidi" | "poison-tag-characters" | "poison-ansi" | "poison-html-comment"
>;

/**
 * All that the rules below may object to. `\uFE0F` asks for the coloured form of the character before it, and the pairs
 * of a character beyond the basic plane are taken together, so that one test recognizes a clean text.
 */
const SUSPECT =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Noncharacter_Code_Point}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|\r(?![\r\n]|$)|<!--|\[(?:\/\/|comment)\]: ?[#<]|[^\S\n]{80}|\n\s{19}/u;

/** Embeddings, overrides and isolates reorder what stands around them; marks do so only beside letters of the other direction. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]+/gu;
const BIDI_MARK = /[\u200e\u200f\u061c]+/gu;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Tag characters spell ASCII that nothing shows. Three flags are written with them: England, Scotland, Wales. */
const TAGS = /[\u{e0000}-\u{e007f}]+/gu;
const FLAG_TAGS = new Set(
  ["gbeng", "gbsct", "gbwls"].map(
    (code) =>
      Array.from(code, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("") +
      "\u{e007f}",
  ),
);

/** What terminals act on: escape sequences, single control characters, and a return that overwrites its line. */
const CONTROL = /(?:(?![\t\n\r])\p{Cc})+|\r(?![\r\n]|$)/gu;

const COMMENT_START = /<!--|\[(?:\/\/|comment)\]: ?[#<]/gu;
/** How WordPress marks blocks, and its two separators: markup that tools for posts cannot but name. */
const BLOCK_MARK =
  /^<!-- ?(?:\/?wp:[a-z][a-z\d/-]{0,60}(?: \{[^<>]{0,80}\})? ?\/?|more|nextpage|noteaser) ?-->/;

/** Invisible characters; joiners and selectors are judged by the characters beside them. */
const INVISIBLE =
  /(?![\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\p{Cc}\u{e0000}-\u{e007f}])[\p{Cf}\p{Co}\p{Noncharacter_Code_Point}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]+/gu;
const WORD_CHARACTER = /^[\p{L}\p{N}_]$/u;
const JOINERS = /^[\u200c\u200d]$/;
// What follows is asked of one character. Bound to the end alone, V8 14.6 finds none beyond the basic plane.

/** Scripts in which joiners choose the form of a letter. */
const JOINED_LETTER =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Tibetan}\p{Script=Myanmar}\p{M}]$/u;
const PICTURE = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u20e3]$/u;
const BEFORE_SELECTOR = /^[\p{Emoji}\p{Extended_Pictographic}\p{So}\p{Sm}\p{Po}]$/u;
const HAN = /^\p{Script=Han}$/u;
const NUMBER_SIGNS = /^[\u0600-\u0605\u06dd\u070f\u08e2]+$/u;

/** White space that pushes what follows out of sight: wider than a window, or longer than a screen. */
const PADDING = /(?<=\S)(?:[^\S\n]{80,}|(?:\n[^\S\n]*){20,})(?=\S)/gu;

/** Where each rule finds something in a text. Exact: what is found is there, whatever it is for. */
export function findHidden(text: string): ReadonlyMap<HiddenRule, readonly Span[]> {
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

function spansOf(
  text: string,
  pattern: RegExp,
  isWrong: (run: string, at: number) => boolean = () => true,
): readonly Span[] {
  return [...text.matchAll(pattern)]
    .filter((match) => isWrong(match[0], match.index))
    .map((match): Span => [match.index, match.index + match[0].length]);
}

function isFlag(text: string, tags: string, at: number): boolean {
  return FLAG_TAGS.has(tags) && text.slice(Math.max(0, at - 2), at) === "\u{1f3f4}";
}

/** A joiner in an emoji or between letters that join, or one selector after what has several forms. */
function isInPlace(text: string, run: string, at: number): boolean {
  const before = Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const after = text.slice(at + run.length, at + run.length + 2);
  if (run === "\ufe0f\u200d" || run === "\ufe0f") return BEFORE_SELECTOR.test(before);
  if (run === "\ufe0e") return BEFORE_SELECTOR.test(before);
  if (/^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u.test(run)) return HAN.test(before);
  if (NUMBER_SIGNS.test(run)) return true;
  // A few that an editor left between words hide nothing; in a word, or in a longer row, they may.
  if (/^\u200b{1,3}$/.test(run))
    return !(WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after.charAt(0)));
  if (!JOINERS.test(run)) return false;
  return (
    JOINED_LETTER.test(before) ||
    (run === "\u200d" && PICTURE.test(before) && /^\p{Extended_Pictographic}/u.test(after))
  );
}

/** Each comment to its end; what stands inside one is no other. */
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
