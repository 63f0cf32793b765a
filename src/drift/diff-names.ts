import type { Change } from "../contract/change.js";
import { byCodeUnit } from "../contract/json.js";
import type { ToolSnapshot } from "../contract/snapshot.js";
import { toCamelCase } from "../schema/identifiers.js";
import { makeChange } from "./make-change.js";

/** What the MCP specification (2025-11-25, "Tool Names") lets a tool be called. */
const VALID = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * What is wrong with names that were not there before: not valid, listed twice, or one name in generated code, also with
 * one of those that are `unchanged` in both lists and that neither has.
 */
export function diffNames(
  server: string,
  before: readonly ToolSnapshot[],
  after: readonly ToolSnapshot[],
  unchanged: readonly string[],
): readonly Change[] {
  const known = countNames(before);
  const now = countNames(after);
  const added = [...now.keys()].filter((name) => !known.has(name)).sort(byCodeUnit);
  const place = (
    tool: string,
  ): { readonly server: string; readonly tool: string; readonly path: string } => ({
    server,
    tool,
    path: "/name",
  });
  return [
    ...added
      .filter((name) => !VALID.test(name))
      .map((name) => makeChange("tool-name-invalid", place(name), { after: name })),
    ...[...now]
      .filter(([name, count]) => count > Math.max(known.get(name) ?? 0, 1))
      .map(([name]) => makeChange("tool-name-duplicate", place(name), { after: name })),
    ...findCollisions(added, [...now.keys(), ...unchanged]).map(({ name, other }) =>
      makeChange("tool-name-collision", place(name), { before: other, after: name }),
    ),
  ];
}

function countNames(tools: readonly ToolSnapshot[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** New names that are called in code what another tool is called. */
function findCollisions(
  added: readonly string[],
  all: readonly string[],
): readonly { readonly name: string; readonly other: string }[] {
  if (added.length === 0) return [];
  const byIdentifier = new Map<string, string[]>();
  for (const name of [...all].sort(byCodeUnit)) {
    const identifier = toCamelCase(name);
    const names = byIdentifier.get(identifier);
    if (names === undefined) byIdentifier.set(identifier, [name]);
    else names.push(name);
  }
  return added.flatMap((name) => {
    const identifier = toCamelCase(name);
    const other = byIdentifier.get(identifier)?.find((one) => one !== name);
    return identifier === "" || other === undefined ? [] : [{ name, other }];
  });
}
