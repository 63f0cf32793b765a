import { matchPattern } from "../schema/pattern/match-pattern.js";
import { multiple, sampleNumber, sampleText } from "../schema/sample/sample-scalar.js";
import { numbersOf, type SchemaPart, textPatterns } from "../schema/sample/schema-part.js";
import { makeFieldText, type Random, rangeOfField, type ValueKind } from "./fields.js";
import { samplePattern } from "../schema/sample/sample-pattern.js";

interface Field {
  readonly name: string;
  readonly kind: ValueKind;
  readonly random: Random;
}

/** The longest text that `boundary` makes: a schema may allow any length. */
const LONGEST_TEXT = 2_000;

/** Returns a plausible text for a field, or another one that fits. */
export function makeText(parts: readonly SchemaPart[], { name, kind, random }: Field): string {
  const least = Math.max(0, ...numbersOf(parts, "minLength"));
  const most = Math.min(Infinity, ...numbersOf(parts, "maxLength"));
  const formats = parts.map(({ rules }) => rules.string?.format).filter((format) => format !== undefined);
  const patterns = textPatterns(parts);
  const fits = (text: string): boolean => {
    const length = Array.from(text).length;
    const isSized = length >= least && length <= most;
    return isSized && patterns.every((pattern) => matchPattern(pattern, text) === true);
  };
  if (kind === "boundary" && formats.length === 0 && patterns.length === 0 && least <= LONGEST_TEXT) {
    const edges = ["x".repeat(least), ...(most <= LONGEST_TEXT ? ["x".repeat(most), "é".repeat(most)] : [])];
    return random.pick(edges);
  }
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const text = makeFieldText(name, formats[0], random);
    // A text without a format may be shorter or longer than the field's usual ones.
    const sized = formats.length > 0 ? text : resize(text, least, most);
    if (fits(sized)) return sized;
  }
  const sample = sampleText(parts, random.integer(0, 59));
  return fits(sample)
    ? sample
    : (joinSamples(patterns, Math.min(least, LONGEST_REPEATED)).find(fits) ?? sample);
}

const LONGEST_REPEATED = 20_000;

function resize(text: string, least: number, most: number): string {
  const wanted = Math.min(least, LONGEST_REPEATED);
  const long = text.length < wanted ? `${text} `.repeat(Math.ceil(wanted / (text.length + 1))) : text;
  return long.length > most ? long.slice(0, most).trim().padEnd(Math.min(least, most), "x") : long;
}

/** Returns a number for a field within the bounds of the schema. */
export function makeNumber(
  parts: readonly SchemaPart[],
  { name, isWhole, kind, random }: Field & { readonly isWhole: boolean },
): number {
  const least = Math.max(-Infinity, ...numbersOf(parts, "minimum", "exclusiveMinimum"));
  const most = Math.min(Infinity, ...numbersOf(parts, "maximum", "exclusiveMaximum"));
  const step = Math.max(0, ...numbersOf(parts, "multipleOf"));
  const hasExclusive = numbersOf(parts, "exclusiveMinimum", "exclusiveMaximum").length > 0;
  const isInside = (value: number): boolean =>
    value >= least && value <= most && !(hasExclusive && (value === least || value === most));
  if (kind === "boundary") {
    const edges = [least, most, 0].filter(
      (value) => isInside(value) && (!isWhole || Number.isInteger(value)),
    );
    if (step === 0 && edges.length > 0) return random.pick(edges);
  }
  const [usualLeast, usualMost] = rangeOfField(name);
  const low = Math.max(usualLeast, least);
  const high = Math.min(usualMost, most);
  // The usual range may lie outside of the bounds.
  const [from, to] = low <= high ? [low, high] : [Math.max(least, Math.min(most, 0)), most];
  if (Number.isFinite(from) && Number.isFinite(to) && to >= from) {
    const value = isWhole || to - from > 10 ? random.integer(Math.ceil(from), Math.floor(to)) : round(from + random.next() * (to - from)); // prettier-ignore
    const onGrid = step > 0 ? multiple(step, Math.round(value / step)) : value;
    if (isInside(onGrid) && (!isWhole || Number.isInteger(onGrid))) return onGrid;
  }
  return sampleNumber(parts);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

const MOST_PATTERNS = 4;
const SAMPLES = 3;
const FILLERS = ["a", "0", "A", "-"];

/** Returns texts that contain a sample of each pattern, filled up to a length. One of them may match all patterns. */
function joinSamples(patterns: readonly string[], least: number): readonly string[] {
  const samples = patterns
    .slice(0, MOST_PATTERNS)
    .map((pattern) => samplePattern(pattern, { characters: [], counts: [1] }).slice(0, SAMPLES));
  const chains = samples.reduce<readonly (readonly string[])[]>(
    (before, texts) => before.flatMap((chain) => texts.map((text) => [...chain, text])),
    [[]],
  );
  return [...chains, ...chains.map((chain) => chain.toReversed())].flatMap((chain) => {
    const missing = Math.max(0, least - chain.join("").length);
    return FILLERS.flatMap((filler) =>
      Array.from({ length: chain.length + 1 }, (_, gap) =>
        chain.toSpliced(gap, 0, filler.repeat(missing)).join(""),
      ),
    );
  });
}
