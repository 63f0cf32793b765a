import type { LoadedConfig } from "../../../config/load-config.js";
import { type Change, findingId } from "../../../core/change.js";
import type { Unverified } from "../../../core/diagnostic.js";
import { McpCodegenError } from "../../../core/errors.js";
import { getOwn } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import type { ServerSnapshot } from "../../../core/snapshot.js";
import type { Accept, ConfirmRemoval } from "../../../pipeline/pull/settle-plan.js";
import type { ConfirmPrelude } from "../../../sources/snapshot-server.js";
import { pullDocument, type ReportDocument } from "../../../report/documents.js";
import { linesOfCheck, linesOfError, linesOfPull, type WatchLine } from "../../../report/print-watch.js";
import type { Listed } from "../../../sources/watch/server-watch.js";
import type { Context } from "../../context.js";
import { errorDocument } from "../../report-error.js";
import { checkServers } from "../check/run.js";
import { createAccept, createConfirmPrelude, createConfirmRemoval, pullServers } from "./pull-servers.js";

/** The result of one pull or check. */
export interface Round {
  readonly lines: readonly WatchLine[];
  readonly document: ReportDocument;
  readonly listed: readonly Listed[];
}

interface RoundOptions {
  /** The servers to read. */
  readonly asked: readonly string[];
  /** Whether these are all servers of the configuration, so that others leave the lock. */
  readonly isWhole: boolean;
  readonly questions: Questions;
  readonly checks: boolean;
}

/** Questions for the user, each asked once, although each round finds the same finding again. */
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
    const changed = report.servers.filter(({ status }) => status === "new" || status === "changed");
    return {
      lines: linesOfPull(report, { retried, accept: command }),
      document: pullDocument(report, { exitCode, accept: command }),
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

/** Prints each line of `watch` once: events as they happen, findings and outages while they are new. */
export class WatchLog {
  readonly #context: Context;
  /** The findings and outages that last, by server. */
  readonly #lasting = new Map<string, readonly WatchLine[]>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Prints the lines that are new since the last round. Returns whether there are any.
   *
   * @param asked the servers of the round, whose earlier findings and outages may be over; empty for those of all
   */
  print(lines: readonly WatchLine[], asked: readonly string[]): boolean {
    const fresh = lines.filter(({ kind, server, text }) => {
      const known = this.#lasting.get(server) ?? [];
      return kind === "event" || !known.some((line) => line.text === text);
    });
    const over = asked.flatMap((server) => this.#settle(server, lines));
    const printed = [...over, ...fresh];
    this.#context.print(printed.map((line) => this.#format(line)));
    return printed.length > 0;
  }

  /** Prints a line about the watch itself. */
  note(text: string): void {
    this.#context.print([this.#context.paint.dim(text)]);
  }

  /** Prints that changes of some files are not noticed. */
  noteUnwatched({ message }: Error): void {
    // No server has such a name.
    const server = "watched files";
    const text = `changes of some are not noticed: ${printable(message, 400)}`;
    this.print([{ server, kind: "finding", text }], [server]);
  }

  /** Replaces the lasting lines of a server. Returns the line that reports their end. */
  #settle(server: string, lines: readonly WatchLine[]): readonly WatchLine[] {
    const before = this.#lasting.get(server) ?? [];
    const ours = lines.filter((line) => line.server === server);
    const lasting = ours.filter(({ kind }) => kind !== "event");
    this.#lasting.set(server, lasting);
    if (before.length === 0 || lasting.length > 0) return [];
    const isOutage = before.some(({ kind }) => kind === "outage");
    // The line about the written files says the same.
    if (!isOutage && ours.length > 0) return [];
    return [{ server, kind: "event", text: isOutage ? "can be read again" : "no findings any more" }];
  }

  #format({ server, text, kind }: WatchLine): string {
    const { paint } = this.#context;
    const time = paint.dim(new Date().toTimeString().slice(0, 8));
    const shown = kind === "event" ? text : kind === "outage" ? paint.yellow(text) : paint.red(text);
    return `${time} ${server === "" ? "" : `${paint.bold(server)}: `}${shown}`;
  }
}
