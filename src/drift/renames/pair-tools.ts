import { findAt, isSameJson, joinPointer } from "../../core/json-pointer.js";
import { groupBy } from "../../core/collections.js";
import {
  byCodeUnit,
  findOwn,
  getOwn,
  isEmptyList,
  isJsonArray,
  isJsonObject,
  type JsonValue,
  objectOrEmpty,
} from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { referencesIn } from "../../core/subschemas.js";
import {
  type UnconfirmedChange,
  makeChange,
  withoutWire,
  type WitnessPair,
  witnessPairOf,
} from "../unconfirmed-change.js";
import { editAt } from "../witness/instance-places.js";
import { diffSchemas, type SchemaPlace } from "../walk/diff-schemas.js";
import { findToolRenames, type FoundToolRename, type ToolSplit } from "./find-tool-renames.js";
import {
  findSites,
  gatherEvidence,
  NO_EVIDENCE,
  type RenameEvidence,
  type RenameSite,
  type SchemaVersions,
  scoreProperties,
} from "./rename-evidence.js";
import { partsOfName } from "./similarity.js";

/** The fate of a tool between two lists. */
export type ToolPair =
  | { readonly kind: "added" | "removed"; readonly tool: string }
  | { readonly kind: "renamed"; readonly rename: FoundToolRename }
  | { readonly kind: "split"; readonly split: ToolSplit }
  /** The tool is in both lists, under the same name or as the only tool that was renamed to it. */
  | { readonly kind: "kept"; readonly before: ToolSnapshot; readonly after: ToolSnapshot };

type Tools = ReadonlyMap<string, ToolSnapshot>;

/**
 * Pairs the tools of two lists by name, ordered by the new names. A renamed tool is neither removed nor added, and neither are
 * a tool that was split and its parts. The `declared` renames are certain, so
 * their tools are not matched with others.
 */
export function pairTools(
  before: Tools,
  after: Tools,
  declared: readonly FoundToolRename[] = [],
): readonly ToolPair[] {
  const tools = { before: [...before.values()], after: [...after.values()] };
  const keys = new Set(declared.flatMap((rename) => [rename.before, rename.after]));
  const guessed = findToolRenames(
    tools.before.filter(({ name }) => !after.has(name) && !keys.has(name)),
    tools.after.filter(({ name }) => !before.has(name) && !keys.has(name)),
    tools.after.filter(({ name }) => before.has(name)),
  );
  const renames = [...declared, ...guessed.renames];
  const parts = new Set(guessed.splits.flatMap((split) => split.after));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(byCodeUnit);
  const pairs = names.flatMap((tool): readonly ToolPair[] => {
    const toolBefore = before.get(tool);
    const toolAfter = after.get(tool);
    if (toolBefore && toolAfter) return [{ kind: "kept", before: toolBefore, after: toolAfter }];
    if (toolAfter === undefined) {
      const rename = renames.find((candidate) => candidate.before === tool);
      const split = guessed.splits.find((candidate) => candidate.before === tool);
      if (split !== undefined) return [{ kind: "split", split }];
      return [rename === undefined ? { kind: "removed", tool } : { kind: "renamed", rename }];
    }
    if (parts.has(tool)) return [];
    const [rename, ...more] = renames.filter((candidate) => candidate.after === tool);
    if (rename === undefined) return [{ kind: "added", tool }];
    const source = before.get(rename.before);
    // A comparison with each of several merged tools is not helpful.
    if (source === undefined || more.length > 0) return [];
    return [{ kind: "kept", before: source, after: toolAfter }];
  });
  return pairs.sort((a, b) => byCodeUnit(nameOf(a), nameOf(b)) || orderOf(a) - orderOf(b));
}

function nameOf(pair: ToolPair): string {
  switch (pair.kind) {
    case "added":
    case "removed":
      return pair.tool;
    case "renamed":
      return pair.rename.after;
    case "split":
      return pair.split.before;
    case "kept":
      return pair.after.name;
    default:
      return pair satisfies never;
  }
}

/** A rename comes before the other changes of the tool. */
function orderOf({ kind }: ToolPair): number {
  return kind === "renamed" ? 0 : 1;
}

const SCHEMAS = ["inputSchema", "outputSchema"];

/** Returns the evidence for renamed properties from all changed tools. */
export function evidenceOf(pairs: readonly ToolPair[], before: Tools, after: Tools): RenameEvidence {
  const tools = pairs.flatMap((pair) => (pair.kind === "kept" ? [pair] : []));
  const schemas = tools.map((pair) =>
    SCHEMAS.map((key): SchemaVersions => [getOwn(pair.before, key) ?? {}, getOwn(pair.after, key) ?? {}]),
  );
  return gatherEvidence(schemas, () => ({ before: namesIn(before), after: namesIn(after) }));
}

function namesIn(tools: Tools): {
  readonly words: ReadonlySet<string>;
  readonly properties: ReadonlySet<string>;
} {
  const properties = [...tools.values()].flatMap((tool) =>
    SCHEMAS.flatMap((key) => propertiesOf(getOwn(tool, key))),
  );
  return {
    words: new Set([...new Set([...tools.keys(), ...properties])].flatMap(partsOfName)),
    properties: new Set(properties),
  };
}

function propertiesOf(schema: JsonValue | undefined): readonly string[] {
  const properties = findOwn(schema, "properties");
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

/**
 * Returns the findings between two schemas. A renamed property is reported once, and then compared under its new name.
 */
export function diffSchemaPair(
  schemaBefore: JsonValue,
  schemaAfter: JsonValue,
  place: SchemaPlace,
): readonly UnconfirmedChange[] {
  const isInput = place.side === "input";
  const before = isInput ? ofArguments(schemaBefore) : schemaBefore;
  const after = isInput ? ofArguments(schemaAfter) : schemaAfter;
  if (isSameJson(before, after)) return [];
  const renames = findPropertyRenames(before, after, place.evidence);
  const pair = witnessPairOf(before, after, place.side, place.reading);
  return [
    ...renames.map((rename) => reportRename(rename, place, pair)),
    ...diffSchemas(renameProperties(before, renames), after, place, pair),
  ];
}

/** Returns an input schema limited to objects, because arguments are an object (specification 2025-11-25, `tools/call`). */
function ofArguments(schema: JsonValue): JsonValue {
  // PHP writes an empty schema as an empty list.
  if (schema === true || isEmptyList(schema)) return { type: "object" };
  // Before 2019-09, validators ignore keywords beside a reference.
  if (!isJsonObject(schema) || Object.hasOwn(schema, "$ref")) return schema;
  const type = getOwn(schema, "type");
  const allowsObjects = type === undefined || (Array.isArray(type) && type.includes("object"));
  // A reference to the whole schema also applies it to values that are not the arguments.
  const isReferred = allowsObjects && referencesIn(schema).some((ref) => !ref.startsWith("#/"));
  return allowsObjects && !isReferred ? { ...schema, type: "object" } : schema;
}

function reportRename(
  { site, ...rename }: FoundPropertyRename,
  { pointer, side, ...place }: SchemaPlace,
  pair: WitnessPair,
): UnconfirmedChange {
  const [before, after] = [rename.before, rename.after].map((name) => joinPointer(site, "properties", name));
  const path = pointer + (after ?? "");
  // The new schema may require one name, or else reject the other name.
  const [missed, other] = side === "input" ? [rename.after, after] : [rename.before, before];
  const isMissed = isRequired(pair.rejects, site, missed);
  const at = (isMissed ? other : side === "input" ? before : after) ?? "";
  const change = makeChange(`${side}-property-renamed`, { ...place, path }, rename);
  // Otherwise the old name is ignored, and only the types of callers break.
  if (!isMissed && findAt(pair.rejects, joinPointer(site, "additionalProperties")) !== false)
    return { change: withoutWire(change) };
  const names = [rename.before, rename.after];
  return { change, request: { ...pair, at, rule: "property-renamed", names }, unwitnessed: "breaking" };
}

function isRequired(schema: JsonValue, site: string, name: string): boolean {
  const names = findAt(schema, joinPointer(site, "required"));
  return Array.isArray(names) && names.includes(name);
}

interface FoundPropertyRename {
  /** JSON Pointer of the object's schema, in both documents. */
  readonly site: string;
  readonly before: string;
  readonly after: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

/** The least confidence of a rename. Otherwise a removal and an addition are reported. */
const LEAST = 0.7;
/** The least confidence if all other candidates are worse by at least the lead. */
const CLEAR_LEAST = 0.65;
const CLEAR_LEAD = 0.3;
/** The least lead of the best candidate over the next one. */
const LEAD = 0.15;

/**
 * Returns the renamed properties of all objects that are at the same place in both schemas. Properties are matched by name,
 * schema and description, and by the renames in other tools of the server. A schema with references into `properties` has
 * no renames, because the references would have no target under the new name.
 */
export function findPropertyRenames(
  before: JsonValue,
  after: JsonValue,
  evidence: RenameEvidence = NO_EVIDENCE,
): readonly FoundPropertyRename[] {
  return findSites(before, after).flatMap((site) => renamesIn(site, evidence));
}

function renamesIn(
  { pointer: site, removed, added }: RenameSite,
  evidence: RenameEvidence,
): readonly FoundPropertyRename[] {
  const pairs = removed.flatMap((before) =>
    added.map((after) => {
      const score = scoreProperties(before, after, evidence(before[0], after[0]));
      return { before: before[0], after: after[0], score };
    }),
  );
  return pairs.flatMap(({ before, after, score: confidence }): readonly FoundPropertyRename[] => {
    const rivals = pairs.filter((pair) => (pair.before === before) !== (pair.after === after));
    const lead = confidence - Math.max(0, ...rivals.map((rival) => rival.score));
    const isClear = lead >= LEAD && confidence >= (lead >= CLEAR_LEAD ? CLEAR_LEAST : LEAST);
    if (!isClear) return [];
    return [{ site, before, after, confidence: Math.round(confidence * 100) / 100 }];
  });
}

function renameProperties(schema: JsonValue, renames: readonly FoundPropertyRename[]): JsonValue {
  return [...groupBy(renames, ({ site }) => site)].reduce((whole, [site, ofSite]) => {
    const names = new Map(ofSite.map(({ before, after }) => [before, after]));
    const renamed = editAt(whole, joinPointer(site, "properties"), (properties) =>
      Object.fromEntries(
        Object.entries(objectOrEmpty(properties)).map(([name, item]) => [names.get(name) ?? name, item]),
      ),
    );
    return editAt(renamed, joinPointer(site, "required"), (required) =>
      isJsonArray(required)
        ? required.map((name) => (typeof name === "string" ? (names.get(name) ?? name) : name))
        : required,
    );
  }, schema);
}
