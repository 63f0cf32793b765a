import pLimit from "p-limit";
import { McpCodegenError } from "../contract/errors.js";
import { MissingVariablesError } from "../contract/missing-variables.js";
import { explainInstall } from "../contract/package-runner.js";
import type { ServerSnapshot } from "../contract/snapshot.js";
import type { ServerConfig } from "../config/config.js";
import type { VariableLookup } from "../contract/connection.js";
import { resolveEndpoint } from "../transport/resolve-endpoint.js";
import {
  labelOf,
  openSource,
  type Confirm,
  type SourceOptions,
  type TakenSnapshot,
  isWordPressUrl,
} from "./open-source.js";

export interface SnapshotServersOptions extends Omit<SourceOptions, "environment" | "variant"> {
  /** The number of servers that are read at the same time. Default: 8. */
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((event: Progress) => void) | undefined;
  /** Called with the snapshot of each server that could be listed. */
  readonly onSnapshot?: ((snapshot: ServerSnapshot) => void) | undefined;
  /** As {@link Confirm}, with the list that was requested. */
  readonly confirm?: (request: SnapshotRequest, ...list: Parameters<Confirm>) => Promise<Confirmation>;
}

export interface Confirmation {
  /** Whether the list is as locked; undefined without a lock. */
  readonly isAsLocked: boolean | undefined;
  /**
   * Throws `McpCodegenError` for a list to refuse. It can take long, so it is called after the last request: signals are
   * caught during one.
   */
  readonly verify?: () => void;
}

/** A server to read, in one of its environments and variants if they are named. */
export type Target = readonly [
  name: string,
  server: ServerConfig,
  environment?: string | undefined,
  variant?: string,
];

/** The snapshot of one server, or the error of listing it. */
export type Outcome = SnapshotRequest & (TakenSnapshot | { readonly error: McpCodegenError });

export interface SnapshotRequest {
  readonly server: string;
  readonly environment?: string;
  readonly variant?: string;
}

/**
 * Reads all servers concurrently, but those of one WordPress account one after another. An error of one
 * server, such as missing variables, does not affect the others.
 *
 * @throws McpCodegenError with exit code 2 when all servers failed because of the user's input. Missing
 *   variables of all servers become one error.
 */
export async function snapshotServers(
  targets: readonly Target[],
  { concurrency = 8, onProgress, onSnapshot, confirm, ...options }: SnapshotServersOptions,
): Promise<readonly Outcome[]> {
  const limit = pLimit(concurrency);
  const queues = new Map<string, Promise<unknown>>();
  const outcomes = targets.map(([server, config, environment, variant]) => {
    const read = async (): Promise<() => Outcome> => {
      const request: SnapshotRequest = {
        server,
        ...(environment !== undefined && { environment }),
        ...(variant !== undefined && { variant }),
      };
      const report = (event: Omit<Progress, "server">): void =>
        onProgress?.({ server: labelOf(request), ...event });
      const fail = (error: unknown): Outcome => {
        if (!(error instanceof McpCodegenError)) throw error;
        report({ stage: "failed", message: error.message });
        return { ...request, error };
      };
      try {
        const take = await openSource(server, config, { ...options, ...request });
        const waitsFor = config.command && explainInstall(config.command, config.args ?? []);
        report({ stage: "connecting", ...(waitsFor !== undefined && { waitsFor }) });
        let confirmation: Confirmation | undefined;
        const { snapshot, ...taken } = await take({
          onPage: (page, tools) => {
            report({ stage: "listing", page, tools });
          },
          confirm: async (...list) => {
            confirmation = await confirm?.(request, ...list);
          },
        });
        const { isAsLocked, verify } = confirmation ?? {};
        const settle = (): Outcome => {
          try {
            verify?.();
            report({ stage: "done", tools: snapshot.tools.length, isAsLocked });
            onSnapshot?.(snapshot);
            return { ...request, snapshot, ...taken };
          } catch (error) {
            return fail(error);
          }
        };
        if (verify !== undefined) return settle;
        const outcome = settle();
        return () => outcome;
      } catch (error) {
        const outcome = fail(error);
        return () => outcome;
      }
    };
    const account = findWordPressAccount(server, config, { ...options, environment });
    const outcome = (queues.get(account ?? "") ?? Promise.resolve()).then(() => limit(read));
    // The adapter loses sessions when one account opens several at the same time.
    if (account !== undefined)
      queues.set(
        account,
        outcome.catch(() => undefined),
      );
    return outcome;
  });
  const read = await Promise.all(outcomes);
  // Long synchronous work follows. Before it, the event loop delivers a signal that arrived with the last answer.
  await new Promise<void>((resolve) => setImmediate(resolve));
  options.signal?.throwIfAborted();
  const settled = read.map((settle) => settle());
  refuseFaults(
    settled.flatMap((outcome) => ("error" in outcome ? [outcome.error] : [])),
    settled.length,
  );
  return settled;
}

/** Throws when all servers failed because of the user's input: there is no outcome to report. */
function refuseFaults(errors: readonly McpCodegenError[], count: number): void {
  const [first] = errors;
  if (first === undefined || errors.length < count || errors.some(({ exitCode }) => exitCode !== 2)) return;
  const missing = errors.flatMap((error) => (error instanceof MissingVariablesError ? error.variables : []));
  throw missing.length > 0 ? new MissingVariablesError(missing) : first;
}

/** A progress event of one server during `pull` or `check`. */
export interface Progress {
  readonly server: string;
  readonly stage: "connecting" | "listing" | "done" | "failed";
  readonly page?: number;
  readonly tools?: number;
  /** Whether the list is as locked; undefined for a server that is not locked. */
  readonly isAsLocked?: boolean | undefined;
  readonly message?: string;
  /** What may take long while connecting, such as `npx may still be installing some-server`. */
  readonly waitsFor?: string;
}

/**
 * Returns a key for the site and account of a WordPress server; undefined for other servers. It contains
 * credentials: never print it.
 */
function findWordPressAccount(
  name: string,
  server: ServerConfig,
  { lookup, environment }: { readonly lookup: VariableLookup; readonly environment?: string | undefined },
): string | undefined {
  const own = environment === undefined ? undefined : server.environments?.[environment]?.url;
  const url = own ?? server.url;
  if (url === undefined || !isWordPressUrl(url)) return undefined;
  try {
    const where = `servers.${name}`;
    const endpoint = resolveEndpoint(server, {
      lookup,
      where,
      ...(environment !== undefined && { environment }),
    });
    return endpoint.kind === "http"
      ? JSON.stringify([new URL(endpoint.url).origin, endpoint.headers["authorization"]])
      : undefined;
  } catch (error) {
    // Listing the server reports the error.
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}
