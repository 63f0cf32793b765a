/** The main job on the servers that the MCP project publishes: pulled, compiled, run by Node, and called. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programOf, startEverything } from "../servers/start-everything.js";
import { COMPILERS, compile, linkPackages, runBinary, runNode, type Ended } from "./user-project.js";

/** One white pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

let dir: string;
let remote: Awaited<ReturnType<typeof startEverything>>;
let env: { readonly REMOTE_URL: string };
let pulled: Ended;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mcp-codegen-real-"));
  await cp(fileURLToPath(new URL("real-app", import.meta.url)), dir, { recursive: true });
  await linkPackages(dir);
  await writeFile(join(dir, "dot.png"), Buffer.from(PNG, "base64"));
  remote = await startEverything("streamableHttp");
  env = { REMOTE_URL: remote.origin };
  const node = (name: Parameters<typeof programOf>[0], ...args: readonly string[]): object => ({
    command: process.execPath,
    args: [programOf(name), ...args],
  });
  const servers = {
    everything: node("everything", "stdio"),
    remote: { url: "${REMOTE_URL}/mcp", transport: "http" },
    files: node("filesystem", "."),
    memory: { ...node("memory"), env: { MEMORY_FILE_PATH: join(dir, "memory.jsonl") } },
  };
  await writeFile(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers }));
  pulled = await runBinary(dir, ["pull"], env);
}, 120_000);

afterAll(async () => {
  await remote.close();
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
});

describe("the real servers", () => {
  it("are pulled, and equal their lock", async () => {
    expect(pulled.stdout).toContain("everything new, 13 tools, contract 1.0.0");
    const notes = [...pulled.stdout.matchAll(/^ {2}note: (\S+ \S+) .*\[(\w+)\]$/gmu)].map((note) =>
      note.slice(1),
    );
    expect(notes).toEqual([
      ["everything simulate-research-query", "CALL_UNSUPPORTED"],
      ["remote simulate-research-query", "CALL_UNSUPPORTED"],
    ]);
    expect(pulled.exitCode).toBe(0);
    const checked = await runBinary(dir, ["check", "--full"], env);
    expect(checked.stdout).toMatch(/^Up to date: checked 4 servers and \d+ files against the lock\.\n$/);
    expect(checked.exitCode).toBe(0);
    expect(await readFile(join(dir, "generated/remote/server.ts"), "utf8")).toContain("${REMOTE_URL}/mcp");
  });

  it.each(COMPILERS)(
    "compile under TypeScript %s, load in Node and return results",
    async (version, compiler) => {
      const out = `out-${version}`;
      await rm(join(dir, "memory.jsonl"), { force: true });
      expect(await compile(dir, compiler, out)).toMatchObject({ exitCode: 0, stdout: "" });
      const { exitCode, stdout, stderr } = await runNode(dir, [`${out}/main.js`], env);
      expect(exitCode, stderr).toBe(0);
      const everything = {
        sum: "The sum of 2 and 3 is 5.",
        weather: ["number", "string", "number"],
        image: { types: ["text", "image", "text"], mimeType: "image/png", data: "string" },
        links: ["string", "string"],
        embedded: "object",
        annotated: [
          ["text", true],
          ["image", true],
        ],
        // It must run as a task.
        research: "TOOL_EXECUTION_FAILED",
      };
      expect(JSON.parse(stdout)).toMatchObject({
        stdio: everything,
        http: everything,
        files: { note: "Ebb and flow", media: "image/png", outside: "TOOL_EXECUTION_FAILED" },
        memory: {
          created: [{ name: "Moon", entityType: "body", observations: ["pulls"] }],
          found: ["Moon"],
          refused: ["TOOL_INVALID_INPUT", ["entities", 0, "observations"]],
        },
      });
    },
    120_000,
  );
});
