import { flagsOf } from "../../schema/pattern.js";

/** What a regular expression matches, so far as texts can be made from it. */
export type PatternNode =
  | {
      readonly kind: "class";
      /** Code points that are named in it. */
      readonly edges: readonly number[];
      readonly has: (character: string) => boolean;
    }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number };

const EMPTY: PatternNode = { kind: "sequence", parts: [] };

/** Deeper groups than this are not read: a pattern comes from a server. */
const MAX_DEPTH = 50;

/**
 * Reads a regular expression of JavaScript. Anchors, word boundaries, lookarounds and references back are read as
 * nothing. Returns undefined for an invalid regular expression.
 */
export function parsePattern(pattern: string): PatternNode | undefined {
  return parseAhead(pattern)?.root;
}

/** A pattern together with what must lie ahead, each lookahead for itself: `(?=.*\d)` asks for a digit somewhere. */
export function parseAhead(
  pattern: string,
): { readonly root: PatternNode; readonly ahead: readonly PatternNode[] } | undefined {
  const flags = flagsOf(pattern);
  if (flags === undefined) return undefined;
  const reader: Reader = { text: pattern, flags, ahead: [], at: 0, depth: 0 };
  return { root: parseChoice(reader), ahead: reader.ahead };
}

interface Reader {
  readonly text: string;
  readonly flags: string;
  readonly ahead: PatternNode[];
  at: number;
  depth: number;
}

function parseChoice(reader: Reader): PatternNode {
  const branches = [parseSequence(reader)];
  while (reader.text[reader.at] === "|") {
    reader.at += 1;
    branches.push(parseSequence(reader));
  }
  const [only] = branches;
  return branches.length === 1 && only !== undefined ? only : { kind: "choice", parts: branches };
}

function parseSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = [];
  while (reader.at < reader.text.length && !"|)".includes(reader.text[reader.at] ?? "")) {
    parts.push(parseQuantifier(reader, parseAtom(reader)));
  }
  return { kind: "sequence", parts };
}

const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;

function parseQuantifier(reader: Reader, part: PatternNode): PatternNode {
  QUANTIFIER.lastIndex = reader.at;
  const found = QUANTIFIER.exec(reader.text);
  if (found === null) return part;
  reader.at = QUANTIFIER.lastIndex;
  const [, sign, least, comma, most] = found;
  if (sign !== undefined)
    return { kind: "repeat", part, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
  const min = Number(least);
  const max = comma === undefined ? min : most === "" ? Infinity : Number(most);
  return { kind: "repeat", part, min, max };
}

const GROUP = /\((?:\?(?:(:)|([=!]|<[=!])|<[^>]*>))?/y;
const ANCHOR = /[\^$]|\\[bB]|\\[1-9]\d*|\\k<[^>]*>/y;
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/y;
const ESCAPE = /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/y;

function parseAtom(reader: Reader): PatternNode {
  if (take(reader, ANCHOR) !== undefined) return EMPTY;
  const group = take(reader, GROUP);
  if (group !== undefined) return parseGroup(reader, group[2]);
  const [source] = take(reader, CLASS) ?? take(reader, ESCAPE) ?? [];
  if (source !== undefined) return classOf(source, reader.flags);
  const character = String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0);
  reader.at += character.length;
  return character === "." ? classOf(".", reader.flags) : literal(character);
}

function parseGroup(reader: Reader, lookaround: string | undefined): PatternNode {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) {
    reader.at = reader.text.length;
    return EMPTY;
  }
  const inside = parseChoice(reader);
  reader.at += 1;
  reader.depth -= 1;
  if (lookaround === "=") reader.ahead.push(inside);
  return lookaround === undefined ? inside : EMPTY;
}

function take(reader: Reader, token: RegExp): RegExpExecArray | undefined {
  token.lastIndex = reader.at;
  const found = token.exec(reader.text);
  if (found === null) return undefined;
  reader.at = token.lastIndex;
  return found;
}

function literal(character: string): PatternNode {
  return { kind: "class", edges: [character.codePointAt(0) ?? 0], has: (other) => other === character };
}

/** One character's worth of a pattern is cheap to run, however hostile the whole. */
function classOf(source: string, flags: string): PatternNode {
  const expression = new RegExp(`^${source}$`, flags);
  return { kind: "class", edges: edgesOf(source), has: (character) => expression.test(character) };
}

const CODE = /\\u\{([0-9a-fA-F]+)\}|\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))|\\([^])|([^])/gu;
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

function edgesOf(source: string): readonly number[] {
  const inside = source.startsWith("[") ? source.slice(1, -1) : source;
  const codes = [...inside.matchAll(CODE)].flatMap(
    ([, braced, four, two, escaped, plain]): readonly number[] => {
      const hex = braced ?? four ?? two;
      if (hex !== undefined) return [parseInt(hex, 16)];
      if (escaped !== undefined && /[a-zA-Z0-9]/.test(escaped)) {
        const control = Object.hasOwn(CONTROLS, escaped) ? CONTROLS[escaped] : undefined;
        return control === undefined ? [] : [control];
      }
      return [(escaped ?? plain)?.codePointAt(0) ?? 0];
    },
  );
  return codes.filter((code) => code <= 0x10ffff);
}
