import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { samplePattern } from "../drift/witness/sample-pattern.js";
import {
  compileMatch,
  keywordsOf,
  asList,
  partBelow,
  type DocumentPart,
} from "../drift/witness/schema-part.js";
import type { Random } from "./random.js";

/** The limit that fails whenever another one holds. */
const OPPOSITES: Readonly<Record<string, (limit: number) => JsonObject>> = {
  minimum: (limit) => ({ exclusiveMaximum: limit }),
  maximum: (limit) => ({ exclusiveMinimum: limit }),
  exclusiveMinimum: (limit) => ({ maximum: limit }),
  exclusiveMaximum: (limit) => ({ minimum: limit }),
  minLength: (limit) => ({ maxLength: limit - 1 }),
  maxLength: (limit) => ({ minLength: limit + 1 }),
  minItems: (limit) => ({ maxItems: limit - 1 }),
  maxItems: (limit) => ({ minItems: limit + 1 }),
  minProperties: (limit) => ({ maxProperties: limit - 1 }),
  maxProperties: (limit) => ({ minProperties: limit + 1 }),
};

/** Returns the limits that `not` makes: a number that must not be at least 0 is below 0. */
export function oppositesOf(parts: readonly DocumentPart[], random: Random): readonly DocumentPart[] {
  return parts.flatMap((part) => {
    const negated = getOwn(keywordsOf(part), "not");
    if (negated === undefined) return [];
    const branches = asList(isJsonObject(negated) ? getOwn(negated, "anyOf") : undefined);
    return [negated, ...branches].flatMap((schema) => {
      const limits = limitsAgainst(schema);
      return limits.length === 0 ? [] : [partBelow(part, random.pick(limits), "not")];
    });
  });
}

/** One of these limits is enough: together, the keywords of a schema accept less. */
function limitsAgainst(schema: JsonValue): readonly JsonObject[] {
  return Object.entries(isJsonObject(schema) ? schema : {}).flatMap(([keyword, limit]) => {
    const opposite = Object.hasOwn(OPPOSITES, keyword) ? OPPOSITES[keyword] : undefined;
    return opposite === undefined || typeof limit !== "number" ? [] : [opposite(limit)];
  });
}

const MOST_PATTERNS = 4;
const SAMPLES = 3;
const FILLERS = ["a", "0", "A", "-"];

/** Returns texts with a sample of each pattern in them, filled up to a length: one of them may match all patterns. */
export function joinSamples(patterns: readonly string[], least: number): readonly string[] {
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

const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-.";
const MOST_TRIED = 20_000;

/** Returns different texts that match a pattern, made of its samples by exchanging characters. */
export function varySamples(pattern: string, count: number): readonly string[] {
  const matches = compileMatch(pattern);
  const found = new Set(samplePattern(pattern, { characters: [], counts: [1, 2] }).filter(matches));
  let tried = 0;
  for (const text of found) {
    for (let at = text.length - 1; at >= 0; at -= 1) {
      for (const character of CHARACTERS) {
        tried += 1;
        if (found.size >= count || tried > MOST_TRIED) return [...found];
        const other = text.slice(0, at) + character + text.slice(at + 1);
        if (matches(other)) found.add(other);
      }
    }
  }
  return [...found];
}
