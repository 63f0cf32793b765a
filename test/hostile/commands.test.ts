/** Runs each command with 500 MB of heap on a server with every schema that is expensive for a naive program. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GROWING_SCHEMAS } from "./growing-schemas.js";
import { runs } from "../sample.js";

const SIZE = runs(50, 4);
/** Normally a few seconds. */
const LIMIT = 120_000;

let dir: string;

const saveList = (file: string, size: number): Promise<void> => {
  const schemas = Object.entries(GROWING_SCHEMAS);
  const tools = schemas.map(([name, make]) => ({
    name: name.replaceAll(/\W/g, "_"),
    inputSchema: make(size),
  }));
  return writeFile(join(dir, file), JSON.stringify({ tools }));
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mcp-codegen-hostile-"));
  await saveList("list.json", SIZE);
  await saveList("less.json", SIZE - 1);
  await writeFile(
    join(dir, "mcp-codegen.config.json"),
    JSON.stringify({ servers: { hostile: { file: "list.json" } } }),
  );
});

afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

it.each([
  [["pull"], 0],
  [["check", "--full"], 0],
  [["list"], 0],
  [["diff", "list.json", "less.json"], 1],
] as const)("%j", { timeout: LIMIT + 5000 }, async (argv, exitCode) => {
  const bin = resolve("bin/mcp-codegen.js");
  const options = { cwd: dir, timeout: LIMIT, maxBuffer: 1 << 26, env: { ...process.env, CI: "" } };
  const run = promisify(execFile)(process.execPath, ["--max-old-space-size=500", bin, ...argv], options);
  const ended = await run.then(
    ({ stderr }) => ({ code: 0, stderr }),
    (error: unknown) => error as { readonly code: number; readonly stderr: string },
  );
  expect(ended.stderr).not.toMatch(/RangeError|heap out of memory/);
  expect(ended.code).toBe(exitCode);
});
