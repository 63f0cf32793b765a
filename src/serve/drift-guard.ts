import { omitUndefined } from "../core/collections.js";
import { explainError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import { isPassing } from "../runtime/client/failures.js";
import type { Result, ToolErrorCode } from "../runtime/result.js";
import type { RegisteredTool } from "../agent/registry/registered-tool.js";
import { ownNameOf } from "../agent/registry/tool-names.js";
import type { Breaks, LiveContract, ReadOptions } from "./contract-watch.js";

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

/** The calls that were refused because of drift. */
export interface DriftState {
  readonly refused: number;
  /** Each tool once. */
  readonly tools: readonly DriftedTool[];
}

/** Refuses calls of tools that no longer match the lock. */
export class DriftGuard {
  readonly #contracts: { readonly [server: string]: string };
  readonly #read: (server: string, options?: ReadOptions) => Promise<LiveContract>;
  readonly #onDrift: (tool: DriftedTool) => void;
  readonly #drifted = new Map<string, DriftedTool>();

  /** @param contracts the versions of contracts, by server */
  constructor(
    contracts: { readonly [server: string]: string },
    read: (server: string, options?: ReadOptions) => Promise<LiveContract>,
    onDrift: (tool: DriftedTool) => void = () => undefined,
  ) {
    this.#contracts = contracts;
    this.#read = read;
    this.#onDrift = onDrift;
  }

  get state(): DriftState {
    const tools = [...this.#drifted.values()];
    return { refused: tools.reduce((sum, { refused }) => sum + refused, 0), tools };
  }

  /**
   * Returns a tool whose calls fail with `CONTRACT_DRIFT` if the server no longer matches the lock, and with
   * `TOOL_UNAVAILABLE` if it cannot be listed.
   */
  guard(tool: RegisteredTool): RegisteredTool {
    const { server } = tool;
    if (server === undefined) return tool;
    return {
      ...tool,
      call: async (input, options) => {
        const breaks = await this.#findBreaks(server, tool, options);
        if ("ok" in breaks) return breaks;
        return breaks.length === 0 ? tool.call(input, options) : this.#refuse(server, tool, breaks);
      },
    };
  }

  async #findBreaks(
    server: string,
    tool: RegisteredTool,
    options: ReadOptions | undefined,
  ): Promise<Breaks | Result<never>> {
    try {
      const contract = await this.#read(server, options);
      return await contract.findBreaks(ownNameOf(tool));
    } catch (cause) {
      const message = `Tool ${JSON.stringify(tool.name)} was not called, since its server could not be asked whether it keeps to the lock: ${explainError(cause)}`;
      return fail("TOOL_UNAVAILABLE", message, { tool, server, retryable: isPassing(cause), cause });
    }
  }

  #refuse(server: string, tool: RegisteredTool, rules: Breaks): Result<never> {
    const contract = getOwn(this.#contracts, server) ?? "";
    const before = this.#drifted.get(tool.name);
    const drifted = {
      ...{ server, tool: ownNameOf(tool), contract, rules },
      refused: (before?.refused ?? 0) + 1,
    };
    this.#drifted.set(tool.name, drifted);
    this.#onDrift(drifted);
    const message = `Tool ${JSON.stringify(tool.name)} was not called: its server no longer keeps to contract ${contract} (${rules.join(", ")}). Run "npx mcp-codegen check ${server}".`;
    return fail("CONTRACT_DRIFT", message, { tool, server, retryable: false });
  }
}

function fail(
  code: ToolErrorCode,
  message: string,
  {
    tool,
    server,
    retryable,
    cause,
  }: {
    readonly tool: RegisteredTool;
    readonly server: string;
    readonly retryable: boolean;
    readonly cause?: unknown;
  },
): Result<never> {
  return {
    ok: false,
    error: omitUndefined({ code, message, retryable, tool: tool.name, server, cause }),
  };
}
