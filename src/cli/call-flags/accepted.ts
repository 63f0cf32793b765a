import { canonicalJson } from "../../contract/canonical-json.js";
import type { JsonValue } from "../../contract/json.js";
import type { JsonType } from "../../contract/schema-ir.js";
import { typeOfValue } from "../../schema/node-types.js";

/** What a schema lets a value be, as far as it takes to tell what a text stands for. */
export interface Accepted {
  readonly types: ReadonlySet<JsonType>;
  /** Values beside those of the types, which `enum` and `const` name, by their canonical JSON. */
  readonly literals: ReadonlyMap<string, JsonValue>;
  /** Whether its numbers are whole. */
  readonly isWhole: boolean;
}

export const ANYTHING: Accepted = {
  types: new Set<JsonType>(["null", "boolean", "number", "string", "array", "object"]),
  literals: new Map(),
  isWhole: false,
};

export function acceptType(type: JsonType, isWhole = true): Accepted {
  return { types: new Set([type]), literals: new Map(), isWhole };
}

export function acceptLiterals(values: readonly JsonValue[]): Accepted {
  return {
    types: new Set(),
    literals: new Map(values.map((value) => [canonicalJson(value), value])),
    isWhole: true,
  };
}

export function isAccepted(value: JsonValue, { types, literals }: Accepted): boolean {
  return types.has(typeOfValue(value)) || (literals.size > 0 && literals.has(canonicalJson(value)));
}

/** Whether it is true or false and nothing else. */
export function isSwitch({ types, literals }: Accepted): boolean {
  const all = [...types, ...[...literals.values()].map(typeOfValue)];
  return all.length > 0 && all.every((type) => type === "boolean");
}

/** What any of them accepts. */
export function unite(all: readonly Accepted[]): Accepted {
  return {
    types: new Set(all.flatMap(({ types }) => [...types])),
    literals: new Map(all.flatMap(({ literals }) => [...literals])),
    isWhole: all.every(({ isWhole }) => isWhole),
  };
}

/** What all of them accept. */
export function intersect(all: readonly Accepted[]): Accepted {
  return all.reduce(
    (a, b): Accepted => ({
      types: new Set([...a.types].filter((type) => b.types.has(type))),
      literals: new Map([
        ...[...a.literals].filter(([, value]) => isAccepted(value, b)),
        ...[...b.literals].filter(([, value]) => isAccepted(value, a)),
      ]),
      isWhole: a.isWhole || b.isWhole,
    }),
    ANYTHING,
  );
}
