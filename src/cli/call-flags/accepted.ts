import { canonicalJson } from "../../contract/canonical-json.js";
import type { JsonValue } from "../../contract/json.js";
import type { JsonType } from "../../contract/schema-ir.js";
import { typeOfValue } from "../../schema/node-types.js";

/** The values that a schema accepts, in enough detail to decide how to read a text. */
export interface Accepted {
  readonly types: ReadonlySet<JsonType>;
  /** The values of `enum` and `const`, by their canonical JSON; accepted in addition to `types`. */
  readonly literals: ReadonlyMap<string, JsonValue>;
  /** Whether all accepted numbers are integers. */
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

/** Whether only booleans are accepted. */
export function isSwitch({ types, literals }: Accepted): boolean {
  const all = [...types, ...[...literals.values()].map(typeOfValue)];
  return all.length > 0 && all.every((type) => type === "boolean");
}

/** Returns what at least one of them accepts. */
export function unite(all: readonly Accepted[]): Accepted {
  return {
    types: new Set(all.flatMap(({ types }) => [...types])),
    literals: new Map(all.flatMap(({ literals }) => [...literals])),
    isWhole: all.every(({ isWhole }) => isWhole),
  };
}

/** Returns what all of them accept. */
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
