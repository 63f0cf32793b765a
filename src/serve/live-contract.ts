import type { ServerConfig } from "../config/config.js";
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
    // Its own file: a thread is started by the address of the module beside it.
    const { judgeInThread } = await import("./judge-in-thread.js");
    return judgeInThread({
      name: this.#options.name,
      settings,
      locked: { ...locked, tools: { [name]: before } },
      listed: { ...snapshot, tools: [after], repeated },
    });
  }
}

function serverNameOf({ identity }: Pick<LockedServer, "identity">): unknown {
  return getOwn(identity.serverInfo, "name");
}

function digestOfDefinition({ digest, definition, ability, repeated, differs }: LockedTool): string {
  const isOfDefinition = ability === undefined && repeated === undefined && differs === undefined;
  return isOfDefinition ? digest : digestOf(definition);
}
