import { canonicalJson } from "../contract/canonical-json.js";
import type { Change, ChangeClass } from "../contract/change.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import { diffKeyword } from "./diff-keyword.js";
import { diffTypes } from "./diff-types.js";
import { isEqual } from "./is-equal.js";
import { joinPointer, makeChange } from "./make-change.js";
import {
  ANNOTATIONS,
  normalizeSchema,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  type Origin,
} from "./normalize-schema.js";
import { reportDeepest, type Report } from "./report-deepest.js";
import type { Side } from "./sided-rules.js";

/** What differs between two schemas; empty only when they are equal after normalisation. */
export function diffSchemas(
  before: JsonValue,
  after: JsonValue,
  place: { readonly server: string; readonly tool: string; readonly pointer: string; readonly side: Side },
): readonly Change[] {
  const { server, tool, pointer, side } = place;
  const old = normalizeSchema(before, pointer);
  const now = normalizeSchema(after, pointer);
  const originOf = (schema: JsonValue | undefined): Origin | undefined =>
    schema === undefined ? undefined : (now.origins.get(schema) ?? old.origins.get(schema));
  const report: Report = (name, path, details) => [
    makeChange(`${side}-${name}`, { server, tool, path }, details),
  ];
  const walk: Walk = { root: now.schema, side, report, originOf };
  const dialect = diffDialect(old.schema, now.schema, place);
  if (side === "output" && isRootTypeChanged(old.schema, now.schema)) {
    const path = joinPointer(pointer, "type");
    return [...dialect, makeChange("output-root-type-changed", { server, tool, path }, { before, after })];
  }
  return [...dialect, ...walkSchema(old.schema, now.schema, pointer, true, walk)];
}

interface Walk {
  readonly root: JsonValue;
  readonly side: Side;
  readonly report: Report;
  readonly originOf: (schema: JsonValue | undefined) => Origin | undefined;
}

function diffDialect(
  before: JsonValue,
  after: JsonValue,
  { server, tool, pointer }: { readonly server: string; readonly tool: string; readonly pointer: string },
): readonly Change[] {
  const [old, now] = [before, after].map((schema) =>
    isJsonObject(schema) ? getOwn(schema, "$schema") : undefined,
  );
  if (isEqual(old, now)) return [];
  const place = { server, tool, path: joinPointer(pointer, "$schema") };
  return [makeChange("schema-dialect-changed", place, { before: old, after: now })];
}

function isRootTypeChanged(before: JsonValue, after: JsonValue): boolean {
  if (!isJsonObject(before) || !isJsonObject(after)) return false;
  const [old, now] = [getOwn(before, "type"), getOwn(after, "type")];
  return typeof old === "string" && typeof now === "string" && old !== now;
}

/** Handled together with others, or for the whole document. */
const HANDLED_APART = new Set(["type", "properties", "required", "additionalProperties"]);

/**
 * @param isMonotone whether a schema that accepts more here makes the whole accept more. Only then a rule's class is
 *   certain; below `not`, `if`, a union or a definition it is not, and the change is reported as unknown
 */
function walkSchema(
  before: JsonValue,
  after: JsonValue,
  pointer: string,
  isMonotone: boolean,
  walk: Walk,
): readonly Change[] {
  if (isEqual(before, after)) return [];
  const { report, originOf } = walk;
  const origin = originOf(after) ?? originOf(before);
  const here = origin?.pointer ?? pointer;
  if (!isJsonObject(before) || !isJsonObject(after)) return report("schema-changed", here, { before, after });
  const at = (key: string): string => keyPointer(key, after, before, here, walk);
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !HANDLED_APART.has(key),
  );
  return [
    ...(isMonotone
      ? diffTypes(before, after, at("type"), report)
      : diffPlain("type", before, after, at, report)),
    ...diffProperties(before, after, here, isMonotone, walk),
    ...keys.flatMap((key) => {
      const [old, now] = [getOwn(before, key), getOwn(after, key)];
      if (isEqual(old, now) || (key === "$schema" && after === walk.root)) return [];
      const below = diffSubschemas(key, old, now, here, isMonotone, walk);
      if (below !== undefined) return below;
      if (isMonotone || ANNOTATIONS.has(key)) {
        return diffKeyword(key, old, now, at(key), walk.side, report);
      }
      return reportDeepest(old, now, at(key), report);
    }),
  ];
}

/** Where a key stands in the raw definition; the schema itself when normalisation has moved it. */
function keyPointer(key: string, after: JsonObject, before: JsonObject, here: string, walk: Walk): string {
  const holder = Object.hasOwn(after, key) ? after : before;
  const origin = walk.originOf(holder);
  if (origin === undefined) return joinPointer(here, key);
  if (key === "enum" && Object.hasOwn(origin.raw, "const")) return joinPointer(origin.pointer, "const");
  return Object.hasOwn(origin.raw, key) ? joinPointer(origin.pointer, key) : origin.pointer;
}

function diffPlain(
  key: string,
  before: JsonObject,
  after: JsonObject,
  at: (key: string) => string,
  report: Report,
): readonly Change[] {
  const [old, now] = [getOwn(before, key), getOwn(after, key)];
  return isEqual(old, now) ? [] : reportDeepest(old, now, at(key), report);
}

function diffProperties(
  before: JsonObject,
  after: JsonObject,
  here: string,
  isMonotone: boolean,
  walk: Walk,
): readonly Change[] {
  const { report, side, originOf } = walk;
  const [old, now] = [mapOf(before, "properties"), mapOf(after, "properties")];
  const [oldRequired, nowRequired] = [namesOf(before), namesOf(after)];
  // What is no list of names or no object of schemas cannot be judged by name.
  if (old === undefined || now === undefined || oldRequired === undefined || nowRequired === undefined) {
    return ["properties", "required", "additionalProperties"].flatMap((key) =>
      diffPlain(key, before, after, (name) => joinPointer(here, name), report),
    );
  }
  const governed = getOwn(before, "additionalProperties");
  const names = [...new Set([...Object.keys(old), ...Object.keys(now), ...oldRequired, ...nowRequired])];
  const named = names.flatMap((name): readonly Change[] => {
    const [oldSchema, nowSchema] = [getOwn(old, name), getOwn(now, name)];
    const path =
      (originOf(nowSchema) ?? originOf(oldSchema))?.pointer ?? joinPointer(here, "properties", name);
    const [was, is] = [oldRequired.includes(name), nowRequired.includes(name)];
    if (!isMonotone) {
      const requirement =
        was === is ? [] : report("schema-changed", joinPointer(here, "required"), { before: was, after: is });
      const schemas = walkOptional(oldSchema, nowSchema, path, walk);
      return [...requirement, ...schemas];
    }
    if (oldSchema === undefined && nowSchema !== undefined) {
      return report(is ? "required-property-added" : "optional-property-added", path, {
        after: nowSchema,
        ...classOfAddition(side, is, governed),
      });
    }
    if (oldSchema !== undefined && nowSchema === undefined) {
      const requirement =
        !was && is
          ? report("property-became-required", joinPointer(here, "required"), { before: was, after: is })
          : [];
      return [...report("property-removed", path, { before: oldSchema }), ...requirement];
    }
    const inside =
      oldSchema === undefined || nowSchema === undefined
        ? []
        : walkSchema(oldSchema, nowSchema, path, true, walk);
    if (was === is) return inside;
    const rule = is ? "property-became-required" : "property-became-optional";
    return [...report(rule, path, { before: was, after: is }), ...inside];
  });
  return [...named, ...diffAdditional(before, after, here, isMonotone, walk)];
}

function walkOptional(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: string,
  walk: Walk,
): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined || after === undefined)
    return walk.report("schema-changed", path, { before, after });
  return walkSchema(before, after, path, false, walk);
}

/** A new property is judged otherwise where a schema for further properties used to govern its name. */
function classOfAddition(
  side: Side,
  isRequired: boolean,
  governed: JsonValue | undefined,
): { readonly class?: ChangeClass } {
  if (side === "output")
    return governed === false ? { class: "breaking" } : isJsonObject(governed) ? { class: "unknown" } : {};
  return !isRequired && isJsonObject(governed) ? { class: "dangerous" } : {};
}

function diffAdditional(
  before: JsonObject,
  after: JsonObject,
  here: string,
  isMonotone: boolean,
  walk: Walk,
): readonly Change[] {
  const [old, now] = [getOwn(before, "additionalProperties"), getOwn(after, "additionalProperties")];
  if (isEqual(old, now)) return [];
  const path = joinPointer(here, "additionalProperties");
  const isPatterned = Object.hasOwn(before, "patternProperties") || Object.hasOwn(after, "patternProperties");
  if (isMonotone && !isPatterned) {
    if (now === false) return walk.report("additional-properties-closed", path, { before: old, after: now });
    if (old === false) return walk.report("additional-properties-opened", path, { before: old, after: now });
  }
  if (isJsonObject(old) && isJsonObject(now))
    return walkSchema(old, now, path, isMonotone && !isPatterned, walk);
  return walk.report("schema-changed", path, { before: old, after: now });
}

/** The changes in the schemas that a keyword holds; undefined when the keyword holds none, or holds them on one side only. */
function diffSubschemas(
  key: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  here: string,
  isMonotone: boolean,
  walk: Walk,
): readonly Change[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  const path = joinPointer(here, key);
  if (SCHEMA_KEYWORDS.has(key) && !Array.isArray(before) && !Array.isArray(after)) {
    return walkSchema(before, after, path, isMonotone && key === "items", walk);
  }
  if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(before) && Array.isArray(after)) {
    const [old, now]: readonly (readonly JsonValue[])[] = [before, after];
    if (old === undefined || now?.length !== old.length) return undefined;
    if (key !== "prefixItems" && canonicalJson(sorted(old)) === canonicalJson(sorted(now))) return [];
    return now.flatMap((schema, index) =>
      walkSchema(
        old[index] ?? null,
        schema,
        joinPointer(path, index),
        isMonotone && key === "prefixItems",
        walk,
      ),
    );
  }
  if (SCHEMA_MAP_KEYWORDS.has(key) && isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) =>
      walkOptional(getOwn(before, name), getOwn(after, name), joinPointer(path, name), walk),
    );
  }
  return undefined;
}

function mapOf(schema: JsonObject, key: string): JsonObject | undefined {
  const value = getOwn(schema, key) ?? {};
  return isJsonObject(value) ? value : undefined;
}

function namesOf(schema: JsonObject): readonly string[] | undefined {
  const value = getOwn(schema, "required") ?? [];
  if (!Array.isArray(value)) return undefined;
  const names = (value as readonly JsonValue[]).filter((name) => typeof name === "string");
  return names.length === value.length ? names : undefined;
}

function sorted(list: readonly JsonValue[]): readonly JsonValue[] {
  return list.map(canonicalJson).sort();
}
