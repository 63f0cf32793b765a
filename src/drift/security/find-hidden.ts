import type { Span } from "../../core/change.js";
import type { RuleName } from "../rules.js";
import { spansOf } from "./texts.js";

type HiddenRule = Extract<
  RuleName,
  "poison-hidden-unicode" | "poison-bidi" | "poison-tag-characters" | "poison-ansi" | "poison-html-comment"
>;

/** Everything that a rule below may match, and more: one test is enough for most texts. */
const SUSPECT = /[^\n -~]|<!--|\[(?:\/\/|comment)\]: ?[#<]| {80}|\n\s{19}/;

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
/**
 * Comments that descriptions of tools have to mention, with the character before them: WordPress's blocks and separators,
 * and conditional comments for Outlook that have only tags, or whose start is code.
 */
const KNOWN_COMMENT =
  /^(?:`<!--\[if [^\]<>]{1,40}\]>`|[^]?<!--(?: ?(?:\/?wp:[a-z][a-z\d/-]{0,60}(?: \{[^<>]{0,80}\})? ?\/?|more|nextpage|noteaser) ?-->|\[if [^\]<>]{1,40}\]>(?:\s{0,20}<\/?[a-z\d:]{1,12}(?: [a-z-]{1,20}="[^"<>\s]{0,40}"){0,8}>){0,20}\s{0,20}<!\[endif\]-->))/;
const LONGEST_KNOWN_COMMENT = 1000;

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
  const spansByRule = new Map<HiddenRule, readonly Span[]>();
  if (!SUSPECT.test(text)) return spansByRule;
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  const add = (rule: HiddenRule, spans: readonly Span[]): void => {
    if (spans.length > 0)
      spansByRule.set(
        rule,
        [...(spansByRule.get(rule) ?? []), ...spans].sort(([a], [b]) => a - b),
      );
  };
  add("poison-bidi", spansOf(text, BIDI));
  if (!isRightToLeft) add("poison-bidi", spansOf(text, BIDI_MARK));
  add(
    "poison-tag-characters",
    spansOf(text, TAGS, (match) => !isFlag(match)),
  );
  add("poison-ansi", spansOf(text, CONTROL));
  add("poison-html-comment", findComments(text));
  add(
    "poison-hidden-unicode",
    spansOf(text, INVISIBLE, (match) => !isInPlace(match)),
  );
  add("poison-hidden-unicode", spansOf(text, PADDING));
  return spansByRule;
}

function isFlag({ 0: tags, index: at, input }: RegExpExecArray): boolean {
  return FLAG_TAGS.has(tags) && input.slice(Math.max(0, at - 2), at) === "\u{1f3f4}";
}

/** Whether an invisible character is legitimate: a joiner in an emoji or between joining letters, or one selector after a character with several forms. */
function isInPlace({ 0: run, index: at, input }: RegExpExecArray): boolean {
  const before = Array.from(input.slice(Math.max(0, at - 2), at)).at(-1) ?? "";
  const after = input.slice(at + run.length, at + run.length + 2);
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
  for (const [from] of spansOf(text, COMMENT_START, (match) => !isKnownComment(match))) {
    if (from < end) continue;
    end = endOfComment(text, from);
    spans.push([from, end]);
  }
  return spans;
}

function isKnownComment({ index: at, input }: RegExpExecArray): boolean {
  return KNOWN_COMMENT.test(input.slice(Math.max(0, at - 1), at + LONGEST_KNOWN_COMMENT));
}

function endOfComment(text: string, from: number): number {
  if (!text.startsWith("<!--", from)) {
    const end = text.indexOf("\n", from);
    return end === -1 ? text.length : end;
  }
  const end = text.indexOf("-->", from);
  return end === -1 ? text.length : end + 3;
}
