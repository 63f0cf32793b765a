import type { AbilitySnapshot } from "../../src/core/ability.js";
import { canonicalJson, type JsonObject } from "../../src/core/json.js";
import { readPhp } from "../../src/sources/php/php-reading.js";

/** How the abilities that the stub finds compare with those that a real WordPress registered. */
export interface StubFigures {
  readonly equal: number;
  readonly different: readonly string[];
  readonly missed: readonly string[];
  readonly invented: readonly string[];
  /** Abilities that the stub names without knowing them, and those of plugins that did not run as on a site. */
  readonly unverified: readonly string[];
  /** The plugins that did not run as on a site. */
  readonly failed: number;
}

/** An ability that a real WordPress registered, and the file that did, relative to the folder of the comparison. */
export interface Registered {
  readonly ability: AbilitySnapshot;
  readonly file?: string;
}

/** Runs plugins in the stub, and compares their abilities with those that a real WordPress registered for them. */
export async function compareWithStub(
  registered: readonly Registered[],
  paths: readonly string[],
  dir: string,
): Promise<StubFigures> {
  const real = new Map(registered.map(({ ability }) => [ability.name, ability]));
  const { abilities: read, failures, gaps, possible } = await readPhp("site", { paths }, { dir });
  const known = new Map(
    read.filter(({ doubt }) => doubt === undefined).map(({ ability }) => [ability.name, ability]),
  );
  const unverified = new Set([
    ...read.filter(({ doubt }) => doubt !== undefined).map(({ ability }) => ability.name),
    ...possible.keys(),
    ...registered
      .filter(({ file }) => file !== undefined && [...failures, ...gaps].some(({ covers }) => covers(file)))
      .map(({ ability }) => ability.name)
      .filter((name) => !known.has(name)),
  ]);
  const both = [...known].filter(([name]) => real.has(name));
  const different = both.filter(([name, one]) => textOf(one) !== textOf(real.get(name) ?? {}));
  return {
    equal: both.length - different.length,
    different: different.map(([name]) => name),
    missed: [...real.keys()].filter((name) => !known.has(name) && !unverified.has(name)),
    invented: [...known.keys()].filter((name) => !real.has(name)),
    unverified: [...unverified],
    failed: failures.length + gaps.length,
  };
}

/** The parts that belong to the contract. */
function textOf({ name, label, description, category, input_schema, output_schema }: JsonObject): string {
  const kept = { name, label, description, category, input_schema, output_schema };
  const isKept = ([, value]: readonly [string, unknown]): boolean =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  return canonicalJson(Object.fromEntries(Object.entries(kept).filter(isKept)) as JsonObject);
}
