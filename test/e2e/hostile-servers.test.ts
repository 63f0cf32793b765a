/** Names, texts and schemas that attack a generator: pulled, compiled, run by Node, and called. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCKFILE_NAME, type Lockfile } from "../../src/core/lockfile.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { COMPILERS, compile, linkPackages, runBinary, runNode } from "./user-project.js";

const callAll = fileURLToPath(new URL("call-all.js", import.meta.url));

/** Findings in the texts of these servers, accepted so that code is generated. */
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

describe("hostile servers", () => {
  let dir: string;
  let lock: Lockfile;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "mcp-codegen-hostile-"));
    const servers = { names: fixtureCommand("hostile-names"), odd: fixtureCommand("odd-schemas") };
    await writeFile(join(dir, "mcp-codegen.config.json"), JSON.stringify({ servers }));
    await linkPackages(dir);
    const tsconfig = fileURLToPath(new URL("real-app/tsconfig.json", import.meta.url));
    await cp(tsconfig, join(dir, "tsconfig.json"));
    const held = await runBinary(dir, ["pull"]);
    expect(held.exitCode, held.stderr).toBe(1);
    const pulled = await runBinary(dir, ["pull", ...ACCEPTED]);
    expect(pulled.exitCode, pulled.stderr).toBe(0);
    lock = parseLockfile(await readFile(join(dir, LOCKFILE_NAME), "utf8"));
  }, 120_000);

  afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

  it("equal their lock", async () => {
    expect((await runBinary(dir, ["check", "--full"])).exitCode).toBe(0);
  });

  it.each(COMPILERS)(
    "generate code that compiles under TypeScript %s, runs none of their texts, and calls their tools",
    async (version, compiler) => {
      const out = `out-${version}`;
      expect(await compile(dir, compiler, out)).toMatchObject({ exitCode: 0, stdout: "" });

      const { exitCode, stdout, stderr } = await runNode(dir, [callAll, `${out}/generated/index.js`]);
      expect(exitCode, stderr).toBe(0);
      const { isPwned, servers } = JSON.parse(stdout) as Called;
      expect(isPwned).toBe(false);
      for (const [server, { tools }] of Object.entries(lock.servers)) {
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
    240_000,
  );
});
