import pLimit from "p-limit";
import { isWordPressUrl } from "../core/ability.js";
import { McpCodegenError, MissingVariablesError } from "../core/errors.js";
import { explainInstall } from "../core/packages.js";
import type { ServerSnapshot } from "../core/snapshot.js";
import { labelOf, type TargetName } from "../client/listing/list-in-session.js";
import type { RunContext, TakenSnapshot } from "../client/listing/list-server.js";
import { resolveEndpoint } from "../client/resolve-endpoint.js";
import {
  type ConfirmList,
  type ConfirmPrelude,
  type ServerTarget,
  snapshotServer,
} from "./snapshot-server.js";

export interface SnapshotServersOptions extends RunContext {
  /** The number of servers that are read at the same time. Default: 8. */
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((event: ListProgress) => void) | undefined;
  /** Called with the snapshot of each server that could be listed. */
  readonly onSnapshot?: ((snapshot: ServerSnapshot) => void) | undefined;
  /** As in {@link SnapshotHooks}, with the list that was requested. */
  readonly confirm?:
    | ((request: TargetName, ...list: Parameters<ConfirmList>) => Promise<Confirmation>)
    | undefined;
  /** Decides whether the calls of a prelude may be made. By default, none. */
  readonly confirmPrelude?: ConfirmPrelude | undefined;
}

interface Confirmation {
  /** Whether the list is as locked; undefined without a lock. */
  readonly isAsLocked: boolean | undefined;
  /**
   * Throws `McpCodegenError` for a list to refuse. It can take long, so it is called after the last request: signals are
   * caught during one.
   */
  readonly verify?: () => void;
}

/** The snapshot of one server, or the error of listing it. */
export type Outcome = TargetName & (TakenSnapshot | { readonly error: McpCodegenError });

/** A progress event of one server during `pull` or `check`. */
export interface ListProgress extends ListStage {
  readonly server: string;
}

interface ListStage {
  readonly stage: "connecting" | "listing" | "done" | "failed";
  readonly page?: number;
  readonly tools?: number;
  /** Whether the list is as locked; undefined for a server that is not locked. */
  readonly isAsLocked?: boolean | undefined;
  readonly message?: string;
  /** The step that may take long while connecting, such as `npx may still be installing some-server`. */
  readonly waitsFor?: string | undefined;
}

/**
 * Reads all servers concurrently, but those of one WordPress account one after another. An error of one
 * server, such as missing variables, does not affect the others.
 *
 * @throws McpCodegenError with exit code 2 when all servers failed because of the user's input. Missing
 *   variables of all servers become one error.
 */
export async function snapshotServers(
  targets: readonly ServerTarget[],
  options: SnapshotServersOptions,
): Promise<readonly Outcome[]> {
  const { concurrency = 8, onProgress, onSnapshot, confirm, confirmPrelude, signal } = options;
  const limit = pLimit(concurrency);
  const queues = new Map<string, Promise<unknown>>();
  const outcomes: Promise<() => Outcome>[] = [];
  for (const target of targets) {
    const { settings, ...name } = target;
    const report = (event: ListStage): void => onProgress?.({ server: labelOf(name), ...event });
    const fail = (error: unknown): Outcome => {
      if (!(error instanceof McpCodegenError)) throw error;
      report({ stage: "failed", message: error.message });
      return { ...name, error };
    };
    const read = async (): Promise<() => Outcome> => {
      let confirmation: Confirmation | undefined;
      try {
        const taken = await snapshotServer(target, options, {
          confirmPrelude,
          onConnect: () => {
            const waitsFor = settings.command && explainInstall(settings.command, settings.args ?? []);
            report({ stage: "connecting", waitsFor });
          },
          onPage: (page, tools) => {
            report({ stage: "listing", page, tools });
          },
          confirm: async (...list) => {
            confirmation = await confirm?.(name, ...list);
          },
        });
        const { isAsLocked, verify } = confirmation ?? {};
        const settle = (): Outcome => {
          try {
            verify?.();
            report({ stage: "done", tools: taken.snapshot.tools.length, isAsLocked });
            onSnapshot?.(taken.snapshot);
            return { ...name, ...taken };
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
    const account = findWordPressAccount(target, options);
    const before = account === undefined ? undefined : queues.get(account);
    const outcome = before === undefined ? limit(read) : before.then(() => limit(read));
    // The adapter loses sessions when one account opens several at the same time.
    if (account !== undefined)
      queues.set(
        account,
        outcome.catch(() => undefined),
      );
    outcomes.push(outcome);
  }
  const read = await Promise.all(outcomes);
  // Long synchronous work follows. Before it, the event loop delivers a signal that arrived with the last answer.
  await new Promise<void>((resume) => setImmediate(resume));
  signal?.throwIfAborted();
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

/**
 * Returns a key for the site and account of a WordPress server; undefined for other servers. It contains
 * credentials: never print it.
 */
function findWordPressAccount(
  { server, settings, environment }: ServerTarget,
  { lookup }: RunContext,
): string | undefined {
  const own = environment === undefined ? undefined : settings.environments?.[environment]?.url;
  const url = own ?? settings.url;
  if (url === undefined || !isWordPressUrl(url)) return undefined;
  try {
    const endpoint = resolveEndpoint(settings, { lookup, where: `servers.${server}`, environment });
    return endpoint.kind === "http"
      ? JSON.stringify([new URL(endpoint.url).origin, endpoint.headers["authorization"]])
      : undefined;
  } catch (error) {
    // Listing the server reports the error.
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}
