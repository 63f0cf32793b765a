import { Buffer } from "node:buffer";
import { McpCodegenError } from "./errors.js";
import { byCodeUnit, getOwn, mapEntries } from "./json.js";
import type { LockedTool, Lockfile } from "./lockfile.js";
import { parseLockfile } from "./lockfile-text.js";

/** Two locks; a tool that both spell alike is its name alone in both. */
export interface LockDifference {
  readonly before: Lockfile;
  readonly after: Lockfile;
}

/**
 * Reads of two lockfiles what differs. Most tools are alike: where both files are written as `formatLockfile` does, they
 * are compared as bytes, and neither parsed nor verified. Undefined where what remains is no valid lock: then both must
 * be parsed, which says what is wrong.
 */
export function parseDifference(before: Buffer, after: Buffer): LockDifference | undefined {
  const [old, now] = [new LockReader(before), new LockReader(after)];
  try {
    let [server, other] = [old.nextServer(), now.nextServer()];
    while (server !== undefined && other !== undefined) {
      if (server === other) dropAlike(server, old, now);
      const order = byCodeUnit(server, other);
      if (order <= 0) server = old.nextServer();
      if (order >= 0) other = now.nextServer();
    }
    return { before: restore(old), after: restore(now) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

/** Drops from both what is alike of a server's tools, which are in the same order in both. */
function dropAlike(server: string, old: LockReader, now: LockReader): void {
  for (;;) {
    const [before, after] = [old.nextTool(), now.nextTool()];
    if (before === undefined && after === undefined) break;
    if (before !== undefined && after !== undefined && old.drop(server, before, now, after)) continue;
    const order =
      before === undefined ? 1 : after === undefined ? -1 : byCodeUnit(old.nameAt(before), now.nameAt(after));
    if (before !== undefined && order <= 0) old.keep(server, before);
    if (after !== undefined && order >= 0) now.keep(server, after);
  }
  old.endServer();
  now.endServer();
}

/** What stands before a server's tools, the beginning of the line of one, and its end. */
const TOOLS = Buffer.from('\n      "tools": {\n');
const SERVER = Buffer.from('\n    "');
const TOOL = Buffer.from('        "');
const TOOL_END = Buffer.from("\n        }");
const KEY_END = Buffer.from('": {\n');
const COMMA = 0x2c;
const NEWLINE = 0x0a;

/** Goes through the tools of a lockfile's bytes, and notes which of them are dropped. */
class LockReader {
  /** By server and in order, the tools that were passed: what stands for one that was dropped, nothing for one that was kept. */
  readonly passed = new Map<string, Map<string, LockedTool | undefined>>();
  readonly #bytes: Buffer;
  readonly #gaps: [from: number, to: number][] = [];
  /** How far it is read: to the line of a tool, or to the end of a server's tools. */
  #at = 0;
  /** Where the tools begin that were dropped last, and where the one before them ends. */
  #gap: number | undefined;
  #kept: number | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The name of the next server that has tools. */
  nextServer(): string | undefined {
    const tools = this.#bytes.indexOf(TOOLS, this.#at);
    if (tools === -1) return undefined;
    this.#at = tools + TOOLS.length;
    this.#gap = undefined;
    this.#kept = undefined;
    return this.#keyAt(this.#bytes.lastIndexOf(SERVER, tools) + SERVER.length - 1);
  }

  /** Where the server's next tool begins; undefined behind its last one. Throws `SyntaxError` where there is something else. */
  nextTool(): number | undefined {
    const start = this.#at;
    if (this.#bytes[start] === NEWLINE) return undefined;
    if (!this.#holds(TOOL, start)) throw new SyntaxError("This is no line of a tool.");
    return start;
  }

  nameAt(tool: number): string {
    return this.#keyAt(tool + TOOL.length - 1);
  }

  /** Drops a tool, and with it the one that another file has at a place, if they are alike. */
  drop(server: string, tool: number, other: LockReader, twin: number): boolean {
    const end = this.#endOf(tool);
    const twinEnd = twin + end - tool;
    const next = other.#bytes[twinEnd];
    const isAlike =
      (next === COMMA || next === NEWLINE) &&
      other.#bytes.compare(this.#bytes, tool, end, twin, twinEnd) === 0;
    if (!isAlike) return false;
    const name = this.nameAt(tool);
    // The same in both, so that it is seen to be at once.
    const stub: LockedTool = { digest: "", definition: { name } };
    this.#drop(server, tool, end, stub);
    other.#drop(server, twin, twinEnd, stub);
    return true;
  }

  keep(server: string, tool: number): void {
    const end = this.#endOf(tool);
    if (this.#gap !== undefined) this.#gaps.push([this.#gap, tool]);
    this.#gap = undefined;
    this.#kept = end;
    this.#pass(server, this.nameAt(tool), end, undefined);
  }

  endServer(): void {
    // The last tool that is kept has no comma behind it then.
    if (this.#gap !== undefined) this.#gaps.push([this.#kept ?? this.#gap, this.#at]);
  }

  /** The file without what was dropped. */
  readRest(): string {
    const starts = [0, ...this.#gaps.map(([, to]) => to)];
    return starts.map((start, at) => this.#bytes.toString("utf8", start, this.#gaps[at]?.[0])).join("");
  }

  #drop(server: string, tool: number, end: number, stub: LockedTool): void {
    this.#gap ??= tool;
    this.#pass(server, stub.definition.name, end, stub);
  }

  #pass(server: string, name: string, end: number, stub: LockedTool | undefined): void {
    const tools = this.passed.get(server) ?? new Map<string, LockedTool | undefined>();
    if (tools.has(name)) throw new SyntaxError("A tool stands there twice.");
    this.passed.set(server, tools.set(name, stub));
    this.#at = this.#bytes[end] === COMMA ? end + 2 : end;
  }

  #endOf(tool: number): number {
    const last = this.#bytes.indexOf(TOOL_END, tool);
    if (last === -1) throw new SyntaxError("A tool has no end.");
    return last + TOOL_END.length;
  }

  #keyAt(quote: number): string {
    const end = this.#bytes.indexOf(KEY_END, quote);
    const key: unknown = JSON.parse(this.#bytes.toString("utf8", quote, end + 1));
    if (typeof key !== "string") throw new SyntaxError("This is no key.");
    return key;
  }

  #holds(bytes: Buffer, at: number): boolean {
    return this.#bytes.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0;
  }
}

/** The lock of what was kept, with a name at the place of what was dropped. Throws what `parseLockfile` throws. */
function restore(reader: LockReader): Lockfile {
  const lock = parseLockfile(reader.readRest());
  const servers = mapEntries(lock.servers, (server, name) => {
    const passed = reader.passed.get(name);
    if (passed === undefined) return server;
    const tools = Array.from(passed, ([tool, stub]) => {
      const locked = stub ?? getOwn(server.tools, tool);
      if (locked === undefined) throw new SyntaxError("A tool was lost.");
      return [tool, locked] as const;
    });
    return { ...server, tools: Object.fromEntries(tools) };
  });
  return { ...lock, servers };
}
