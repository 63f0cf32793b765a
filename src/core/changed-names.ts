import type { Change } from "./change.js";
import { findOwn, type JsonValue } from "./json.js";

interface FoundRule {
  readonly rule: string;
  readonly tool?: string | undefined;
  readonly after?: JsonValue | undefined;
}

/** The tools that replaced a tool: its new name, or the parts that it was split into; none for another change. */
export function successorsOf({ rule, after }: FoundRule): readonly string[] {
  if (rule !== "tool-renamed") return [];
  const names: readonly JsonValue[] = Array.isArray(after) ? after : [after ?? null];
  return names.flatMap((name) => (typeof name === "string" ? [name] : []));
}

/**
 * Adds the other names of renamed, merged and split tools. If one name were held back and the other were not, the tool would
 * leave the lock, and come back as a new one that nothing is compared with.
 */
export function withOtherNames(chosen: readonly string[], changes: readonly Change[]): ReadonlySet<string> {
  const groups = changes.flatMap((change) => {
    const successors = successorsOf(change);
    return successors.length === 0 ? [] : [[change.tool ?? "", ...successors]];
  });
  const all = new Set(chosen);
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const group of groups)
      if (group.some((name) => all.has(name))) for (const name of group) all.add(name);
  }
  return all;
}

/** The name that the tool of a change has now. */
export function currentTool(change: FoundRule): string | undefined {
  const [name, ...others] = successorsOf(change);
  return name === undefined || others.length > 0 ? change.tool : name;
}

/** What became of a renamed tool or property, to follow its name: a guess says "perhaps". `print` makes a name safe to show. */
export function describeRenamed(change: Change, print: (name: string) => string): string {
  const { after, confidence } = change;
  const perhaps = confidence === undefined ? "" : "perhaps ";
  if (typeof after === "string") return `${perhaps}renamed to \`${print(after)}\``;
  const names = successorsOf(change).map((name) => `\`${print(name)}\``);
  return names.length === 0 ? `${perhaps}renamed` : `${perhaps}split into ${names.join(", ")}`;
}

/** The rule about a tool whose name another server's tool has. */
export const NAME_TAKEN = "tool-name-taken";

/** The tool of another server whose name a tool has, or nearly has; undefined for a change of another rule. */
export function takenFrom({
  rule,
  after,
}: FoundRule): { readonly server: string; readonly tool: string } | undefined {
  const shadows = rule === NAME_TAKEN ? findOwn(after, "shadows") : undefined;
  const server = findOwn(shadows, "server");
  const tool = findOwn(shadows, "tool");
  return typeof server === "string" && typeof tool === "string" ? { server, tool } : undefined;
}
