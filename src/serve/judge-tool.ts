import type { ServerConfig } from "../config/config.js";
import { isTolerated, type JudgedChange } from "../contract/change.js";
import type { LockedServer } from "../contract/lockfile.js";
import type { ServerSnapshot } from "../contract/snapshot.js";

/** One tool of a server, as locked and as listed. */
export interface ToolToJudge {
  readonly name: string;
  readonly settings: ServerConfig;
  /** The locked server with this tool alone. */
  readonly locked: LockedServer;
  /** The listed server with this tool alone. */
  readonly listed: ServerSnapshot;
}

/** Returns the rules that the listed tool breaks; none if a call of it is still the call that was locked. */
export async function judgeTool({ name, settings, locked, listed }: ToolToJudge): Promise<readonly string[]> {
  const [{ diffServer }, { applyPolicy }] = await Promise.all([
    import("../drift/diff-server.js"),
    import("../drift/apply-policy.js"),
  ]);
  const changes = diffServer(name, locked, listed, { schemas: settings });
  const rules = settings.check?.rules ?? {};
  const judged = applyPolicy(changes, () => ({ failOn: "dangerous", preset: "strict", rules }));
  return [...new Set(judged.filter(doesBreak).map(({ rule }) => rule))];
}

/**
 * Whether after this change a call is no longer the one that was locked. What a model is shown is the lock's, so a text that
 * reads otherwise breaks nothing, unless it is suspicious. Of the server itself only that it is another one counts.
 */
function doesBreak(change: JudgedChange): boolean {
  const { rule, tool, class: judged, security, impacts } = change;
  if (judged === "safe" || isTolerated(change)) return false;
  if (tool === undefined) return rule === "server-name-changed";
  if (security || judged !== "dangerous") return true;
  return impacts.some((impact) => impact !== "model" && impact !== "types");
}
