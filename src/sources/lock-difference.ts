import { Buffer } from "node:buffer";
import { McpCodegenError } from "../contract/errors.js";
import { byCodeUnit, getOwn, mapEntries } from "../contract/json.js";
import type { Lockfile } from "../contract/lockfile.js";
import { parseLockfile } from "../contract/lockfile-text.js";

/** Two locks without what is the same in both. */
export interface LockDifference {
  readonly before: Lockfile;
  readonly after: Lockfile;
  /** The names of the tools that both spell alike and that stand in neither, by server. */
  readonly unchanged: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads of two lockfiles what differs. Most tools are alike: where both files are written as `formatLockfile` does, they
 * are compared as bytes, and neither parsed nor verified. A server that has lost a tool and has got another keeps them
 * all, on both sides: what its other tools are called and say tells whether one of the two became the other. Undefined
 * where what remains is no valid lock: then both must be parsed, which says what is wrong.
 */
export function parseDifference(before: Buffer, after: Buffer): LockDifference | undefined {
  const [old, now] = [new LockReader(before), new LockReader(after)];
  const alike = new Map<string, Alike>();
  try {
    let [server, other] = [old.nextServer(), now.nextServer()];
    while (server !== undefined && other !== undefined) {
      const order = byCodeUnit(server, other);
      if (order === 0) alike.set(server, dropAlike(old, now));
      if (order <= 0) server = old.nextServer();
      if (order >= 0) other = now.nextServer();
    }
    return restore(parseLockfile(old.readRest()), parseLockfile(now.readRest()), alike);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof McpCodegenError) return undefined;
    throw error;
  }
}

/** The tools of a server that are alike in two locks, and whether the one after has them still. */
interface Alike {
  readonly names: readonly string[];
  readonly isKept: boolean;
}

/** Drops from both what is alike of a server's tools, which are in the same order in both. */
function dropAlike(old: LockReader, now: LockReader): Alike {
  const names: string[] = [];
  let [lost, got] = [0, 0];
  while (old.hasTool() || now.hasTool()) {
    const alike = old.dropAlike(now);
    if (alike !== undefined) {
      names.push(alike);
      continue;
    }
    const [before, after] = [old.toolName(), now.toolName()];
    const order = before === undefined ? 1 : after === undefined ? -1 : byCodeUnit(before, after);
    if (order <= 0) old.keep();
    if (order >= 0) now.keep();
    if (order < 0) lost += 1;
    if (order > 0) got += 1;
  }
  const isKept = lost > 0 && got > 0;
  old.endServer();
  now.endServer({ isKept });
  return { names, isKept };
}

/** Gives the one before what was kept in the other alone. */
function restore(before: Lockfile, after: Lockfile, alike: ReadonlyMap<string, Alike>): LockDifference {
  const servers = mapEntries(before.servers, (server, name) => {
    const { names, isKept } = alike.get(name) ?? { names: [], isKept: false };
    const shared = getOwn(after.servers, name);
    if (!isKept || shared === undefined) return server;
    const kept = names.map((tool) => {
      const locked = getOwn(shared.tools, tool);
      if (locked === undefined) throw new SyntaxError("A tool was lost.");
      return [tool, locked] as const;
    });
    return { ...server, tools: Object.fromEntries([...Object.entries(server.tools), ...kept]) };
  });
  const unchanged = Array.from(alike, ([name, { names, isKept }]) => [name, isKept ? [] : names] as const);
  return { before: { ...before, servers }, after, unchanged: new Map(unchanged) };
}

/**
 * What stands before a server's tools; of one of them the beginning of its line, that of the next, and its end. The
 * digest is looked for in place of the end, since what differs from all other text is found five times as fast.
 */
const TOOLS = Buffer.from('\n      "tools": {\n');
const SERVER = Buffer.from('\n    "');
const TOOL = Buffer.from('        "');
const DIGEST = Buffer.from('\n          "digest": "sha256-');
const TOOL_END = Buffer.from("\n        }");
const KEY_END = Buffer.from('": {\n');
const COMMA = 0x2c;
const NEWLINE = 0x0a;

/** Goes through the tools of a lockfile's bytes, and notes which of them are dropped. */
class LockReader {
  readonly #bytes: Buffer;
  readonly #gaps: [from: number, to: number][] = [];
  /** How far it is read: to the line of a tool, or to the end of a server's tools. */
  #at = 0;
  #server: string | undefined;
  /** The tool before. */
  #tool: string | undefined;
  /** Where the tools begin that were dropped last, and where the one before them ends. */
  #gap: number | undefined;
  #kept: number | undefined;
  /** How many gaps there are in front of the server. */
  #before = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The name of the next server that has tools. Throws `SyntaxError` where servers are not in order. */
  nextServer(): string | undefined {
    const tools = this.#bytes.indexOf(TOOLS, this.#at);
    if (tools === -1) return undefined;
    this.#at = tools + TOOLS.length;
    this.#tool = undefined;
    this.#gap = undefined;
    this.#kept = undefined;
    this.#before = this.#gaps.length;
    const quote = this.#bytes.lastIndexOf(SERVER, tools) + SERVER.length - 1;
    this.#server = after(this.#server, this.#keyAt(quote));
    return this.#server;
  }

  /** Whether it stands at a tool, and not behind the server's last one. Throws `SyntaxError` where there is something else. */
  hasTool(): boolean {
    if (this.#bytes[this.#at] === NEWLINE) return false;
    if (!this.#holds(TOOL, this.#at)) throw new SyntaxError("This is no line of a tool.");
    return true;
  }

  toolName(): string | undefined {
    return this.hasTool() ? this.#keyAt(this.#at + TOOL.length - 1) : undefined;
  }

  /** Drops the tool, and the one that another lock has, if they are alike; its name, or undefined if they are not. */
  dropAlike(other: LockReader): string | undefined {
    const name = this.toolName();
    if (name === undefined) return undefined;
    const [from, to] = [this.#at, this.#endOf(this.#at)];
    const [twin, end] = [other.#at, other.#at + to - from];
    const next = other.#bytes[end];
    const isAlike =
      (next === COMMA || next === NEWLINE) && other.#bytes.compare(this.#bytes, from, to, twin, end) === 0;
    if (!isAlike) return undefined;
    this.#drop(name, to);
    other.#drop(name, end);
    return name;
  }

  /** Throws `SyntaxError` where tools are not in order. */
  keep(): void {
    const [name, from] = [this.toolName(), this.#at];
    if (name === undefined) throw new SyntaxError("There is no tool.");
    if (this.#gap !== undefined) this.#gaps.push([this.#gap, from]);
    this.#gap = undefined;
    this.#kept = this.#endOf(from);
    this.#pass(name, this.#kept);
  }

  /** Leaves the server's tools behind; `isKept` takes back that some were dropped. */
  endServer({ isKept = false } = {}): void {
    // The last tool that is kept has no comma behind it then.
    if (this.#gap !== undefined) this.#gaps.push([this.#kept ?? this.#gap, this.#at]);
    if (isKept) this.#gaps.length = this.#before;
  }

  /** The file without what was dropped. */
  readRest(): string {
    const starts = [0, ...this.#gaps.map(([, to]) => to)];
    return starts.map((start, at) => this.#bytes.toString("utf8", start, this.#gaps[at]?.[0])).join("");
  }

  #drop(name: string, end: number): void {
    this.#gap ??= this.#at;
    this.#pass(name, end);
  }

  #pass(name: string, end: number): void {
    this.#tool = after(this.#tool, name);
    this.#at = this.#bytes[end] === COMMA ? end + 2 : end;
  }

  #endOf(tool: number): number {
    const own = this.#bytes.indexOf(DIGEST, tool);
    const next = own === -1 ? -1 : this.#bytes.indexOf(DIGEST, own + DIGEST.length);
    const end = next === -1 ? -1 : this.#bytes.lastIndexOf(NEWLINE, next - 1) - 1;
    if (end > 0 && this.#bytes[end] === COMMA && this.#holds(TOOL_END, end - TOOL_END.length)) return end;
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

/** A name that comes after the one before it. Throws `SyntaxError` where it does not, as where it stands there twice. */
function after(previous: string | undefined, name: string): string {
  if (previous !== undefined && byCodeUnit(previous, name) >= 0)
    throw new SyntaxError("The names are not in order.");
  return name;
}
