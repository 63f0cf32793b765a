import type { GenericIssue } from "valibot";
import { formatKeyPath } from "../core/json-pointer.js";
import type { ConfigProblem } from "./validate-config.js";
import { knownKeys } from "./config-schema.js";
import { nearestName } from "../core/words/edit-distance.js";
import { toServerName } from "./server-names.js";

/** Returns a problem for each issue: its place, what was expected, and a suggestion. */
export function explainIssues(issues: readonly GenericIssue[]): readonly ConfigProblem[] {
  return issues.map(explainIssue);
}

/** Suggests a valid server key, for an issue about an invalid one. */
function meantServer({ path }: GenericIssue): string {
  const [parent, server] = path ?? [];
  if (path?.length !== 2 || parent?.key !== "servers" || server?.origin !== "key") return "";
  return `, such as "${toServerName(String(server.key))}"`;
}

function explainIssue(issue: GenericIssue): ConfigProblem {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)));
  const at = (text: string): ConfigProblem => ({ path, text });
  const where = path.length === 0 ? "" : `${formatKeyPath(path)}: `;
  if (issue.type !== "strict_object") return at(`${where}${issue.message}${meantServer(issue)}`);
  const key = path.at(-1);
  const parent = path.slice(0, -1);
  const inParent = parent.length === 0 ? "" : `${formatKeyPath(parent)}: `;
  if (issue.expected !== "never" && key !== undefined) {
    return issue.received === "undefined" && issue.path?.at(-1)?.origin === "key"
      ? { path: parent, text: `${inParent}missing key "${key}"` }
      : at(`${where}${issue.message}`);
  }
  if (issue.expected !== "never" || key === undefined) return at(`${where}${issue.message}`);
  return at(`${inParent}unknown key "${key}"${didYouMean(String(key), knownKeys(parent))}`);
}

/** Returns a suggestion for an unknown name: `, did you mean "…"?`, else the known names, else an empty string. */
function didYouMean(name: string, known: readonly string[] = []): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `, did you mean "${nearest}"?`;
  return known.length === 0 ? "" : `; known keys: ${known.map((key) => `"${key}"`).join(", ")}`;
}
