import { resolve } from "node:path";
import type { Embedder } from "../../../agent/search/create-tool-search.js";
import { commandToCheck } from "../../../core/tool-name.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { DriftedTool, DriftState } from "../../../serve/drift-guard.js";
import type { OpenedToolset, ServedCount } from "../../../serve/open-toolset.js";
import { openToolset, serveHttp, serveStdio } from "../../../serve/index.js";
import type { Serving } from "../../../serve/offer.js";
import { orAll, type Runner } from "../../command-spec.js";
import {
  type Context,
  type Io,
  listenToServers,
  redirectConsole,
  printWarning,
  readPackage,
} from "../../context.js";
import { openLogins } from "../../load-project.js";
import type { OptionValues } from "../../options.js";
import type { SERVE_FLAGS } from "./spec.js";

const TOKEN_VARIABLE = "MCP_CODEGEN_SERVE_TOKEN";

/** Serves the five meta-tools, or with --direct the locked tools, until the client disconnects or the user interrupts. */
export const runServe: Runner<typeof SERVE_FLAGS> = (context, servers, options) =>
  redirectConsole(context.io, async () => {
    const { io } = context;
    // Load the server while the configuration and the lock are read.
    void import("../../../serve/open-stdio.js").catch(() => undefined);
    const onDrift = ({ server, tool, contract, rules, refused }: DriftedTool): void => {
      if (refused === 1)
        printWarning(context, `Refused: ${server} ${tool} no longer matches contract ${contract} (${rules.join(", ")}). Run "${commandToCheck(server, options.env)}".`); // prettier-ignore
    };
    const toolset = await openServed(context, servers, options, onDrift);
    try {
      if (options.code === true) await toolset.loadScriptPackages();
      await untilClosed(io, [await start(context, toolset, options)]);
    } finally {
      await toolset.close();
    }
    const summary = summarizeDrift(toolset.drift);
    if (summary !== undefined) printWarning(context, summary);
    return 0;
  });

/** Replaces the embedder of the configuration where nothing is searched, so that its module is not loaded. */
const UNUSED: Embedder = { embed: () => Promise.resolve([]) };

type ServeCommandOptions = OptionValues<typeof SERVE_FLAGS>;

/**
 * Opens what is served.
 *
 * @param onDrift called for each call that is refused because of drift
 */
export function openServed(
  context: Context,
  servers: readonly string[],
  served: ServeCommandOptions & { readonly writes?: boolean | undefined; readonly ownScripts?: boolean },
  onDrift?: (tool: DriftedTool) => void,
): Promise<OpenedToolset> {
  const { io, options } = context;
  const { env, role, prefix, allowUnlocked, code, direct, writes, ownScripts } = served;
  const pathOf = (path: string | undefined): string | undefined => path && resolve(io.cwd, path);
  return openToolset({
    role,
    prefix,
    allowUnlocked,
    code,
    writes,
    ownScripts,
    onDrift,
    embedder: direct === true ? UNUSED : undefined,
    environment: env,
    logins: openLogins(io),
    cwd: io.cwd,
    variables: io.env,
    config: pathOf(options.config),
    envFile: pathOf(options.envFile),
    servers: orAll(servers),
    onWarning: (line) => {
      printWarning(context, line);
    },
    onStderr: listenToServers(context),
  });
}

/** Waits for clients to disconnect, or for the user to interrupt. */
export async function untilClosed({ signal, stdin }: Io, servings: readonly Serving[]): Promise<void> {
  const stop = (): void => {
    for (const serving of servings) void serving.close();
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop);
  await Promise.all(servings.map(({ closed }) => closed));
  stdin.destroy();
}

/** The options of everything that is served. */
export function servingOptions(context: Context): {
  readonly identity: { readonly name: string; readonly version: string };
  readonly onError: (error: Error) => void;
} {
  return {
    identity: { name: "mcp-codegen", version: readPackage().version },
    onError: (error) => {
      // Of a message that does not fit, the SDK has a list of issues.
      const what = "issues" in error ? "sent a message that is not JSON-RPC." : error.message;
      printWarning(context, `Client: ${what}`);
    },
  };
}

async function start(
  context: Context,
  toolset: OpenedToolset,
  { http: port, host, direct = false }: ServeCommandOptions,
): Promise<Serving> {
  const { stdin, stdout } = context.io;
  const source = direct ? toolset.direct.source : toolset;
  const common = { ...(direct && toolset.direct.options), ...servingOptions(context) };
  const about = `Serving ${describeCount(toolset.count)}; ${describeWrites(toolset)}.`;
  if (port === undefined) {
    const serving = await serveStdio(source, { ...common, stdin, stdout });
    printWarning(context, about);
    return serving;
  }
  const { hosts } = toolset.project.config.serve ?? {};
  const serving = await serveHttp(source, { ...common, port, token: findToken(toolset), host, hosts });
  printWarning(context, `${about} At ${serving.url}`);
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

/** `38 of 79 tools (41 hidden by focus mode "content-editing")` */
function describeCount({ shown, total, left }: ServedCount): string {
  const tools = total === 1 ? "tool" : "tools";
  if (shown === total) return `${total} ${tools}`;
  const reasons = left.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return `${shown} of ${total} ${tools} (${reasons})`;
}

function describeWrites({
  policy: { writes = false },
  count: { unwritten, unstated },
}: OpenedToolset): string {
  const [server] = unstated;
  const advice =
    server === undefined
      ? ""
      : ` (tools that say nothing count as writing: for those that only read, set servers.${server}.tools.annotations)`;
  const refused = unwritten === 0 ? "" : `, which ${unwritten} of them need${advice}`;
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
