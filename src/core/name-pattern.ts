import { BoundedCache } from "./collections.js";
import { McpCodegenError } from "./errors.js";

/** A part of a pattern for names: `*` matches any characters, `?` one character, `{a,b}` either. */
type PatternPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "one" | "any" }
  | { readonly kind: "choice"; readonly options: readonly (readonly PatternPart[])[] };

/** Longer patterns are refused. */
const LONGEST_PATTERN = 1_000;
/** What other languages of patterns understand, and names seldom have: a literal reading would match nothing, in silence. */
const FOREIGN = /[[\]()|\\^$]|^!/;

/** Whether a text may match other names than itself. */
export function isNamePattern(text: string): boolean {
  return parse(text).some(({ kind }) => kind !== "text");
}

/**
 * Says why a text is not a pattern for names; undefined if it is one.
 *
 * @param mayBeTemplate whether names are URI templates, which have braces of their own: `repo://{owner}`
 */
export function findPatternProblem(pattern: string, mayBeTemplate = false): string | undefined {
  const expected = 'expected a name, or a pattern with "*", "?" and "{a,b}"';
  if (pattern === "") return `${expected}, not an empty string`;
  if (pattern.length > LONGEST_PATTERN) return `${expected}, of at most ${LONGEST_PATTERN} characters`;
  const [foreign] = FOREIGN.exec(pattern) ?? [];
  if (foreign !== undefined) return `${expected}; for ${JSON.stringify(foreign)} itself, write "?"`;
  if (/^\s|\s$|[{,]\s|\s[,}]/.test(pattern)) return `${expected}, without white space around a name`;
  if (mayBeTemplate || !parse(pattern).some(hasBrace)) return undefined;
  return `${expected}; braces belong to a list of at least two, as in "{a,b}"`;
}

/** @throws McpCodegenError `CONFIG_INVALID` with the place of the first text that is not a pattern for names */
export function assertNamePatterns(place: string, patterns: readonly string[]): void {
  for (const [index, pattern] of patterns.entries()) {
    const problem = findPatternProblem(pattern);
    if (problem === undefined) continue;
    throw new McpCodegenError(
      "CONFIG_INVALID",
      `${place}[${index}] is ${JSON.stringify(pattern)}: ${problem}.`,
    );
  }
}

function hasBrace(part: PatternPart): boolean {
  if (part.kind === "choice") return part.options.some((option) => option.some(hasBrace));
  return part.kind === "text" && /[{}]/.test(part.text);
}

const COMPILED = new BoundedCache<(name: string) => boolean>(10_000);

/** Returns a function that reports whether a name matches a pattern, in steps of at most the product of their lengths. */
export function compileNamePattern(pattern: string): (name: string) => boolean {
  // A policy decides about ten thousand tools by a few patterns.
  return COMPILED.get(pattern, compile);
}

function compile(pattern: string): (name: string) => boolean {
  const parts = parse(pattern);
  if (parts.every(({ kind }) => kind === "text")) return (name) => name === pattern;
  return (name) => {
    const start = new Uint8Array(name.length + 1);
    start[0] = 1;
    return follow(parts, name, start)[name.length] === 1;
  };
}

/** Whether a name matches one of the patterns. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => compileNamePattern(pattern)(name));
}

/** Follows parts of a pattern from marked places in a name to the marked places after them. */
function follow(parts: readonly PatternPart[], name: string, from: Uint8Array): Uint8Array {
  let places = from;
  for (const part of parts) {
    const next = new Uint8Array(places.length);
    switch (part.kind) {
      case "any":
        next.fill(1, findPlace(places));
        break;
      case "one":
        for (let at = findPlace(places); at < name.length; at += 1)
          if (places[at] === 1) next[at + ((name.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1)] = 1;
        break;
      case "text":
        for (let at = findPlace(places); at + part.text.length <= name.length; at += 1)
          if (places[at] === 1 && name.startsWith(part.text, at)) next[at + part.text.length] = 1;
        break;
      case "choice":
        for (const option of part.options)
          for (const [at, mark] of follow(option, name, places).entries()) if (mark === 1) next[at] = 1;
        break;
      default:
        part satisfies never;
    }
    places = next;
  }
  return places;
}

/** The first marked place, or else the end. */
function findPlace(places: Uint8Array): number {
  const place = places.indexOf(1);
  return place === -1 ? places.length : place;
}

/** A brace that does not belong to a list of alternatives is read as itself. */
function parse(pattern: string): readonly PatternPart[] {
  const ends = findChoices(pattern);
  const read = (start: number, end: number): readonly PatternPart[] => {
    const parts: PatternPart[] = [];
    let at = start;
    while (at < end) {
      const separators = ends.get(at);
      const mark = pattern.charAt(at);
      if (separators !== undefined) {
        const options = separators.map((to, index) => read((separators[index - 1] ?? at) + 1, to));
        parts.push({ kind: "choice", options });
        at = (separators.at(-1) ?? at) + 1;
        continue;
      }
      if (mark === "*" || mark === "?") {
        parts.push({ kind: mark === "*" ? "any" : "one" });
        at += 1;
        continue;
      }
      const from = at;
      do at += 1;
      while (at < end && !/[*?]/.test(pattern.charAt(at)) && !ends.has(at));
      parts.push({ kind: "text", text: pattern.slice(from, at) });
    }
    return parts;
  };
  return read(0, pattern.length);
}

/** Finds the lists of alternatives: where each opens, and where its commas and its end are. */
function findChoices(pattern: string): ReadonlyMap<number, readonly number[]> {
  const choices = new Map<number, readonly number[]>();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const mark = pattern.charAt(at);
    if (mark === "{") open.push({ at, commas: [] });
    else if (mark === ",") open.at(-1)?.commas.push(at);
    else if (mark === "}") {
      const choice = open.pop();
      if (choice !== undefined && choice.commas.length > 0) choices.set(choice.at, [...choice.commas, at]);
    }
  }
  return choices;
}
