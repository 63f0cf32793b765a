import type { AbilitySnapshot } from "../../contract/ability.js";
import { digestOf } from "../../contract/digest.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import type { Registrations, StubDifference } from "./php-reading.js";
import { joinPointer } from "../../contract/json-pointer.js";

/** Whether two versions of WordPress have an equal ability. */
export function isSameAbility(one: AbilitySnapshot, other: AbilitySnapshot): boolean {
  return digestOf(comparable(one)) === digestOf(comparable(other));
}

/**
 * Returns the abilities that the stub registers differently from the real WordPress, in the order of
 * WordPress.
 */
export function compareAbilities(wordpress: Registrations, stub: Registrations): readonly StubDifference[] {
  const inStub = new Map(stub.abilities.map((found) => [found.ability.name, found]));
  const inWordPress = new Set(wordpress.abilities.map(({ ability }) => ability.name));
  const differing = wordpress.abilities.flatMap(({ ability, file, line }): readonly StubDifference[] => {
    const other = inStub.get(ability.name);
    const at = { ability: ability.name, file, line };
    if (other === undefined) return [{ ...at, kind: "missing", ...reasonOf(ability.name, stub) }];
    if (other.doubt !== undefined) return [{ ...at, kind: "unknown", reason: other.doubt }];
    const values = findDifferences(comparable(ability), comparable(other.ability));
    return values.length === 0 ? [] : [{ ...at, kind: "different", values }];
  });
  const extra = stub.abilities.flatMap(({ ability: { name }, file, line }): readonly StubDifference[] =>
    inWordPress.has(name) ? [] : [{ ability: name, file, line, kind: "extra", ...reasonOf(name, wordpress) }],
  );
  return [...differing, ...extra];
}

function reasonOf(ability: string, { refused }: Registrations): { readonly reason?: string } {
  const refusal = refused.find(({ kind, name }) => kind === "ability" && name === ability);
  return refusal === undefined ? {} : { reason: refusal.reason };
}

/** WordPress 7.1 sets `meta.public` to false by default; older versions omit it. */
function comparable(ability: AbilitySnapshot): JsonObject {
  const meta = getOwn(ability, "meta");
  if (!isJsonObject(meta) || getOwn(meta, "public") !== false) return ability;
  return { ...ability, meta: Object.fromEntries(Object.entries(meta).filter(([key]) => key !== "public")) };
}

type ValueDifference = NonNullable<StubDifference["values"]>[number];

/**
 * Returns the innermost different values, by JSON Pointer. A value that one of them does not have is absent.
 */
function findDifferences(
  wordpress: JsonValue | undefined,
  stub: JsonValue | undefined,
  pointer = "",
): readonly ValueDifference[] {
  if (wordpress !== undefined && stub !== undefined) {
    if (digestOf(wordpress) === digestOf(stub)) return [];
    const [one, other] = [entriesOf(wordpress), entriesOf(stub)];
    if (one !== undefined && other !== undefined && Array.isArray(wordpress) === Array.isArray(stub)) {
      return [...new Set([...one.keys(), ...other.keys()])].flatMap((key) =>
        findDifferences(one.get(key), other.get(key), joinPointer(pointer, key)),
      );
    }
  }
  return [
    {
      pointer,
      ...(wordpress !== undefined && { wordpress }),
      ...(stub !== undefined && { stub }),
    },
  ];
}

function entriesOf(value: JsonValue): ReadonlyMap<string, JsonValue> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}
