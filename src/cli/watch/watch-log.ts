import { printable } from "../../contract/printable.js";
import type { WatchLine } from "../../report/print-watch.js";
import type { Context } from "../context.js";

/** Prints each line of `watch` once: events as they happen, findings and outages while they are new. */
export class WatchLog {
  readonly #context: Context;
  /** The findings and outages that last, by server. */
  readonly #lasting = new Map<string, readonly WatchLine[]>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Prints what is new since the last round. Returns whether that is anything.
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

  /** Replaces what lasts for a server. Returns the line that reports that it is over. */
  #settle(server: string, lines: readonly WatchLine[]): readonly WatchLine[] {
    const before = this.#lasting.get(server) ?? [];
    const ours = lines.filter((line) => line.server === server);
    const lasting = ours.filter(({ kind }) => kind !== "event");
    this.#lasting.set(server, lasting);
    if (before.length === 0 || lasting.length > 0) return [];
    const isOutage = before.some(({ kind }) => kind === "outage");
    // The line of what was written says the same.
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
