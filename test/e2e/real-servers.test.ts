/**
 * The main job on the servers that the MCP project publishes, and on those whose names, texts and schemas attack a generator:
 * pulled, compiled, run by Node, and called. `test/emit/golden-compiles.test.ts` has every supported compiler.
 */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { programOf, startEverything } from "../servers/start-everything.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";
import { compile, linkPackages, NEWEST, runBinary, runNode } from "./user-project.js";

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

const EVERYTHING = {
  sum: "The sum of 2 and 3 is 5.",
  weather: ["number", "string", "number"],
  image: { types: ["text", "image", "text"], mimeType: "image/png", data: "string" },
  links: ["string", "string"],
  embedded: "object",
  annotated: [["text", true], ["image", true]], // prettier-ignore
  // It must run as a task.
  research: "TOOL_EXECUTION_FAILED",
};

it("real and hostile servers are pulled, equal their lock, compile, and return results in Node; no text of them runs", async () => {
  const { dir, configure } = await makeProject();
  await cp(fileURLToPath(new URL("real-app", import.meta.url)), dir, { recursive: true });
  await linkPackages(dir);
  await writeFile(join(dir, "dot.png"), Buffer.from(PNG, "base64"));
  const remote = await startEverything("streamableHttp");
  onTestFinished(() => remote.close());
  const env = { REMOTE_URL: remote.origin };
  const node = (name: Parameters<typeof programOf>[0], ...args: readonly string[]): object => ({
    command: process.execPath,
    args: [programOf(name), ...args],
  });
  await configure({
    servers: {
      everything: node("everything", "stdio"),
      remote: { url: "${REMOTE_URL}/mcp", transport: "http" },
      files: node("filesystem", "."),
      memory: { ...node("memory"), env: { MEMORY_FILE_PATH: join(dir, "memory.jsonl") } },
      names: fixtureCommand("hostile-names"),
      odd: fixtureCommand("odd-schemas"),
    },
  });
  const pulled = await runBinary(dir, ["pull", ...ACCEPTED], env);
  expect(pulled.stdout).toContain("everything new, 13 tools, contract 1.0.0");
  const notes = [...pulled.stdout.matchAll(/^ {2}note: ((?!odd\b|names\b)\S+ \S+) .*\[(\w+)\]$/gmu)].map(
    (note) => note.slice(1),
  );
  expect(notes).toEqual([
    ["everything simulate-research-query", "CALL_UNSUPPORTED"],
    ["remote simulate-research-query", "CALL_UNSUPPORTED"],
  ]);
  expect(pulled.exitCode).toBe(0);
  expect(await readFile(join(dir, "generated/remote/server.ts"), "utf8")).toContain("${REMOTE_URL}/mcp");

  const [checked, compiled] = await Promise.all([
    runBinary(dir, ["check", "--full"], env),
    compile(dir, NEWEST, "out"),
  ]);
  expect(checked.stdout).toMatch(
    /^Up to date: checked 6 servers and \d+ files against the lock, with \d+ accepted findings\.$/m,
  );
  expect(checked.exitCode).toBe(0);
  expect(compiled).toMatchObject({ exitCode: 0, stdout: "" });

  const [main, all] = await Promise.all([
    runNode(dir, ["out/main.js"], env),
    runNode(dir, [CALL_ALL, "out/generated/index.js", "names", "odd"], env),
  ]);
  expect(main.exitCode, main.stderr).toBe(0);
  expect(JSON.parse(main.stdout)).toMatchObject({
    stdio: EVERYTHING,
    http: EVERYTHING,
    files: { note: "Ebb and flow", media: "image/png", outside: "TOOL_EXECUTION_FAILED" },
    memory: {
      created: [{ name: "Moon", entityType: "body", observations: ["pulls"] }],
      found: ["Moon"],
      refused: ["TOOL_INVALID_INPUT", ["entities", 0, "observations"]],
    },
  });
  expect(all.exitCode, all.stderr).toBe(0);
  const called = JSON.parse(all.stdout) as Called;
  expect(called.isPwned).toBe(false);
  const lock = parseLockfile(await readFile(join(dir, LOCKFILE_NAME), "utf8"));
  for (const server of ["names", "odd"]) {
    const tools = lock.servers[server]?.tools ?? {};
    const usable = Object.keys(tools).filter((tool) => tools[tool]?.unusable === undefined);
    const answers = called.servers[server] ?? {};
    expect(
      Object.entries(answers).filter(([, { error }]) => error !== undefined),
      server,
    ).toEqual([]);
    // These four are found unusable when their schemas are read.
    expect(
      usable.filter((tool) => !Object.hasOwn(answers, tool)),
      server,
    ).toEqual(server === "odd" ? ["ref-file", "ref-http", "ref-loop", "ref-relative"] : []);
  }
});
