import type { Change } from "../contract/change.js";
import { byCodeUnit } from "../contract/json.js";
import type { ToolSnapshot } from "../contract/snapshot.js";
import { toCamelCase } from "../schema/identifiers.js";
import { makeChange } from "./make-change.js";

/** What the MCP specification (2025-11-25, "Tool Names") lets a tool be called. */
const VALID = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * What is wrong with names that were not there before: not valid, or one name in generated code, also with one of those
 * that are `unchanged` in both lists and that neither has; and with those that are now `repeated`.
 */
export function diffNames(
  server: string,
  before: readonly ToolSnapshot[],
  after: readonly ToolSnapshot[],
  { unchanged, repeated }: { readonly unchanged: readonly string[]; readonly repeated: Iterable<string> },
): readonly Change[] {
  const known = new Set(before.map(({ name }) => name));
  const now = new Set(after.map(({ name }) => name));
  const added = [...now].filter((name) => !known.has(name)).sort(byCodeUnit);
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
    ...[...repeated].map((name) => makeChange("tool-name-duplicate", place(name), { after: name })),
    ...findCollisions(added, [...now, ...unchanged]).map(({ name, other }) =>
      makeChange("tool-name-collision", place(name), { before: other, after: name }),
    ),
  ];
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
