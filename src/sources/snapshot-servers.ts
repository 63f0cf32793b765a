import { isWordPressUrl } from "../core/ability.js";
import { McpCodegenError, MissingVariablesError } from "../core/errors.js";
import { explainInstall } from "../core/packages.js";
import type { ServerSnapshot } from "../core/snapshot.js";
import { labelOf, type TargetName } from "../client/listing/list-in-session.js";
import type { AccessContext, ListHooks, RunContext, TakenSnapshot } from "../client/listing/list-server.js";
import { resolveEndpoint } from "../client/resolve-endpoint.js";
import pLimit, { type LimitFunction } from "p-limit";
import {
  approvalOf,
  type ConfirmPrelude,
  omitExcluded,
  type ServerTarget,
  sourceOf,
} from "./snapshot-server.js";

/** Called while servers are read. */
export interface SnapshotHooks {
  readonly onProgress?: ((event: ListProgress) => void) | undefined;
  /** Called with the snapshot of each server that could be listed. */
  readonly onSnapshot?: ((snapshot: ServerSnapshot) => void) | undefined;
  /** Decides whether the calls of a prelude may be made. By default, none. */
  readonly confirmPrelude?: ConfirmPrelude | undefined;
}

export interface SnapshotServersOptions extends AccessContext, SnapshotHooks, RunContext {
  /**
   * Called with a list while its server is connected; `listAgain` lists once more. An error rejects the snapshot. Saved
   * lists are not confirmed.
   */
  readonly confirm?:
    | ((
        request: TargetName,
        first: ServerSnapshot,
        listAgain: () => Promise<ServerSnapshot>,
      ) => Promise<Confirmation>)
    | undefined;
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
  /** `comparing` and `searching` for lines of code come last, for all servers: the name is empty. */
  readonly stage: "connecting" | "listing" | "done" | "failed" | "comparing" | "searching";
  readonly page?: number;
  readonly tools?: number;
  /** Whether the list is as locked; undefined for a server that is not locked. */
  readonly isAsLocked?: boolean | undefined;
  readonly message?: string;
  /** The step that may take long while connecting, such as `npx may still be installing some-server`. */
  readonly waitsFor?: string | undefined;
}

/** The number of servers that are read at the same time. */
const MOST_AT_ONCE = 8;

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
  const { signal } = options;
  const limit = pLimit(MOST_AT_ONCE);
  const accounts = new Map<string, LimitFunction>();
  const readings: Promise<Outcome | (() => Outcome)>[] = [];
  for (const target of targets) {
    const list = sourceOf(target.settings);
    const { hooks, settle, fail } = openReading(target, options);
    const account = findWordPressAccount(target, options);
    if (account === undefined) {
      readings.push(limit(list, target, options, hooks).then(settle, fail));
      continue;
    }
    // The adapter loses sessions when one account opens several at the same time.
    const queue = accounts.get(account) ?? pLimit(1);
    accounts.set(account, queue);
    readings.push(queue(() => limit(list, target, options, hooks)).then(settle, fail));
  }
  const outcomes = await Promise.all(readings);
  // Long synchronous work follows. Before it, the event loop delivers a signal that arrived with the last answer.
  await new Promise<void>((resume) => setImmediate(resume));
  signal?.throwIfAborted();
  const settled = outcomes.map((outcome) => (typeof outcome === "function" ? outcome() : outcome));
  refuseFaults(
    settled.flatMap((outcome) => ("error" in outcome ? [outcome.error] : [])),
    settled.length,
  );
  return settled;
}

/** The hooks that one server is read with, and the outcomes of its list and of an error. */
interface Reading {
  readonly hooks: ListHooks;
  /** Returns a function for a list that is verified when all servers are read. */
  readonly settle: (snapshot: TakenSnapshot) => Outcome | (() => Outcome);
  readonly fail: (error: unknown) => Outcome;
}

function openReading(
  target: ServerTarget,
  { onProgress, onSnapshot, confirm, confirmPrelude }: SnapshotServersOptions,
): Reading {
  const { settings, ...name } = target;
  const pick = (snapshot: ServerSnapshot): ServerSnapshot => omitExcluded(settings, snapshot);
  let confirmation: Confirmation = { isAsLocked: undefined };
  const report = (event: ListStage): void => onProgress?.({ server: labelOf(name), ...event });
  const fail = (error: unknown): Outcome => {
    if (!(error instanceof McpCodegenError)) throw error;
    report({ stage: "failed", message: error.message });
    return { ...name, error };
  };
  const settle = (live: TakenSnapshot): Outcome | (() => Outcome) => {
    const { isAsLocked, verify } = confirmation;
    const finish = (): Outcome => {
      try {
        verify?.();
        const snapshot = pick(live.snapshot);
        report({ stage: "done", tools: snapshot.tools.length, isAsLocked });
        onSnapshot?.(snapshot);
        return { ...name, ...live, snapshot };
      } catch (error) {
        return fail(error);
      }
    };
    return verify === undefined ? finish() : finish;
  };
  const hooks: ListHooks = {
    approvePrelude: approvalOf(target, confirmPrelude),
    onConnect: () => {
      const waitsFor = settings.command && explainInstall(settings.command, settings.args ?? []);
      report({ stage: "connecting", waitsFor });
    },
    onPage: (page, tools) => {
      report({ stage: "listing", page, tools });
    },
    confirm:
      confirm &&
      (async (first, listAgain) => {
        confirmation = await confirm(name, pick(first), async () => pick(await listAgain()));
      }),
  };
  return { hooks, settle, fail };
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
  const environmentUrl = environment === undefined ? undefined : settings.environments?.[environment]?.url;
  const url = environmentUrl ?? settings.url;
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
