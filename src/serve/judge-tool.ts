import { Worker } from "node:worker_threads";
import type { ServerConfig } from "../config/config.js";
import type { Change } from "../core/change.js";
import { isTolerated } from "../core/contract-version.js";
import type { LockedServer } from "../core/lockfile.js";
import type { ServerSnapshot } from "../core/snapshot.js";
import { applyPolicy } from "../drift/apply-policy.js";
import { diffServer } from "../drift/diff-server.js";

export interface ToolToJudge {
  readonly name: string;
  readonly settings: ServerConfig;
  /** The locked server with this tool alone. */
  readonly locked: LockedServer;
  /** The listed server with this tool alone. */
  readonly listed: ServerSnapshot;
}

/** Returns the rules that the listed tool breaks; none if its calls still mean the same as when it was locked. */
export function judgeTool({ name, settings, locked, listed }: ToolToJudge): readonly string[] {
  const changes = diffServer(name, locked, listed, { schemas: settings });
  const rules = settings.check?.rules ?? {};
  const judged = applyPolicy(changes, () => ({ failOn: "dangerous", preset: "strict", rules }));
  return [...new Set(judged.filter(doesBreak).map(({ rule }) => rule))];
}

/**
 * Whether a change alters the meaning of calls. Models are shown the locked texts, so another text breaks nothing unless it
 * is suspicious. For the server itself, only another name counts.
 */
function doesBreak(change: Change): boolean {
  const { rule, tool, class: judged, security, impacts } = change;
  if (judged === "safe" || isTolerated(change)) return false;
  if (tool === undefined) return rule === "server-name-changed";
  if (security || judged !== "dangerous") return true;
  return impacts.some((impact) => impact !== "model" && impact !== "types");
}

/** As {@link judgeTool}, in a thread if one can be started: a hostile schema takes seconds, and others must not wait. */
export function judgeInThread(tool: ToolToJudge): Promise<readonly string[]> {
  return new Promise<readonly string[] | undefined>((resolve) => {
    try {
      // The built module lies in another folder.
      const worker = new Worker(new URL("../serve/judge-worker.js", import.meta.url), {
        // As JSON, since a structured clone changes the meaning of `__proto__` keys.
        workerData: JSON.stringify(tool),
        // With the flags of `node -e`, every thread would fail.
        execArgv: [],
      });
      worker.once("message", resolve);
      // A listener prevents the error from ending this thread; `exit` follows it.
      worker.once("error", () => undefined);
      worker.once("exit", () => {
        resolve(undefined);
      });
    } catch {
      resolve(undefined);
    }
  }).then((rules) => rules ?? judgeTool(tool));
}
