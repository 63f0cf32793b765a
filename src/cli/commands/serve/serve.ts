import { resolve } from "node:path";
import { commandToCheck } from "../../../agent/toolset/toolset-error.js";
import { McpCodegenError } from "../../../core/errors.js";
import { printable } from "../../../core/printable.js";
import type { DriftedTool, DriftState } from "../../../serve/drift-guard.js";
import type { OpenedToolset, ServedCount } from "../../../serve/open-toolset.js";
import type { Serving } from "../../../serve/offer.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, printServerOutput, redirectConsole } from "../../context.js";
import type { OptionValues } from "../../options.js";
import { readPackage } from "../../packages.js";
import type { SERVE_FLAGS } from "./spec.js";

const TOKEN_VARIABLE = "MCP_CODEGEN_SERVE_TOKEN";

/** Serves the five meta-tools, or with --direct the locked tools, until the client disconnects or the user interrupts. */
export const runServe: Runner<typeof SERVE_FLAGS> = (context, servers, options) =>
  redirectConsole(context.io, () => serve(context, servers, options));

type ServeOptions = OptionValues<typeof SERVE_FLAGS>;

interface ServedLog {
  /** Receives warnings. */
  readonly log: (line: string) => void;
  /** Called for each call that is refused because of drift. */
  readonly onDrift?: (tool: DriftedTool) => void;
}

/** Opens what is served. */
export async function openServed(
  context: Context,
  servers: readonly string[],
  {
    env,
    ...options
  }: Pick<ServeOptions, "env" | "role" | "prefix" | "allowUnlocked" | "code"> & {
    readonly writes?: boolean | undefined;
  },
  { log, onDrift }: ServedLog,
): Promise<OpenedToolset> {
  const { io, options: given } = context;
  const { openToolset } = await import("../../../serve/index.js");
  const { openLogins } = await import("../../load-project.js");
  return openToolset({
    ...options,
    logins: await openLogins(io),
    cwd: io.cwd,
    variables: io.env,
    config: given.config === undefined ? undefined : resolve(io.cwd, given.config),
    envFile: given.envFile === undefined ? undefined : resolve(io.cwd, given.envFile),
    servers: servers.length > 0 ? servers : undefined,
    environment: env,
    onWarning: log,
    ...printServerOutput(context),
    onDrift,
  });
}

async function serve(context: Context, servers: readonly string[], options: ServeOptions): Promise<number> {
  const { io } = context;
  const port = options.http === undefined ? undefined : parsePort(options.http);
  const log = (line: string): void => {
    io.stderr.write(`${printable(line, 1_000)}\n`);
  };
  // Load the server while the configuration and the lock are read.
  void import("../../../serve/offer-servers.js").catch(() => undefined);
  const { env, role, prefix, allowUnlocked, code } = options;
  const onDrift = ({ server, tool, contract, rules, refused }: DriftedTool): void => {
    if (refused === 1)
      log(`Refused: ${server} ${tool} no longer matches contract ${contract} (${rules.join(", ")}). Run "${commandToCheck(server, env)}".`); // prettier-ignore
  };
  const given = { env, role, prefix, allowUnlocked, code };
  const toolset = await openServed(context, servers, given, { log, onDrift });
  try {
    if (code === true) await toolset.loadScriptPackages();
    const serving = await start(context, toolset, { ...options, port, log });
    const stop = (): void => void serving.close();
    if (io.signal?.aborted === true) stop();
    io.signal?.addEventListener("abort", stop);
    await serving.closed;
    io.stdin.destroy();
  } finally {
    await toolset.close();
  }
  const summary = summarizeDrift(toolset.drift);
  if (summary !== undefined) log(summary);
  return 0;
}

interface StartOptions extends ServeOptions {
  readonly port: number | undefined;
  readonly log: (line: string) => void;
}

async function start(
  { io }: Context,
  toolset: OpenedToolset,
  { port, host, direct, log }: StartOptions,
): Promise<Serving> {
  const source = direct === true ? toolset.direct.source : toolset;
  const common = {
    ...(direct === true && toolset.direct.options),
    identity: { name: "mcp-codegen", version: readPackage().version },
    onError: (error: Error) => {
      log(`Client: ${error.message}`);
    },
  };
  const about = `${describeCount(toolset.count)}; ${describeWrites(toolset)}.`;
  if (port === undefined) {
    const { serveStdio } = await import("../../../serve/index.js");
    const serving = await serveStdio(source, { ...common, stdin: io.stdin, stdout: io.stdout });
    log(`Serving ${about}`);
    return serving;
  }
  const { serveHttp } = await import("../../../serve/index.js");
  const { hosts } = toolset.project.config.serve ?? {};
  const serving = await serveHttp(source, {
    ...common,
    port,
    token: findToken(toolset),
    host,
    hosts,
  });
  log(`Serving ${about} At ${serving.url}`);
  return serving;
}

/** HTTP always requires a token: otherwise any program that reaches the port could call the tools. */
function findToken({ lookup }: OpenedToolset): string {
  const token = lookup(TOKEN_VARIABLE);
  if (token !== undefined && token !== "") return token;
  throw new McpCodegenError(
    "VARIABLE_MISSING",
    `${TOKEN_VARIABLE} is not set; serving over HTTP requires it.`,
    {
      hint: `Set it to the output of "openssl rand -hex 32" in the environment or in .env; clients send it as a bearer token.`,
    },
  );
}

/** Parses the value of --http. Throws `USAGE`. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw usageError(
    `--http: ${JSON.stringify(text)} is not a port.`,
    "Pass a number from 0 to 65535; 0 picks a free port.",
  );
}

/** `38 of 79 tools (41 hidden by focus mode "content-editing")` */
function describeCount({ shown, total, left }: ServedCount): string {
  const tools = total === 1 ? "tool" : "tools";
  if (shown === total) return `${total} ${tools}`;
  const reasons = left.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return `${shown} of ${total} ${tools} (${reasons})`;
}

function describeWrites({ policy: { writes }, count: { unwritten } }: OpenedToolset): string {
  const refused = unwritten === 0 ? "" : `, which ${unwritten} of them need`;
  if (typeof writes === "boolean") return writes ? "writes are on" : `writes are off${refused}`;
  const on = Object.keys(writes).filter((server) => writes[server] === true);
  return on.length === 0 ? `writes are off${refused}` : `writes are on only for ${on.join(", ")}${refused}`;
}

/** Returns a line about the calls that were refused; undefined without any. */
export function summarizeDrift({ refused, tools }: DriftState): string | undefined {
  if (refused === 0) return undefined;
  const names = tools.map(({ server, tool }) => `${server} ${tool}`).join(", ");
  return `${refused} ${refused === 1 ? "call was" : "calls were"} refused because of drift: ${names}.`;
}
