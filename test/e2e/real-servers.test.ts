/**
 * The main job on the servers that the MCP project publishes, and on those whose names, texts and schemas attack a generator:
 * pulled, compiled, run by Node, and called.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCKFILE_NAME } from "../../src/core/lockfile.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { programOf, startEverything } from "../servers/start-everything.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { COMPILERS, compile, linkPackages, runBinary, runNode, type Ended } from "./user-project.js";

/** One white pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const CALL_ALL = fileURLToPath(new URL("call-all.js", import.meta.url));

/** Findings in the texts of hostile servers, accepted so that code is generated. */
const ACCEPTED = [
  ...["ansi", "bidi", "hidden-unicode", "html-comment"].flatMap((kind) => ["--accept", `poison-${kind}`]),
  ...["--reason", "A test."],
];

interface Called {
  readonly isPwned: boolean;
  readonly servers: {
    readonly [server: string]: {
      readonly [tool: string]: { readonly text?: string; readonly error?: string };
    };
  };
}

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
    names: fixtureCommand("hostile-names"),
    odd: fixtureCommand("odd-schemas"),
  };
  await writeFile(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers }));
  pulled = await runBinary(dir, ["pull", ...ACCEPTED], env);
}, 120_000);

afterAll(async () => {
  await remote.close();
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
});

describe("the servers", () => {
  it("are pulled, and equal their lock", async () => {
    expect(pulled.stdout).toContain("everything new, 13 tools, contract 1.0.0");
    const notes = [...pulled.stdout.matchAll(/^ {2}note: ((?!odd\b|names\b)\S+ \S+) .*\[(\w+)\]$/gmu)].map(
      (note) => note.slice(1),
    );
    expect(notes).toEqual([
      ["everything simulate-research-query", "CALL_UNSUPPORTED"],
      ["remote simulate-research-query", "CALL_UNSUPPORTED"],
    ]);
    expect(pulled.exitCode).toBe(0);
    const checked = await runBinary(dir, ["check", "--full"], env);
    expect(checked.stdout).toMatch(
      /^Up to date: checked 6 servers and \d+ files against the lock, with \d+ accepted findings\.$/m,
    );
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

  it.each(COMPILERS)(
    "with hostile texts have none of them run by what TypeScript %s compiles, and their tools can be called",
    async (version) => {
      const call = [CALL_ALL, `out-${version}/generated/index.js`, "names", "odd"];
      const { exitCode, stdout, stderr } = await runNode(dir, call, env);
      expect(exitCode, stderr).toBe(0);
      const { isPwned, servers } = JSON.parse(stdout) as Called;
      expect(isPwned).toBe(false);
      const lock = parseLockfile(await readFile(join(dir, LOCKFILE_NAME), "utf8"));
      for (const server of ["names", "odd"]) {
        const tools = lock.servers[server]?.tools ?? {};
        const usable = Object.keys(tools).filter((tool) => tools[tool]?.unusable === undefined);
        const answers = servers[server] ?? {};
        const failed = Object.entries(answers).filter(([, { error }]) => error !== undefined);
        expect(failed, server).toEqual([]);
        const silent = usable.filter((tool) => !Object.hasOwn(answers, tool));
        // These four are found unusable when their schemas are read.
        expect(silent, server).toEqual(
          server === "odd" ? ["ref-file", "ref-http", "ref-loop", "ref-relative"] : [],
        );
      }
    },
    120_000,
  );
});
