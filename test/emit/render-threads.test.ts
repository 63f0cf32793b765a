/** If a render thread ends, the main thread renders the remaining files at once. */
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, runProgram } from "../package/packed.js";

/** Enough for one thread beside the main thread. */
const TOOLS = 1_600;
/** Worker threads by their failure. */
const WORKERS = {
  "ends after one batch": `
import { parentPort, workerData } from "node:worker_threads";
import * as chunk from "../chunks/contract.js";
const renderBatch = Object.values(chunk).find(({ name }) => name === "renderBatch");
parentPort.once("message", (message) => {
  void renderBatch(JSON.parse(message), workerData).then((rendered) => {
    parentPort.postMessage(rendered);
    process.exit();
  });
});
`,
  "ends in the middle of a batch": `
import { parentPort } from "node:worker_threads";
parentPort.once("message", () => process.exit());
`,
  "throws in the middle of a batch": `
import { parentPort } from "node:worker_threads";
parentPort.once("message", () => {
  throw new Error("An error outside of a file.");
});
`,
  "fails to load": `throw new Error("Not for this host.");`,
};
const PROGRAM = `
// The build shortens the names of exports.
import * as chunk from "./package/dist/chunks/contract.js";
const renderFiles = Object.values(chunk).find(({ name }) => name === "renderFiles");
const names = Array.from({ length: ${TOOLS} }, (_, at) => ({ tool: "tool-" + at, file: "tool-" + at, wrapper: "t" + at, input: "I" + at, callable: "C" + at, schema: "s" + at }));
const files = names.map((names) => ({
  path: names.file, input: "0".repeat(16),
  task: { kind: "tool", server: "s", names, importExtension: "js", definition: { name: names.tool, inputSchema: { type: "object" } } },
}));
const rendered = await renderFiles(files, { format: { by: "oxfmt", options: {} }, workers: 2 });
console.log(rendered.filter((one) => "text" in one).length);
process.exit();
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mcp-codegen-threads-"));
  await cp(join(ROOT, "dist"), join(folder, "package/dist"), { recursive: true });
  await cp(join(ROOT, "package.json"), join(folder, "package/package.json"));
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "program.mjs"), PROGRAM);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

// A silent thread times out after a minute, which is longer than the test's limit.
test.each(Object.entries(WORKERS))(
  "renders the rest in the main thread if a thread %s",
  { timeout: 50_000 },
  async (_what, worker) => {
    await writeFile(join(folder, "package/dist/emit/render-worker.js"), worker);
    const { stdout, stderr } = await runProgram(folder, process.execPath, ["program.mjs"]);
    expect({ stdout, stderr }).toEqual({ stdout: `${TOOLS}\n`, stderr: "" });
  },
);
