import { type ChildProcess, spawn as spawnPlain } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import spawn from "cross-spawn";
import { callSafely, codeOf, McpCodegenError } from "../core/errors.js";
import { formatLimit, READ_LIMIT } from "../core/limits.js";
import type { StdioEndpoint } from "./endpoint.js";
import { scrubSecrets, UNPRINTABLE } from "./server-errors.js";
import type { Channel, ChannelEvents } from "./session.js";
import { LineSplitter } from "./streams.js";

/** Milliseconds that a server may take to exit after its input ends, and again after SIGTERM. */
const EXIT_TIMEOUT = 2_000;

/** Whether a server gets a process group: its own children, such as those of `npx`, end with it. */
const HAS_GROUPS = process.platform !== "win32";

/**
 * The environment variables that a server inherits: those it needs to run, without secrets of other programs.
 */
const INHERITED =
  process.platform === "win32"
    ? [
        "APPDATA",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
      ]
    : ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/** The running children. One exit listener ends all of them. */
const children = new Set<ChildProcess>();
let isWatching = false;

/**
 * Starts a server and exchanges messages over its standard streams, one per line. An idle child does not keep
 * our process alive, and it ends with our process, however that ends.
 *
 * @throws McpCodegenError `SERVER_UNREACHABLE` when the command cannot be started
 */
export async function openStdio(endpoint: StdioEndpoint, events: ChannelEvents): Promise<Channel> {
  const child = startChild(endpoint);
  const guard = startGuard(child);
  await started(child, endpoint).catch((error: unknown) => {
    guard?.stdin?.destroy();
    throw error;
  });
  return new StdioChannel({ child, guard }, endpoint, events);
}

function startChild(endpoint: StdioEndpoint): ChildProcess {
  try {
    return spawn(endpoint.command, [...endpoint.args], {
      env: { ...inheritedEnvironment(), ...endpoint.env },
      cwd: endpoint.cwd,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      detached: HAS_GROUPS,
    });
  } catch (error) {
    // Most failures are events; some, such as ENOTDIR and E2BIG, are thrown.
    throw cannotStart(endpoint, codeOf(error));
  }
}

function cannotStart({ command, secrets }: StdioEndpoint, code = "Error"): McpCodegenError {
  const quoted = JSON.stringify(command);
  const [message, hint] =
    code === "ENOENT"
      ? [`Command ${quoted} was not found.`, hintForMissing(command)]
      : [`Command ${quoted} could not be started (${code}).`, "Check the command."];
  return new McpCodegenError("SERVER_UNREACHABLE", scrubSecrets(message, secrets), {
    hint: scrubSecrets(hint, secrets),
  });
}

/**
 * Starts a shell that ends the server's process group when its input closes: when the server has exited, and when our process
 * ends, even by SIGKILL, which no listener of ours survives.
 */
function startGuard({ pid }: ChildProcess): ChildProcess | undefined {
  if (!HAS_GROUPS || pid === undefined) return undefined;
  const group = `-- -${pid} 2>/dev/null`;
  const script = `read -r _; kill -s TERM ${group} || exit; sleep ${EXIT_TIMEOUT / 1_000}; kill -s KILL ${group}`;
  const guard = spawnPlain("/bin/sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // A system without a shell has no guard.
  for (const emitter of [guard, guard.stdin]) emitter.on("error", () => undefined);
  for (const handle of [guard, guard.stdin]) hold(handle, false);
  return guard;
}

function inheritedEnvironment(): { [name: string]: string } {
  const entries = INHERITED.map((name) => [name, process.env[name]] as const);
  // A value that starts with "()" is a function exported by a shell: code, not a setting.
  const isPlain = (entry: readonly [string, string | undefined]): entry is readonly [string, string] =>
    entry[1] !== undefined && !entry[1].startsWith("()");
  return Object.fromEntries(entries.filter(isPlain));
}

function started(child: ChildProcess, endpoint: StdioEndpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => {
      reject(cannotStart(endpoint, codeOf(error)));
    });
  });
}

/**
 * Returns the hint for a missing command. A whole command line in `command` is the usual cause: no shell
 * splits it.
 */
function hintForMissing(command: string): string {
  const [program = "", ...args] = command.trim().split(/\s+/u);
  if (args.length === 0) return "Install it, or correct the command or cwd.";
  const list = args.map((word) => JSON.stringify(word)).join(", ");
  return `Write command: ${JSON.stringify(program)}, args: [${list}].`;
}

/** Returns the hint for a server that misses a variable of our environment, which a shell would have passed on. */
function hintForVariable(text: string, env: StdioEndpoint["env"]): string | undefined {
  const names = text.match(/\b[A-Z][A-Z\d_]{2,}\b/g) ?? [];
  const missing = names.find(
    (name) => process.env[name] !== undefined && env[name] === undefined && !INHERITED.includes(name),
  );
  if (missing === undefined) return undefined;
  return `${missing} is set here, but a server gets only the variables of its settings. Add env: { ${missing}: "\${${missing}}" }.`;
}

class StdioChannel implements Channel {
  readonly #child: ChildProcess;
  readonly #guard: ChildProcess | undefined;
  readonly #endpoint: StdioEndpoint;
  readonly #events: ChannelEvents;
  readonly #exited: Promise<void>;
  readonly #output: ServerOutput;
  #isOver = false;

  constructor(
    { child, guard }: { readonly child: ChildProcess; readonly guard: ChildProcess | undefined },
    endpoint: StdioEndpoint,
    events: ChannelEvents,
  ) {
    this.#child = child;
    this.#guard = guard;
    this.#endpoint = endpoint;
    this.#events = events;
    this.#output = new ServerOutput(endpoint.secrets, events.onStderr);
    this.#exited = new Promise((resolve) => {
      // Not "close": a grandchild may hold the pipes open.
      child.once("exit", () => {
        guard?.stdin?.destroy();
      });
      // Not "exit": the last output is read before "close".
      child.once("close", (code, signal) => {
        children.delete(child);
        this.#output.end();
        resolve();
        this.#fail(signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`);
      });
    });
    this.#listen();
    if (!isWatching) process.once("exit", killChildren);
    isWatching = true;
    children.add(child);
    this.setBusy(false);
  }

  async send(message: object): Promise<void> {
    const { stdin } = this.#child;
    if (this.#isOver || !stdin?.writable) throw this.#error("is no longer running");
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (!error) {
          resolve();
          return;
        }
        // A server that exits closes its input first. Its exit fails the request with its code and its last words.
        void this.#exitsInTime().then(() => {
          reject(this.#error("no longer reads its input"));
        });
      });
    });
  }

  setBusy(isBusy: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const handle of [this.#child, stdin, stdout, stderr]) hold(handle, isBusy);
  }

  lastLines(): readonly string[] {
    return this.#output.lastLines;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.setBusy(true);
    this.#child.stdin?.end();
    if (await this.#exitsInTime()) return;
    this.#kill("SIGTERM");
    if (await this.#exitsInTime()) return;
    this.#kill("SIGKILL");
    // A grandchild may hold the pipes open, and then "close" never fires.
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    await this.#exitsInTime();
    this.setBusy(false);
  }

  #kill(signal: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.#child;
    // Without a guard, the server may have no group.
    if (this.#guard === undefined || pid === undefined) this.#child.kill(signal);
    else killGroup(pid, signal);
  }

  async #exitsInTime(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, EXIT_TIMEOUT, false);
    });
    const left = await Promise.race([this.#exited.then(() => true), timeout]);
    clearTimeout(timer);
    return left;
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    const lines = new LineSplitter((line) => {
      if (line.trim() !== "") this.#events.onText(line);
    }, this.#endpoint.readLimit);
    const decoder = new TextDecoder();
    stdout?.on("data", (bytes: Uint8Array) => {
      try {
        lines.push(decoder.decode(bytes, { stream: true }));
      } catch {
        this.#fail(`wrote a line of more than ${formatLimit(this.#endpoint.readLimit ?? READ_LIMIT)}`);
        this.#kill("SIGKILL");
      }
    });
    stderr?.on("data", (bytes: Buffer) => {
      this.#output.push(bytes);
    });
    // The "close" event and the callback of write report errors of the pipes.
    for (const stream of [stdin, stdout, stderr]) stream?.on("error", () => undefined);
    this.#child.on("error", () => undefined);
  }

  #fail(what: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.onDead(this.#error(what));
  }

  #error(what: string): McpCodegenError {
    const stderr = this.lastLines();
    const message = `The server ${JSON.stringify(this.#endpoint.label)} ${what}.`;
    const hint =
      stderr.length === 0
        ? "Run the command by hand to see what it does."
        : hintForVariable(stderr.join(" "), this.#endpoint.env);
    return new McpCodegenError("SERVER_UNREACHABLE", message, { hint, stderr });
  }
}

function killGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}

function hold(handle: unknown, isHeld: boolean): void {
  const method = isHeld ? "ref" : "unref";
  if (typeof handle !== "object" || handle === null || !(method in handle)) return;
  const member: unknown = Reflect.get(handle, method);
  if (typeof member === "function") Reflect.apply(member, handle, []);
}

function killChildren(): void {
  for (const child of children) child.kill("SIGTERM");
}

/** The number of lines that are kept. Older lines are rarely about the failure. */
const MOST_LINES = 8;
const LONGEST_LINE = 1_000;
/** The most characters of an unfinished line that are kept and searched for secrets. */
const LONGEST_REST = 100_000;

/** An uncaught error as Node, Python and PHP print it. */
const ERROR = /^(?:Uncaught )?[\w.]{0,60}(?:Error|Exception)(?: \[\w{1,60}\])?: /;
/** The lines that Node prints after it: the stack and the properties of the error. */
const BELOW_ERROR = /^(?:\s|[}\]]|Require stack:|- |Node\.js v)/;

/**
 * The last lines that a server wrote to stderr, without secrets, colours and control characters. Printing
 * code must escape other special characters.
 */
class ServerOutput {
  readonly #secrets: readonly string[];
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #decoder = new TextDecoder();
  #lines: readonly string[] = [];
  #rest = "";
  #isCut = false;

  constructor(secrets: readonly string[], onLine: ((line: string) => void) | undefined) {
    this.#secrets = secrets.flatMap((secret) => [secret, ...linesOf(secret)]);
    this.#onLine = onLine;
  }

  push(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split(/\r\n|\n/);
    const rest = lines.pop() ?? "";
    for (const line of lines) this.#add(line);
    // Half a secret would not be found, so a line that is too long is dropped as a whole.
    if (rest.length > LONGEST_REST) this.#isCut = true;
    this.#rest = this.#isCut ? "" : rest;
  }

  /** Ends the output. An unfinished line counts as a line. */
  end(): void {
    if (this.#rest !== "") this.#add(this.#rest);
    this.#rest = "";
  }

  /** The last lines. For an uncaught error, only its message without the stack. */
  get lastLines(): readonly string[] {
    const rest = this.#rest === "" ? [] : [this.#clean(this.#rest)];
    const lines = [...this.#lines, ...rest].filter((line) => line.trim() !== "");
    const last = lines.findLastIndex((line) => !BELOW_ERROR.test(line));
    const error = lines[last] ?? "";
    return (ERROR.test(error) ? [error] : lines).slice(-MOST_LINES).map(cut);
  }

  #add(line: string): void {
    if (this.#isCut) {
      this.#isCut = false;
      return;
    }
    const clean = this.#clean(line);
    callSafely(this.#onLine, [cut(clean)]);
    // Keep more lines than are shown: a stack is longer, and is removed.
    this.#lines = [...this.#lines.slice(-10 * MOST_LINES), clean];
  }

  #clean(line: string): string {
    return stripVTControlCharacters(scrubSecrets(line, this.#secrets))
      .replaceAll("\t", "  ")
      .replace(UNPRINTABLE, " ")
      .trimEnd();
  }
}

/** Returns the lines of a secret such as a private key: output is scrubbed line by line. */
function linesOf(secret: string): readonly string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= 8);
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}
