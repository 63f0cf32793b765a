/**
 * Prints the roads of the architecture as stacks, outermost first: from `pull()` to the first request, from a wrapper to the
 * transport, from a Change to a SARIF result. `npm run report frames`.
 *
 * An async stack trace of V8 ends where a promise is passed on by `then`, `Promise.race` or a constructor. So each promise keeps
 * the stack of its creation (`async_hooks`), and a road is the stack at its end with those of the promises that it waited in.
 * A function is counted once, by the place where it begins; helpers of promises, such as `race`, count as others do.
 */
import { createHook, executionAsyncId } from "node:async_hooks";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { pull } from "../src/pipeline/pull/pull.js";
import { Project } from "../src/project/project.js";
import { printSarif } from "../src/report/sarif.js";
import { connectTools, defineTool } from "../src/runtime/define-tool.js";
import { findings, judgedChange } from "../test/report/fixtures.js";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));
Error.stackTraceLimit = 200;

/** A function on a road. */
interface Frame {
  readonly name: string;
  readonly file: string;
  /** Where the function begins. */
  readonly begins: string;
}

/** Returns the functions of `src` on the current stack, innermost first. */
function stackOf(): readonly Frame[] {
  let sites: readonly NodeJS.CallSite[] = [];
  Error.prepareStackTrace = (_error, found) => {
    sites = found;
    return "";
  };
  void new Error("Only its stack is used.").stack;
  Reflect.deleteProperty(Error, "prepareStackTrace");
  return sites.flatMap((site) => {
    const file = (site.getFileName() ?? "").replace(/^file:\/\//, "");
    if (!file.startsWith(SRC)) return [];
    const begins = `${file}:${site.getEnclosingLineNumber()}:${site.getEnclosingColumnNumber()}`;
    return [{ name: site.getFunctionName() ?? "(anonymous)", file: relative(SRC, file), begins }];
  });
}

const created = new Map<number, { readonly parent: number; readonly stack: readonly Frame[] }>();
createHook({
  init(id, _type, parent) {
    created.set(id, { parent: executionAsyncId() || parent, stack: stackOf() });
  },
}).enable();

/** Returns the road to the current place, outermost first, each function once. */
function roadHere(): readonly Frame[] {
  const frames = [...stackOf()];
  for (let id = executionAsyncId(); id !== 0; id = created.get(id)?.parent ?? 0)
    frames.push(...(created.get(id)?.stack ?? []));
  const unique = new Map(frames.map((frame) => [frame.begins, frame]));
  return [...unique.values()].reverse();
}

let roads: { readonly [method: string]: readonly Frame[] } = {};
globalThis.fetch = (_url, init) => {
  const { id, method = "" } = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as {
    readonly id?: number;
    readonly method?: string;
  };
  roads = { [method]: roadHere(), ...roads };
  const results: { readonly [method: string]: object } = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "a", version: "1" },
    },
    "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" } }] },
    "tools/call": { content: [] },
  };
  const result = results[method];
  if (result === undefined)
    return Promise.resolve(new Response(null, { status: id === undefined ? 202 : 404 }));
  const headers = { "content-type": "application/json" };
  return Promise.resolve(new Response(JSON.stringify({ jsonrpc: "2.0", id, result }), { headers }));
};

const url = "http://127.0.0.1:1/mcp";
const dir = mkdtempSync(join(tmpdir(), "mcp-codegen-frames-"));
try {
  const config = { output: false as const, servers: { shop: { url } } };
  const project = new Project({ config, dir, path: join(dir, "mcp-codegen.config.json") });
  await pull(project, {});
  print("from pull() to the first byte", roads["server/discover"] ?? [], 8, "pull");
} finally {
  rmSync(dir, { recursive: true });
}

roads = {};
const server = { name: "shop", url };
const look = defineTool<object>({
  server,
  name: "look",
  input: {
    "~standard": { version: 1, vendor: "frames", validate: (value: unknown) => ({ value }) },
  } as never,
  inputSchema: "{}",
});
await connectTools(server, { look }).look({});
const call = roads["tools/call"] ?? [];
const transport = call.findLastIndex(({ name }) => name === "send");
print("from a wrapper to the transport", call.slice(0, transport + 1), 12, "call");

let deepest: readonly Frame[] = [];
const watched = new Proxy(judgedChange, {
  get(change, key, receiver) {
    const stack = stackOf();
    if (stack.length > deepest.length) deepest = [...stack];
    return Reflect.get(change, key, receiver) as unknown;
  },
});
printSarif(findings({ changes: [watched] }), {}, "1.0.0");
print("from a Change to a SARIF result", [...deepest].reverse(), 7, "printSarif");

function print(title: string, road: readonly Frame[], goal: number, first: string): void {
  const from = road.findIndex(({ name }) => name === first);
  const frames = road.slice(Math.max(from, 0));
  const lines = frames.map(({ name, file }, at) => `  ${String(at + 1).padStart(2)}  ${name}  ${file}`);
  process.stdout.write(`${title}: ${frames.length} frames, goal ${goal}\n${lines.join("\n")}\n\n`);
}
