import { getOwn } from "../../contract/json.js";
import { findingId, type Change } from "../../contract/change.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { McpCodegenError } from "../../contract/errors.js";
import type { Unverified } from "../../contract/diagnostic.js";
import type { ServerSnapshot } from "../../contract/snapshot.js";
import type { Accept } from "../../pipeline/pull/settle-plan.js";
import type { ConfirmPrelude } from "../../pipeline/reports.js";
import type { ConfirmRemoval } from "../../pipeline/pull/settle-plan.js";
import { pullDocument, type ReportDocument } from "../../report/documents.js";
import { linesOfCheck, linesOfError, linesOfPull, type WatchLine } from "../../report/print-watch.js";
import type { Listed } from "../../watch/server-watch.js";
import { createAccept } from "../accept-findings.js";
import { checkServers } from "../check-servers.js";
import type { Context } from "../context.js";
import { createConfirmPrelude, createConfirmRemoval, pullServers } from "../pull-servers.js";
import { errorDocument } from "../report-error.js";

/** The result of one pull or check. */
export interface Round {
  readonly lines: readonly WatchLine[];
  readonly document: ReportDocument;
  readonly listed: readonly Listed[];
}

export interface RoundOptions {
  /** The servers to read. */
  readonly asked: readonly string[];
  /** Whether these are all servers of the configuration, so that others leave the lock. */
  readonly isWhole: boolean;
  readonly questions: Questions;
  readonly checks: boolean;
}

/** What to ask the user, each question once: a finding that was not accepted would otherwise be asked again each time. */
export interface Questions {
  readonly accept: Accept;
  readonly confirmRemoval: ConfirmRemoval;
  readonly confirmPrelude: ConfirmPrelude;
}

export function createQuestions(context: Context): Questions {
  const accept = createAccept(context, { names: [], asks: context.isInteractive });
  const confirmRemoval = createConfirmRemoval(context, {});
  const confirmPrelude = createConfirmPrelude(context, {});
  const answered = new Set<string>();
  const isNew = (question: string): boolean => !answered.has(question) && answered.add(question).size > 0;
  return {
    accept: async (findings) => {
      const open = findings.filter((finding: Change) => isNew(findingId(finding)));
      return open.length === 0 ? [] : accept(open);
    },
    confirmRemoval: async (removed) =>
      isNew(JSON.stringify(removed.map(({ server }) => server))) && confirmRemoval(removed),
    confirmPrelude: async (request) => isNew(JSON.stringify(request)) && confirmPrelude(request),
  };
}

/** Pulls or checks once. An expected error is a line of the round. */
export async function runRound(
  context: Context,
  loaded: LoadedConfig,
  { asked, isWhole, questions, checks }: RoundOptions,
): Promise<Round> {
  const snapshots = new Map<string, ServerSnapshot>();
  const onSnapshot = (snapshot: ServerSnapshot): void => {
    snapshots.set(snapshot.server, snapshot);
  };
  const isLive = (server: string): boolean => {
    const { url, command } = getOwn(loaded.config.servers, server) ?? {};
    return url !== undefined || command !== undefined;
  };
  const retried = new Set(asked.filter(isLive));
  const listed = (unverified: readonly Unverified[], changed: ReadonlySet<string>): readonly Listed[] =>
    asked.map((server) => {
      const snapshot = snapshots.get(server);
      const isListed = snapshot !== undefined || unverified.every((each) => each.server !== server);
      return { server, isListed, isChanged: changed.has(server), ...(snapshot && { snapshot }) };
    });
  const servers = isWhole ? [] : asked;
  try {
    if (checks) {
      const { report } = await checkServers(context, loaded, servers, {
        impact: false,
        diagnosesAll: context.options.json === true,
        showsProgress: false,
        onSnapshot,
      });
      const { findings, document } = report;
      return {
        lines: linesOfCheck(findings, { retried }),
        document,
        listed: listed(findings.unverified, new Set(findings.changes.map(({ server }) => server))),
      };
    }
    const { report, exitCode, command } = await pullServers(context, loaded, servers, {
      isFrozen: false,
      ...questions,
      onSnapshot,
    });
    const accept = command === undefined ? {} : { accept: command };
    const changed = report.servers.filter(({ status }) => status === "new" || status === "changed");
    return {
      lines: linesOfPull(report, { retried, ...accept }),
      document: pullDocument(report, { exitCode, ...accept }),
      listed: listed(report.unverified, new Set(changed.map(({ server }) => server))),
    };
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    const [server = ""] = asked.length === 1 ? asked : [];
    return {
      lines: linesOfError(server, error),
      document: errorDocument(error),
      listed: asked.map((server) => {
        const snapshot = snapshots.get(server);
        return { server, isListed: snapshot !== undefined, isChanged: false, ...(snapshot && { snapshot }) };
      }),
    };
  }
}
