import { BoundedCache } from "../../core/collections.js";
import { getOwn } from "../../core/json.js";
import { hintsOf, samplePattern } from "./sample-pattern.js";
import { matchPattern } from "../pattern/match-pattern.js";
import { numbersOf, type SchemaPart, textPatterns } from "./schema-part.js";

/** The longest text that is generated. */
const MAX_LENGTH = 20_000;

/** Returns the types that all parts allow; undefined if no part has a type. */
export function typesOfParts(parts: readonly SchemaPart[]): readonly string[] | undefined {
  let common: readonly string[] | undefined;
  for (const part of parts) {
    const { types } = part.rules;
    if (types === undefined) continue;
    common =
      common === undefined
        ? types
        : [
            ...common.filter(
              (item) => types.includes(item) || (item === "integer" && types.includes("number")),
            ),
            ...types.filter((item) => item === "integer" && common?.includes("number") === true),
          ];
  }
  return common;
}

/** An example of each format that can be asserted. */
const FORMATTED: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  duration: "P1D",
  email: "a@b.c",
  hostname: "a",
  "idn-email": "a@b.c",
  ipv4: "0.0.0.0",
  ipv6: "::",
  iri: "a:b",
  "iri-reference": "a",
  "json-pointer": "/a",
  regex: "a",
  "relative-json-pointer": "0",
  time: "00:00:00Z",
  uri: "a:b",
  "uri-reference": "a",
  "uri-template": "a",
  uuid: "00000000-0000-0000-0000-000000000000",
};

function formatted(parts: readonly SchemaPart[]): string | undefined {
  const formats = parts.map(({ rules }) => rules.string?.assertedFormat);
  const format = formats.find((each) => each !== undefined);
  return format === undefined ? undefined : getOwn(FORMATTED, format);
}

/** Returns a string that fits the lengths, patterns and formats of the parts, if one can be generated. */
export function sampleText(parts: readonly SchemaPart[], turn: number): string {
  const least = Math.min(Math.max(0, ...numbersOf(parts, "minLength")), MAX_LENGTH);
  const most = Math.min(Infinity, ...numbersOf(parts, "maxLength"));
  const formattedText = formatted(parts);
  if (formattedText !== undefined) return formattedText;
  const fitting = sampleFitting(textPatterns(parts), least, most);
  if (fitting.length > 0) return fitting[turn % fitting.length] ?? "";
  return ("abcdefgh"[turn % 8] ?? "a").repeat(Math.max(least, turn === 0 ? 0 : Math.min(1, most)));
}

// A search needs the texts of the same patterns many times, and matching a hostile pattern takes milliseconds.
const FITTING = new BoundedCache<readonly string[]>(100);

/** Returns texts that match all of these patterns, with a length in these limits. */
function sampleFitting(patterns: readonly string[], least: number, most: number): readonly string[] {
  if (patterns.length === 0) return [];
  const key = JSON.stringify([patterns, least, most]);
  return FITTING.get(key, () => findFitting(patterns, least, most));
}

function findFitting(patterns: readonly string[], least: number, most: number): readonly string[] {
  const counts = [least, least + 1, ...patterns.flatMap((pattern) => hintsOf(pattern).counts)];
  return patterns
    .flatMap((pattern) => samplePattern(pattern, { characters: [], counts }))
    .filter((text) => {
      const length = Array.from(text).length;
      return (
        length >= least && length <= most && patterns.every((pattern) => matchPattern(pattern, text) === true)
      );
    });
}

/** Returns a number that fits the parts: an integer if possible, and as near to zero as possible. */
export function sampleNumber(parts: readonly SchemaPart[]): number {
  const isWhole = typesOfParts(parts)?.every((type) => type === "integer") === true;
  const step = Math.max(0, ...numbersOf(parts, "multipleOf"));
  const above = numbersOf(parts, "exclusiveMinimum");
  const below = numbersOf(parts, "exclusiveMaximum");
  const least = Math.max(-Infinity, ...numbersOf(parts, "minimum"), ...above);
  const most = Math.min(Infinity, ...numbersOf(parts, "maximum"), ...below);
  const grid = step > 0 ? step : 1;
  const fits = (value: number): boolean =>
    value >= least && value <= most && !above.includes(value) && !below.includes(value);
  const near = least > 0 ? least : most < 0 ? most : 0;
  const first = Math.ceil(near / grid);
  const last = Math.floor(near / grid);
  const whole = [first, first + 1, last, last - 1].map((count) => multiple(grid, count)).filter(fits);
  // Some validators divide: 0.3 / 0.1 is less than 3.
  const [value] = [...whole.filter((each) => Number.isInteger(each / grid)), ...whole];
  if (value !== undefined) return value;
  return isWhole || !Number.isFinite(least + most) ? near : (least + most) / 2;
}

/** Returns a multiple of a step in decimal notation: three times 0.1 is 0.3. */
export function multiple(step: number, count: number): number {
  const product = step * count;
  return Number.isInteger(step) ? product : Number(product.toPrecision(EXACT_DIGITS));
}

/** The digits of a decimal that a number keeps. */
const EXACT_DIGITS = 15;
