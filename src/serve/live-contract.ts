import type { ServerConfig } from "../config/config.js";
import { isTolerated, type JudgedChange } from "../contract/change.js";
import { digestOf } from "../contract/digest.js";
import { getOwn } from "../contract/json.js";
import type { LockedServer, LockedTool } from "../contract/lockfile.js";
import type { ServerSnapshot, ToolSnapshot } from "../contract/snapshot.js";

export interface LiveContractOptions {
  readonly name: string;
  readonly settings: ServerConfig;
  readonly locked: LockedServer;
  readonly snapshot: ServerSnapshot;
}

/** Why a tool is not what was locked: the rules of drift, or a word of our own. */
export type Breaks = readonly string[];

/** What a server listed, held against what is locked of it tool by tool, as tools are needed. */
export class LiveContract {
  readonly snapshot: ServerSnapshot;
  readonly #options: LiveContractOptions;
  readonly #live: ReadonlyMap<string, ToolSnapshot>;
  readonly #verdicts = new Map<string, Promise<Breaks>>();

  constructor(options: LiveContractOptions) {
    this.#options = options;
    this.snapshot = options.snapshot;
    this.#live = new Map(options.snapshot.tools.map((tool) => [tool.name, tool]));
  }

  /** What about a locked tool makes its calls other calls than those that were locked; nothing where it may be called. */
  findBreaks(tool: string): Promise<Breaks> {
    const verdict = this.#verdicts.get(tool) ?? this.#judge(tool);
    this.#verdicts.set(tool, verdict);
    return verdict;
  }

  async #judge(name: string): Promise<Breaks> {
    const { locked, snapshot, settings } = this.#options;
    const before = getOwn(locked.tools, name);
    const after = this.#live.get(name);
    if (before === undefined) return ["not-locked"];
    if (after === undefined) return ["tool-removed"];
    const unusable = getOwn(snapshot.unusable, name);
    if (unusable !== undefined && unusable !== before.unusable) return ["tool-unusable"];
    const isSameServer = serverNameOf(locked) === serverNameOf(snapshot);
    const repeated = (snapshot.repeated ?? []).filter((tool) => tool.name === name);
    if (isSameServer && repeated.length === 0 && digestOf(after) === digestOfDefinition(before)) return [];
    const [{ diffServer }, { applyPolicy }] = await Promise.all([
      import("../drift/diff-server.js"),
      import("../drift/apply-policy.js"),
    ]);
    const changes = diffServer(
      this.#options.name,
      { ...locked, tools: { [name]: before } },
      { ...snapshot, tools: [after], repeated },
      { schemas: settings },
    );
    const rules = settings.check?.rules ?? {};
    const judged = applyPolicy(changes, () => ({ failOn: "dangerous", preset: "strict", rules }));
    return [...new Set(judged.filter(doesBreak).map(({ rule }) => rule))];
  }
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

function serverNameOf({ identity }: Pick<LockedServer, "identity">): unknown {
  return getOwn(identity.serverInfo, "name");
}

function digestOfDefinition({ digest, definition, ability, repeated, differs }: LockedTool): string {
  const isOfDefinition = ability === undefined && repeated === undefined && differs === undefined;
  return isOfDefinition ? digest : digestOf(definition);
}
