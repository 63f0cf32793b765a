import { rm } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled } from "./make-project.js";

/** A server whose contract depends on a variable, as in `DRIFT=tool-added`. */
const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

/** An unreachable server. */
const away = { url: "http://127.0.0.1:9/mcp", timeouts: { connect: 2_000 } };

describe("the main job", () => {
  it("goes from the server to the lock to the code, and detects when they differ", async () => {
    const project = await makeProject({
      servers: { shop: { ...shop, categories: { "find-*": "reading" } } },
    });
    await project.reports("generate", { report: "error", exitCode: 2, error: { code: "LOCK_NOT_FOUND" } });

    const news = ["shop new, 2 tools, contract 1.0.0", "+ cancel-order", "npm install mcp-codegen zod"];
    await project.prints("pull", 0, ...news);
    const written = await project.files();
    const modules = ["cancel-order", "find-orders", "index"].map((name) => `generated/shop/${name}.ts`);
    expect(Object.keys(written)).toEqual(expect.arrayContaining([LOCKFILE_NAME, ...modules]));
    await project.prints("list", 0, "  reading\n    find-orders(state, limit?) reads, 73 tokens");

    await project.prints("generate", 0);
    expect(await project.files()).toEqual(written);
    await project.prints("check", 0, "Up to date");

    const drifted = project.withEnv({ DRIFT: "input-bound-tightened" });
    await drifted.prints(
      "check",
      1,
      "breaking  ~ cancel-order  input.reason maxLength: 200 → 20 [input-bound-tightened]",
      "\n  take it       npx mcp-codegen pull shop\n",
    );
    expect(await project.files()).toEqual(written);

    await drifted.prints("pull shop", 0, "contract 1.0.0 → 2.0.0");
    await drifted.prints("check", 0);
  });

  // `test/pipeline/find-over-budget.test.ts` has what is counted.
  it("fails if a server exceeds its budget of tokens, whatever else fails", async () => {
    const project = await makePulled({ servers: { shop } });
    // An old lock without counts is neither drift nor an error.
    const lock = await project.read(LOCKFILE_NAME);
    const uncounted = lock.replace(/ *"(?:tokens|tokenizer)": .*\n/gu, "");
    await project.write(LOCKFILE_NAME, uncounted);
    for (const line of ["pull --frozen", "check", "pull"]) await project.prints(line, 0);
    expect(await project.read(LOCKFILE_NAME)).toBe(lock);

    await project.configure({ servers: { shop: { ...shop, check: { tokenBudget: 130 } } } });
    await project.prints("check", 0);
    const facts = { of: "server", budget: 130, isEstimate: false, largest: [{}, {}, {}] };
    const over = { exitCode: 1, budget: [{ server: "shop", facts }] };
    await project.withEnv({ DRIFT: "tool-added" }).reports("check --fail-on never", over);
    await project.configure({ check: { tokenBudget: 100 }, servers: { shop } });
    const says = "check.tokenBudget is 100. Largest: find-orders 73, cancel-order 51.";
    await project.prints("check --offline", 1, `The locked tools cost 124 tokens, and ${says}`);
    await project.write(LOCKFILE_NAME, uncounted);
    await project.prints("check --offline", 1, "The locked tools cost about ");
  });

  it("reads a configuration in another folder, with paths relative to it", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.writeJson("sub/other.json", { output: "code", servers: { shop } });
    await project.prints("pull --config sub/other.json", 0);
    const paths = await project.paths();
    expect(paths).toEqual(expect.arrayContaining(["sub/code/shop/index.ts", `sub/${LOCKFILE_NAME}`]));
    expect(paths).not.toContain(LOCKFILE_NAME);
  });
});

it("a server that could not be checked does not hide drift, and never exits 0 unless offline", async () => {
  const project = await makePulled({ servers: { shop, files: shop } });
  await project.configure({ servers: { shop, files: away } });
  const drifted = project.withEnv({ DRIFT: "tool-added" });
  await drifted.reports("check", { exitCode: 1, unverified: [{ server: "files" }] });
  const changes = [{ rule: "tool-added", fails: false }];
  await drifted.reports("check --fail-on never", { exitCode: 3, changes });
  await project.reports("check --offline", { unverified: [], changes: [] });
});

it("the threshold is that of the command line, then of the server, then of all servers", async () => {
  const project = await makePulled({
    check: { failOn: "any" },
    servers: { shop: { ...shop, check: { failOn: "breaking" } } },
  });
  for (const [drift, line, exitCode] of [
    ["tool-added", "check", 0],
    ["tool-removed", "check", 1],
    ["tool-added", "check --fail-on any", 1],
    ["input-bound-tightened", "check --fail-on never", 0],
    ["version-changed", "check --fail-on any", 0],
  ] as const)
    await project.withEnv({ DRIFT: drift }).prints(line, exitCode);
});

it("a pull writes nothing in a dry run, and nothing when frozen, which it is in CI", async () => {
  const project = await makeProject({ servers: { shop } });
  const before = await project.files();
  const isNew = ["shop new, 2 tools", "To accept: npx mcp-codegen pull"];
  await project.prints("pull --dry-run", 0, ...isNew);
  await project.prints("pull --frozen", 1);
  const inCi = project.withEnv({ CI: "true" });
  await inCi.prints("pull", 1);
  expect(await project.files()).toEqual(before);
  await inCi.prints("pull --no-frozen", 0);
  const pulled = await project.files();
  expect(pulled).toHaveProperty([LOCKFILE_NAME]);
  await inCi.prints("pull", 0);
  // A new version of the server is reported without a finding.
  const newer = project.withEnv({ DRIFT: "version-changed" });
  const isNewer = "shop 1.0.0 → 1.0.1 · 1 safe · contract 1.0.0\n";
  await newer.prints("pull --frozen", 0, isNewer, "To accept: npx mcp-codegen pull");
  expect(await project.files()).toEqual(pulled);
  await newer.prints("pull", 0, isNewer);
  await newer.prints("pull --frozen", 0, "shop unchanged");
});

// `test/files/write-files.test.ts` and `output-folder.test.ts` have what is written and removed.
describe("an obstacle", () => {
  const PATH = "generated/shop/find-orders.ts";
  const EDITED = [{ rule: "generated-file-edited", file: "shop/find-orders.ts" }];

  it("distinguishes a hand edit, which only --force overwrites, from missing and old files", async () => {
    const project = await makePulled({ servers: { shop } });
    const before = await project.files();
    const mine = (before[PATH] ?? "").replace("Finds orders", "Finds my orders");
    await project.write(PATH, mine);
    await project.reports("check --offline", {
      exitCode: 1,
      files: EDITED,
      repairs: ["npx mcp-codegen generate --force"],
      checked: { files: 6 },
    });
    await project.withEnv({ DRIFT: "tool-description-changed" }).refuses("pull", "find-orders.ts");
    // All other files are written.
    await rm(join(project.dir, "generated/shop/schemas.ts"));
    const says = '"shop/find-orders.ts" in the output folder: edited by hand. The other files are up to date';
    const hint = 'Undo the edits, or lose them with "npx mcp-codegen generate --force".';
    const error = { code: "FILE_EDITED", message: `${says} (1 written).`, hint };
    await project.reports("generate", { error });
    expect(await project.files()).toEqual({ ...before, [PATH]: mine });
    await project.refuses("generate", "The other files are up to date.");

    await project.prints("generate --force", 0);
    expect(await project.files()).toEqual(before);

    const states = async (): Promise<unknown> => {
      const { document } = await project.runJson("check --offline");
      const files = document["files"] as readonly { file: string; facts: { state: string } }[];
      return [document["exitCode"], Object.fromEntries(files.map(({ file, facts }) => [file, facts.state]))];
    };
    await rm(join(project.dir, "generated/shop/index.ts"));
    expect(await states()).toEqual([1, { "shop/index.ts": "missing" }]);
    const config = { servers: { shop: { ...shop, tools: { rename: { "find-orders": "searchOrders" } } } } };
    await project.configure(config);
    expect(await states()).toMatchObject([
      1,
      { "shop/find-orders.ts": "orphaned", "shop/search-orders.ts": "missing", "shop/index.ts": "missing" },
    ]);
    await project.prints("generate", 0);
    expect(await states()).toEqual([0, {}]);
  });

  it("accepts files that a formatter changed", async () => {
    const project = await makePulled({ servers: { shop } });
    const original = await project.read(PATH);
    const printed = await format(original, { parser: "typescript", semi: false, singleQuote: true });
    expect(printed).not.toBe(original);
    await project.write(PATH, printed);
    for (const line of ["check --offline", "check --full", "generate"]) await project.prints(line, 0);
    // A change of the server needs no --force.
    const other = "generated/shop/cancel-order.ts";
    const semi = { parser: "typescript", semi: false } as const;
    await project.write(other, await format(await project.read(other), semi));
    await project.withEnv({ DRIFT: "tool-description-changed" }).prints("pull", 0);
    await project.prints("check --offline", 0);
    expect(await project.read(PATH)).toBe(printed);

    await project.write(PATH, printed.replace("Finds", "Loses"));
    await project.reports("check --offline", { exitCode: 1, files: EDITED });
  });

  it.each(["shop/find-orders.ts", "shop"])(
    "is reported equally by check and generate for a user's file at %s",
    async (path) => {
      const project = await makePulled({ servers: { shop } });
      await rm(join(project.dir, "generated", path), { recursive: true });
      await project.write(`generated/${path}`, "export const mine = true;\n");
      const hint = "Move or delete what is there, or choose another output folder.";
      const [message, facts] = ["Not generated, and in the way.", { state: "in-the-way" }];
      const files = [{ rule: "generated-file-stale", file: path, message, hint, facts }];
      const { stderr } = await project.reports("check --offline", { exitCode: 1, files });
      expect(stderr).toContain(`Not generated, and in the way:\n  ${path}\n    hint: ${hint}\n`);
      expect(stderr).toContain(": 1 file in the way.");
      const says = `"${path}" in the output folder: not generated, and in the way.`;
      await project.refuses("generate --force", says, hint);
    },
  );

  it("of two tools with one name, or of merge markers in the lock, exits 2 and writes nothing", async () => {
    const project = await makeProject({ servers: { crowd: fixtureCommand("colliding-names") } });
    const before = await project.files();
    await project.refuses("pull", /^error: .+/m, "servers.crowd.tools.rename");
    expect(await project.files()).toEqual(before);
    await project.write(LOCKFILE_NAME, "<<<<<<< ours\n{\n=======\n{\n>>>>>>> theirs\n");
    const conflicted = await project.files();
    for (const command of ["generate", "check", "pull", "list"])
      await project.reports(command, { exitCode: 2, error: { code: "LOCK_CONFLICTED" } });
    expect(await project.files()).toEqual(conflicted);
  });

  it("is fixed as the hint says: a lock that was edited by hand is deleted and pulled again", async () => {
    const project = await makePulled({ servers: { shop } });
    const lock = await project.read(LOCKFILE_NAME);
    await project.write(LOCKFILE_NAME, lock.replace("Cancels one order", "Cancels every order"));
    await project.refuses("pull", 'delete it and run "npx mcp-codegen pull"');
    await rm(join(project.dir, LOCKFILE_NAME));
    await project.prints("pull", 0);
    expect(await project.read(LOCKFILE_NAME)).toBe(lock);
  });
});
