import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { waitUnlessAborted } from "../../runtime/client/wait-unless-aborted.js";
import { isTool, type AnyTool } from "../../runtime/tool.js";
import { contextOf, describeSkip, type DiscoveryContext, type DiscoveryWatch } from "./discovery.js";
import { codeOf } from "../../contract/code-of.js";

/** Where tools came from, for the words of warnings. */
const origins = /* @__PURE__ */ new WeakMap<AnyTool, string>();

/** The file of a tool that {@link importTools} found. */
export function originOf(tool: AnyTool): string | undefined {
  return origins.get(tool);
}

/**
 * The tools that a module exports, by default and by name. The module is run. One that cannot be imported is skipped with
 * a warning.
 *
 * @param path Absolute path of the module.
 */
export async function* importTools(path: string, context?: DiscoveryContext): AsyncGenerator<AnyTool> {
  const known = contextOf(context);
  const { skip, signal, watch } = known;
  let values: readonly unknown[];
  try {
    const url = watch === undefined ? pathToFileURL(path).href : freshUrl(path, watch);
    // A module may wait for ever at its top.
    const module = await waitUnlessAborted(import(url) as Promise<object>, signal);
    // Reading an export throws while a circle of imports has not set it.
    values = Object.values(module);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    const hint = hintFor(cause);
    skip(`Tool module ${JSON.stringify(path)} ${describeSkip(known)}: ${wordsOf(cause)}`, {
      cause,
      ...(hint && { hint }),
    });
    return;
  }
  for (const tool of new Set(values)) {
    if (!isTool(tool)) continue;
    if (!origins.has(tool)) origins.set(tool, path);
    yield tool;
  }
}

/** Another address for a module that changed since it was imported: Node never forgets one. */
function freshUrl(path: string, { imported }: DiscoveryWatch): string {
  const { mtimeMs, size } = statSync(path);
  const state = `${mtimeMs}-${size}`;
  const last = imported.get(path);
  if (last?.state === state) return last.url;
  const plain = pathToFileURL(path).href;
  const url = last === undefined ? plain : `${plain}?changed=${state}`;
  imported.set(path, { state, url });
  return url;
}

function wordsOf(cause: unknown): string {
  const words = cause instanceof Error ? cause.message : String(cause);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** How to fix Node's error about a module in TypeScript. */
function hintFor(cause: unknown): string | undefined {
  switch (codeOf(cause) ?? "") {
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return `Node ${process.version} does not import TypeScript: use 22.18 or later, start it with "--import tsx", or have the patterns name the compiled files.`;
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return 'Node removes types and nothing else: set "erasableSyntaxOnly" in tsconfig.json, or have the patterns name the compiled files.';
    default:
      return undefined;
  }
}
