import { type AbilitySnapshot, toolNameOf } from "../../src/core/ability.js";
import { canonicalJson, type JsonObject } from "../../src/core/json.js";
import type { PhpReading } from "../../src/sources/php/php-answer.js";
import { readPhp } from "../../src/sources/php/read-php.js";
import { CORE } from "./core.js";

/** How the abilities that the core without a site finds compare with those that a real WordPress registered. */
export interface CoreFigures {
  readonly equal: number;
  readonly different: readonly string[];
  readonly missed: readonly string[];
  readonly invented: readonly string[];
  /** Abilities that depend on the site, and those of plugins that did not run as on a site. */
  readonly undecided: readonly string[];
  /** The plugins that did not run as on a site. */
  readonly failed: number;
  readonly notes: readonly string[];
}

/** An ability that a real WordPress registered, and the file that did, relative to the folder of the comparison. */
export interface Registered {
  readonly ability: AbilitySnapshot;
  readonly file?: string;
}

/**
 * Runs plugins in the core without a site, as `check --php` with a lock of the abilities that a real WordPress registered for
 * them, and compares both.
 */
export async function compareWithCore(
  registered: readonly Registered[],
  paths: readonly string[],
  dir: string,
): Promise<CoreFigures> {
  const real = new Map(registered.map(({ ability }) => [ability.name, ability]));
  const read = ({ abilities }: PhpReading): ReadonlyMap<string, AbilitySnapshot> =>
    new Map(abilities.map(({ ability }) => [ability.name, ability]));
  const differing = (reading: PhpReading): readonly string[] => {
    const names = read(reading);
    return [...new Set([...real.keys(), ...names.keys()])].filter(
      (name) => textOf(names.get(name)) !== textOf(real.get(name)),
    );
  };
  const reading = await readPhp(
    "site",
    { paths, ...(CORE !== undefined && { core: CORE }) },
    {
      dir,
      lookup: () => undefined,
      locked: registered.map(({ ability: definition, ...rest }) => ({ definition, ...rest })),
      differing: (other) => new Set(differing(other).map(toolNameOf)),
    },
  );
  const { failures, gaps, notes } = reading;
  const found = read(reading);
  const undecided = new Set([
    ...reading.undecided.keys(),
    ...registered
      .filter(({ file = "" }) => [...failures, ...gaps].some(({ covers }) => covers(file)))
      .map(({ ability }) => ability.name)
      .filter((name) => !found.has(name)),
  ]);
  const open = new Set(differing(reading));
  const changed = [...open].filter((name) => !undecided.has(name));
  return {
    equal: [...real.keys()].filter((name) => !open.has(name)).length,
    different: changed.filter((name) => found.has(name) && real.has(name)),
    missed: changed.filter((name) => !found.has(name)),
    invented: changed.filter((name) => !real.has(name)),
    undecided: [...undecided],
    failed: failures.length + gaps.length,
    notes,
  };
}

/** The parts that belong to the contract. */
function textOf(ability: JsonObject | undefined): string {
  const { name, label, description, category, input_schema, output_schema } = ability ?? {};
  const kept = { name, label, description, category, input_schema, output_schema };
  const isKept = ([, value]: readonly [string, unknown]): boolean =>
    value !== undefined && !(Array.isArray(value) && value.length === 0);
  return canonicalJson(Object.fromEntries(Object.entries(kept).filter(isKept)) as JsonObject);
}
