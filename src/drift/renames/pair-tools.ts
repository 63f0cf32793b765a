import { byCodeUnit, findOwn, getOwn, isJsonObject, type JsonValue } from "../../core/json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { findToolRenames, type FoundToolRename, type ToolSplit } from "./find-tool-renames.js";
import { gatherEvidence, type RenameEvidence, type SchemaVersions } from "./rename-evidence.js";
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
  const known = new Set(declared.flatMap((rename) => [rename.before, rename.after]));
  const guessed = findToolRenames(
    tools.before.filter(({ name }) => !after.has(name) && !known.has(name)),
    tools.after.filter(({ name }) => !before.has(name) && !known.has(name)),
    tools.after.filter(({ name }) => before.has(name)),
  );
  const renames = [...declared, ...guessed.renames];
  const parts = new Set(guessed.splits.flatMap((split) => split.after));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(byCodeUnit);
  const pairs = names.flatMap((tool): readonly ToolPair[] => {
    const [was, is] = [before.get(tool), after.get(tool)];
    if (was !== undefined && is !== undefined) return [{ kind: "kept", before: was, after: is }];
    if (is === undefined) {
      const rename = renames.find((one) => one.before === tool);
      const split = guessed.splits.find((one) => one.before === tool);
      if (split !== undefined) return [{ kind: "split", split }];
      return [rename === undefined ? { kind: "removed", tool } : { kind: "renamed", rename }];
    }
    if (parts.has(tool)) return [];
    const [rename, ...more] = renames.filter((one) => one.after === tool);
    if (rename === undefined) return [{ kind: "added", tool }];
    const source = before.get(rename.before);
    // A comparison with each of several merged tools is not helpful.
    return source === undefined || more.length > 0 ? [] : [{ kind: "kept", before: source, after: is }];
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
