import { admit, type LiveTools } from "../agent/registry/list-live.js";
import type { LiveListRequest, ServerToolSource } from "../agent/registry/server-source.js";
import type { ServerTool } from "../core/tool.js";
import { commandToCheck, joinToolName, type ToolAddress } from "../core/tool-name.js";
import { failTool } from "../agent/registry/tool-names.js";
import type { Session } from "../client/session.js";
import { omitUndefined } from "../core/collections.js";
import { digestOf } from "../core/digest.js";
import { callSafely, explainError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import type { LockedServer, LockedTool } from "../core/lockfile.js";
import type { ServerSnapshot } from "../core/snapshot.js";
import { isPassing, waitUnlessAborted } from "../runtime/client/caller.js";
import { resolveServer } from "../runtime/client/open-server.js";
import type { PooledClient } from "../runtime/client/pooled-client.js";
import { type ConnectionOrigin, originOf } from "../runtime/define-tool.js";
import type { Clock } from "../runtime/events.js";
import type { AbortSignalLike } from "../core/abort-signal.js";
import type { Result, CallOptions } from "../core/call.js";
import { snapshotInSession } from "../sources/snapshot-server.js";
import type { ConnectedServer } from "../project/tools/locked-tools.js";

/** A locked tool that was not called because its live definition broke the lock. */
export interface DriftedTool {
  readonly server: string;
  /** The server's name for it. */
  readonly tool: string;
  readonly contract: string;
  /** The rules of drift that its live definition breaks. */
  readonly rules: readonly string[];
  /** The number of refused calls. */
  readonly refused: number;
}

export interface DriftState {
  readonly refused: number;
  /** Each tool once. */
  readonly tools: readonly DriftedTool[];
}

/** Refuses calls of tools that no longer match the lock. */
export function createDriftGuard(
  environment: string | undefined,
  onDrift: ((tool: DriftedTool) => void) | undefined,
) {
  const drifted = new Map<string, DriftedTool>();
  /** The calls that were refused until now. */
  const state: DriftState = {
    get refused() {
      return this.tools.reduce((sum, { refused }) => sum + refused, 0);
    },
    get tools() {
      return [...drifted.values()];
    },
  };
  const refuse = (address: ToolAddress, { definition }: ServerTool, rules: Breaks): Result<never> => {
    const { name: tool, server } = definition;
    const contract = server.contract ?? "";
    const refused = (drifted.get(address.name)?.refused ?? 0) + 1;
    const refusal = { server: server.name, tool, contract, rules, refused };
    drifted.set(address.name, refusal);
    callSafely(onDrift, [refusal]);
    const message = `Tool ${JSON.stringify(address.name)} was not called: its server no longer keeps to contract ${contract} (${rules.join(", ")}). Run "${commandToCheck(server.name, environment)}".`;
    return failTool(address, "CONTRACT_DRIFT", message);
  };
  /** Returns a tool whose calls fail with `CONTRACT_DRIFT` if the server left the lock, `TOOL_UNAVAILABLE` if it cannot be listed. */
  const guard = (tool: ServerTool, watch: ContractWatch): ServerTool => {
    const { server, name } = tool.definition;
    const address = { name: joinToolName(server.name, name), server: server.name };
    return {
      ...tool,
      definition: tool.definition,
      safe: async (input, options) => {
        try {
          const contract = await watch.read(options);
          const breaks = await contract.findBreaks(name);
          if (breaks.length > 0) return refuse(address, tool, breaks);
        } catch (cause) {
          const message = `Tool ${JSON.stringify(address.name)} was not called, since its server could not be asked whether it keeps to the lock: ${explainError(cause)}`;
          return failTool(address, "TOOL_UNAVAILABLE", message, { retryable: isPassing(cause), cause });
        }
        return tool.safe(input, options);
      },
    };
  };
  return { state, guard };
}

/** Milliseconds until a list is read again. */
const FIVE_MINUTES = 300_000;

/**
 * The current list of a server, in the session that its tools are called in. It is read when it is first needed, in a new
 * session, when the server reports a change, and after five minutes. Concurrent calls share one reading.
 */
export class ContractWatch {
  readonly #server: ConnectedServer;
  readonly #now: Clock;
  readonly #origin: ConnectionOrigin & { readonly client: PooledClient };
  #known: { readonly session: Session; readonly at: number; readonly contract: LiveContract } | undefined;
  /** The sessions whose list has changed since it was last requested. */
  readonly #changed = new WeakSet<Session>();
  #reading: { readonly session: Session; readonly contract: Promise<LiveContract> } | undefined;

  constructor(server: ConnectedServer, now: Clock) {
    this.#server = server;
    this.#now = now;
    const origin = originOf(server.connection);
    if (origin === undefined || !("retire" in origin.client)) {
      throw new TypeError(`The connection of "${server.name}" was not made by mcp-codegen.`);
    }
    const { client } = origin;
    this.#origin = { ...origin, client };
    client.listen(this.#onListChanged);
  }

  /** A field, since the client holds it weakly. */
  readonly #onListChanged = (session: Session): void => {
    this.#changed.add(session);
    if (this.#known?.session === session) this.#known = undefined;
  };

  get server(): string {
    return this.#server.name;
  }

  /** Whether the list that was read last is still that of the server, as far as is known. */
  get isCurrent(): boolean {
    return this.#known !== undefined && this.#now() - this.#known.at < FIVE_MINUTES;
  }

  /**
   * Reads the list in the session of the call that needs it.
   *
   * @throws McpCodegenError when the list could not be read completely; the signal's reason when it aborts
   */
  read(options: Pick<CallOptions, "signal" | "onInput"> = {}): Promise<LiveContract> {
    return this.#origin.client.use(
      (session) => this.#readIn(session, options.signal),
      omitUndefined(options),
    );
  }

  /**
   * Lists the tools that a registry offers: the locked ones, and the others with their live definitions.
   *
   * @param replacesDrifted whether tools that no longer keep to the lock are among the others
   */
  async list(
    { definition }: ServerToolSource,
    { locked, onListChanged }: LiveListRequest,
    replacesDrifted: boolean,
  ): Promise<LiveTools> {
    this.#origin.client.listen(onListChanged);
    const contract = await this.read();
    const { snapshot } = contract;
    const names = snapshot.tools.map(({ name }) => name);
    return admit(
      { snapshot, names, lacksRest: false },
      {
        server: definition,
        locked,
        admitsUnlocked: true,
        findBreaks: (tool) => (replacesDrifted ? contract.findBreaks(tool) : []),
      },
    );
  }

  #readIn(session: Session, signal: AbortSignalLike | undefined): Promise<LiveContract> {
    const earlier = this.#known;
    if (earlier?.session === session && this.isCurrent) return Promise.resolve(earlier.contract);
    if (this.#reading?.session !== session) {
      const contract = this.#list(session);
      this.#reading = { session, contract };
    }
    return waitUnlessAborted(this.#reading.contract, signal);
  }

  async #list(session: Session): Promise<LiveContract> {
    const { name, settings, locked } = this.#server;
    this.#changed.delete(session);
    const at = this.#now();
    // The limit includes abilities: otherwise a server that never ends its list would block its calls.
    const timeout = settings.timeouts?.list ?? settings.timeouts?.call ?? 60_000;
    try {
      const endpoint = resolveServer(this.#origin.server, this.#origin.options);
      const target = { server: name, settings, environment: this.#origin.options.environment };
      const snapshot = await snapshotInSession(target, { session, endpoint }, { timeout });
      const contract = openLiveContract({ name, settings, locked, snapshot });
      if (!this.#changed.has(session)) this.#known = { session, at, contract };
      return contract;
    } finally {
      if (this.#reading?.session === session) this.#reading = undefined;
    }
  }
}

/** The rules of drift that a tool breaks, or reasons such as `not-locked`. */
type Breaks = readonly string[];

type LiveContract = ReturnType<typeof openLiveContract>;

/** A server's list, compared with the lock. Each tool is compared when it is needed. */
export function openLiveContract({
  name: server,
  settings,
  locked,
  snapshot,
}: Omit<ConnectedServer, "connection"> & { readonly snapshot: ServerSnapshot }) {
  const live = new Map(snapshot.tools.map((tool) => [tool.name, tool]));
  const verdicts = new Map<string, Promise<Breaks>>();
  const judge = async (name: string): Promise<Breaks> => {
    const before = getOwn(locked.tools, name);
    const after = live.get(name);
    if (before === undefined) return ["not-locked"];
    if (after === undefined) return ["tool-removed"];
    const unusable = getOwn(snapshot.unusable, name);
    if (unusable !== undefined && unusable !== before.unusable) return ["tool-unusable"];
    const isSameServer = serverNameOf(locked) === serverNameOf(snapshot);
    const repeated = (snapshot.repeated ?? []).filter((tool) => tool.name === name);
    if (isSameServer && repeated.length === 0 && digestOf(after) === digestOfDefinition(before)) return [];
    const { judgeInThread } = await import("./judge-tool.js");
    return judgeInThread({
      name: server,
      settings,
      locked: { ...locked, tools: { [name]: before } },
      listed: { ...snapshot, tools: [after], repeated },
    });
  };
  return {
    snapshot,
    /** Returns why a locked tool must not be called; empty if it may be. */
    findBreaks: (tool: string): Promise<Breaks> => {
      const verdict = verdicts.get(tool) ?? judge(tool);
      verdicts.set(tool, verdict);
      return verdict;
    },
  };
}

function serverNameOf({ identity }: LockedServer | ServerSnapshot): unknown {
  return getOwn(identity.serverInfo, "name");
}

function digestOfDefinition({ digest, definition, ability, repeated, differs }: LockedTool): string {
  const isOfDefinition = ability === undefined && repeated === undefined && differs === undefined;
  return isOfDefinition ? digest : digestOf(definition);
}
