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
