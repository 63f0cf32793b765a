import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject } from "./make-project.js";

/** A server whose contract depends on a variable, as in `DRIFT=tool-added`. */
const shop = { ...fixtureCommand("drifted"), env: { DRIFT: "${DRIFT:-none}" } };

/** An unreachable server. */
const away = { url: "http://127.0.0.1:9/mcp", timeouts: { connect: 2_000 } };

describe("the main job", () => {
  it("goes from the server to the lock to the code, and detects when they differ", async () => {
    const project = await makeProject({ servers: { shop } });

    const first = await project.run(["pull"]);
    expect(first).toMatchObject({ exitCode: 0 });
    expect(first.stdout).toContain("shop new, 2 tools, contract 1.0.0");
    expect(first.stdout).toContain("+ cancel-order");
    expect(first.stdout).toContain("npm install mcp-codegen zod");
    const written = await project.files();
    expect(Object.keys(written)).toEqual(
      expect.arrayContaining([
        LOCKFILE_NAME,
        "generated/shop/cancel-order.ts",
        "generated/shop/find-orders.ts",
        "generated/shop/index.ts",
      ]),
    );

    expect(await project.run(["generate"])).toMatchObject({ exitCode: 0 });
    expect(await project.files()).toEqual(written);
    const green = await project.run(["check"]);
    expect(green).toMatchObject({ exitCode: 0 });
    expect(green.stdout).toContain("Up to date");

    const drifted = { DRIFT: "input-bound-tightened" };
    const red = await project.run(["check"], drifted);
    expect(red.exitCode).toBe(1);
    expect(red.stdout).toContain(
      "breaking  ~ cancel-order  input.reason maxLength: 200 → 20 [input-bound-tightened]",
    );
    expect(red.stdout).toContain("\n  take it       npx mcp-codegen pull shop\n");
    expect(await project.files()).toEqual(written);

    const accepted = await project.run(["pull", "shop"], drifted);
    expect(accepted).toMatchObject({ exitCode: 0 });
    expect(accepted.stdout).toContain("contract 1.0.0 → 2.0.0");
    expect(await project.run(["check"], drifted)).toMatchObject({ exitCode: 0 });
  });

  it("prints one valid document for every command", async () => {
    const project = await makeProject({ servers: { shop } });
    const pulled = await project.runJson(["pull"]);
    expect(pulled.document).toMatchObject({ report: "pull", exitCode: 0, wrote: true, unverified: [] });
    expect(pulled.stderr).toContain("shop new, 2 tools");
    expect((await project.runJson(["generate"])).document).toMatchObject({ written: [], removed: [] });
    expect((await project.runJson(["check"])).document).toMatchObject({
      rows: [],
      repairs: [],
    });
    const red = await project.runJson(["check"], { DRIFT: "tool-removed" });
    expect(red.exitCode).toBe(1);
    expect(red.document).toMatchObject({
      changes: [
        { rule: "tool-removed", tool: "cancel-order", fails: true },
        { rule: "server-version-kept", fails: true },
      ],
      repairs: ["npx mcp-codegen pull shop"],
    });
    expect((await project.runJson(["list"])).document).toMatchObject({
      servers: [{ server: "shop", tools: 2 }],
    });
    const missing = await makeProject({ servers: { shop } });
    expect((await missing.runJson(["generate"])).document).toMatchObject({
      report: "error",
      exitCode: 2,
      error: { code: "LOCK_NOT_FOUND" },
    });
  });

  it("does not report a change without a meaning", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    const lock = await project.read(LOCKFILE_NAME);
    expect(await project.run(["check"], { DRIFT: "reordered" })).toMatchObject({ exitCode: 0 });
    expect(await project.run(["pull"], { DRIFT: "reordered" })).toMatchObject({ exitCode: 0 });
    expect(await project.read(LOCKFILE_NAME)).toBe(lock);
  });

  it("lists the locked tools offline", async () => {
    const project = await makeProject({
      servers: { shop: { ...shop, categories: { "find-*": "reading" } } },
    });
    await project.run(["pull"]);
    const { stdout } = await project.run(["list"]);
    expect(stdout).toContain("  reading\n    find-orders(state, limit?) reads, 73 tokens");
    expect(await project.run(["list", "shap"])).toMatchObject({ exitCode: 2 });
  });

  it("locks the tokens of tools, and fails if a server exceeds its budget", async () => {
    const project = await makeProject({ servers: { shop } });
    // An old lock without counts is neither drift nor an error.
    await project.run(["pull"]);
    const lock = await project.read(LOCKFILE_NAME);
    await project.write(LOCKFILE_NAME, lock.replace(/ *"(?:tokens|tokenizer)": .*\n/gu, ""));
    expect(await project.run(["pull", "--frozen"])).toMatchObject({ exitCode: 0 });
    expect(await project.run(["check"])).toMatchObject({ exitCode: 0 });
    expect((await project.run(["list"])).stdout).toContain("find-orders(state, limit?) reads, ≈ ");
    await project.run(["pull"]);
    expect(await project.read(LOCKFILE_NAME)).toBe(lock);

    const { stdout } = await project.run(["list", "--tokens"]);
    expect(stdout).toContain(
      "shop contract 1.0.0, 2 tools, 124 tokens\n  commerce (guessed from the names) 2 tools, 124 tokens\n    find-orders 73",
    );
    await project.write(
      "mcp-codegen.config.json",
      JSON.stringify({ servers: { shop: { ...shop, check: { tokenBudget: 130 } } } }),
    );
    expect(await project.run(["check"])).toMatchObject({ exitCode: 0 });
    const added = await project.runJson(["check", "--fail-on", "never"], { DRIFT: "tool-added" });
    expect(added).toMatchObject({ exitCode: 1 });
    expect(added.document).toMatchObject({
      budget: [
        { server: "shop", facts: { of: "server", budget: 130, isEstimate: false, largest: [{}, {}, {}] } },
      ],
    });

    await project.write(
      "mcp-codegen.config.json",
      JSON.stringify({ check: { tokenBudget: 100 }, servers: { shop } }),
    );
    const offline = await project.run(["check", "--offline"]);
    expect(offline.exitCode).toBe(1);
    expect(offline.stdout).toContain(
      "The locked tools cost 124 tokens, and check.tokenBudget is 100. Largest: find-orders 73, cancel-order 51.",
    );
    await project.write(LOCKFILE_NAME, lock.replace(/ *"(?:tokens|tokenizer)": .*\n/gu, ""));
    expect((await project.run(["check", "--offline"])).stdout).toContain("The locked tools cost about ");
  });

  it("reads a configuration in another folder, with paths relative to it", async () => {
    const project = await makeProject({ servers: { shop } });
    await mkdir(join(project.dir, "sub"));
    await project.write("sub/other.json", JSON.stringify({ output: "code", servers: { shop } }));
    expect(await project.run(["pull", "--config", "sub/other.json"])).toMatchObject({ exitCode: 0 });
    const paths = await project.paths();
    expect(paths).toContain("sub/code/shop/index.ts");
    expect(paths).toContain(`sub/${LOCKFILE_NAME}`);
    expect(paths).not.toContain(LOCKFILE_NAME);
  });
});

describe("a server that could not be checked", () => {
  it("keeps its block and files, does not block others, and exits 3", async () => {
    const project = await makeProject({ servers: { shop, files: shop } });
    await project.run(["pull"]);
    const before = await project.files();
    await project.write("mcp-codegen.config.json", JSON.stringify({ servers: { shop, files: away } }));
    const pulled = await project.run(["pull"], { DRIFT: "tool-added" });
    expect(pulled.exitCode).toBe(3);
    expect(pulled.stdout).toContain("Not verified:\n  files:");
    const after = await project.files();
    expect(after["generated/shop/refund-order.ts"]).toBeDefined();
    expect(after["generated/files/find-orders.ts"]).toBe(before["generated/files/find-orders.ts"]);
    expect(after[LOCKFILE_NAME]).toContain('"files"');
  });

  it("does not hide drift, and never exits 0", async () => {
    const project = await makeProject({ servers: { shop, files: shop } });
    await project.run(["pull"]);
    await project.write("mcp-codegen.config.json", JSON.stringify({ servers: { shop, files: away } }));
    const { document } = await project.runJson(["check"], { DRIFT: "tool-added" });
    expect(document).toMatchObject({ exitCode: 1, unverified: [{ server: "files" }] });
    const quiet = await project.runJson(["check", "--fail-on", "never"], { DRIFT: "tool-added" });
    expect(quiet.document).toMatchObject({ exitCode: 3, changes: [{ rule: "tool-added", fails: false }] });
  });

  it("does not affect an offline check of the files", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    await project.write("mcp-codegen.config.json", JSON.stringify({ servers: { shop: away } }));
    const { document } = await project.runJson(["check", "--offline"]);
    expect(document).toMatchObject({ unverified: [], changes: [] });
  });
});

describe("the threshold", () => {
  it.each([
    ["tool-added", "any", 1],
    ["tool-added", "breaking", 0],
    ["input-bound-tightened", "breaking", 1],
    ["input-bound-tightened", "never", 0],
    ["version-changed", "any", 0],
  ])("%s with --fail-on %s exits %i", async (drift, failOn, exitCode) => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    expect(await project.run(["check", "--fail-on", failOn], { DRIFT: drift })).toMatchObject({ exitCode });
  });

  it("is read from the configuration, first from the server", async () => {
    const project = await makeProject({
      check: { failOn: "any" },
      servers: { shop: { ...shop, check: { failOn: "breaking" } } },
    });
    await project.run(["pull"]);
    expect(await project.run(["check"], { DRIFT: "tool-added" })).toMatchObject({ exitCode: 0 });
    expect(await project.run(["check"], { DRIFT: "tool-removed" })).toMatchObject({ exitCode: 1 });
  });
});

describe("holding back", () => {
  it("writes nothing with --dry-run, and exits 0", async () => {
    const project = await makeProject({ servers: { shop } });
    const before = await project.files();
    const { exitCode, stdout } = await project.run(["pull", "--dry-run"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("shop new, 2 tools");
    expect(stdout).toContain("To accept: npx mcp-codegen pull");
    expect(await project.files()).toEqual(before);
  });

  it.each([
    ["with --frozen", ["--frozen"], {}],
    ["in CI", [], { CI: "true" }],
  ])("exits 1 and writes nothing %s if something would change", async (_, flags, env) => {
    const project = await makeProject({ servers: { shop } });
    const before = await project.files();
    expect(await project.run(["pull", ...flags], env)).toMatchObject({ exitCode: 1 });
    expect(await project.files()).toEqual(before);
    await project.run(["pull"]);
    expect(await project.run(["pull", ...flags], env)).toMatchObject({ exitCode: 0 });
  });

  it("reports a server's new version with --frozen, without a finding", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    const before = await project.files();
    const newer = { DRIFT: "version-changed" };
    const frozen = await project.run(["pull", "--frozen"], newer);
    expect(frozen.exitCode).toBe(0);
    expect(frozen.stdout).toContain("shop 1.0.0 → 1.0.1 · 1 safe · contract 1.0.0\n");
    expect(frozen.stdout).toContain("To accept: npx mcp-codegen pull");
    expect(await project.files()).toEqual(before);
    expect((await project.run(["pull"], newer)).stdout).toContain(
      "shop 1.0.0 → 1.0.1 · 1 safe · contract 1.0.0",
    );
    expect((await project.run(["pull", "--frozen"], newer)).stdout).toContain("shop unchanged");
  });

  it("writes in CI with --no-frozen", async () => {
    const project = await makeProject({ servers: { shop } });
    expect(await project.run(["pull", "--no-frozen"], { CI: "true" })).toMatchObject({ exitCode: 0 });
    expect(await project.files()).toHaveProperty([LOCKFILE_NAME]);
  });
});

describe("an obstacle", () => {
  it("exits 2 and writes nothing if two tools get the same name", async () => {
    const project = await makeProject({ servers: { crowd: fixtureCommand("colliding-names") } });
    const before = await project.files();
    const { exitCode, stderr } = await project.run(["pull"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: .+/m);
    expect(stderr).toContain("servers.crowd.tools.rename");
    expect(await project.files()).toEqual(before);
  });

  it("distinguishes a hand edit from old output, and overwrites it only on request", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    const path = "generated/shop/find-orders.ts";
    const original = await project.read(path);
    await project.write(path, original.replace("Finds orders", "Finds my orders"));

    const checked = await project.runJson(["check", "--offline"]);
    expect(checked.document).toMatchObject({
      exitCode: 1,
      files: [{ rule: "generated-file-edited", file: "shop/find-orders.ts" }],
      repairs: ["npx mcp-codegen generate --force"],
      checked: { files: 6 },
    });
    expect(await project.run(["pull"], { DRIFT: "tool-description-changed" })).toMatchObject({ exitCode: 2 });
    const generated = await project.run(["generate"]);
    expect(generated.exitCode).toBe(2);
    expect(generated.stderr).toContain("find-orders.ts");
    expect(await project.read(path)).toContain("Finds my orders");

    expect(await project.run(["generate", "--force"])).toMatchObject({ exitCode: 0 });
    expect(await project.read(path)).toBe(original);
    expect(await project.run(["check", "--offline"])).toMatchObject({ exitCode: 0 });
  });

  it("generate writes all other files and keeps the edited one", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    const before = await project.files();
    const edited = "generated/shop/find-orders.ts";
    const mine = (before[edited] ?? "").replace("Finds orders", "Finds my orders");
    await project.write(edited, mine);
    await rm(join(project.dir, "generated/shop/schemas.ts"));
    const { document, exitCode } = await project.runJson(["generate"]);
    expect(exitCode).toBe(2);
    expect(document).toMatchObject({
      error: {
        code: "FILE_EDITED",
        message:
          '"shop/find-orders.ts" in the output folder: edited by hand. The other files are up to date (1 written).',
        hint: 'Undo the edits, or lose them with "npx mcp-codegen generate --force".',
      },
    });
    expect(await project.files()).toEqual({ ...before, [edited]: mine });
    expect((await project.run(["generate"])).stderr).toContain("The other files are up to date.");
    expect((await project.runJson(["check", "--offline"])).document).toMatchObject({
      exitCode: 1,
      files: [{ rule: "generated-file-edited", file: "shop/find-orders.ts" }],
    });
  });

  it("accepts files that a formatter changed", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    const path = "generated/shop/find-orders.ts";
    const original = await project.read(path);
    const printed = await format(original, { parser: "typescript", semi: false, singleQuote: true });
    expect(printed).not.toBe(original);
    await project.write(path, printed);

    for (const command of [["check", "--offline"], ["check", "--full"], ["generate"]]) {
      expect(await project.run(command), command.join(" ")).toMatchObject({ exitCode: 0 });
      expect(await project.read(path)).toBe(printed);
    }
    // A change of the server needs no --force.
    await project.write(
      "generated/shop/cancel-order.ts",
      await format(await project.read("generated/shop/cancel-order.ts"), {
        parser: "typescript",
        semi: false,
      }),
    );
    expect(await project.run(["pull"], { DRIFT: "tool-description-changed" })).toMatchObject({ exitCode: 0 });
    expect(await project.run(["check", "--offline"])).toMatchObject({ exitCode: 0 });
    expect(await project.read(path)).toBe(printed);

    await project.write(path, printed.replace("Finds", "Loses"));
    expect((await project.runJson(["check", "--offline"])).document).toMatchObject({
      exitCode: 1,
      files: [{ rule: "generated-file-edited", file: "shop/find-orders.ts" }],
    });
  });

  it.each(["shop/index.ts", "shop/find-orders.ts"])(
    "is reported equally by check and generate for a user's file at %s",
    async (path) => {
      const project = await makeProject({ servers: { shop } });
      await project.run(["pull"]);
      await project.write(`generated/${path}`, "export const mine = true;\n");
      const hint = "Move or delete what is there, or choose another output folder.";
      const { document, exitCode } = await project.runJson(["check", "--offline"]);
      expect(exitCode).toBe(1);
      const facts = { state: "in-the-way" };
      expect(document["files"]).toEqual([
        { rule: "generated-file-stale", file: path, message: "Not generated, and in the way.", hint, facts },
      ]);
      const { stdout } = await project.run(["check", "--offline"]);
      expect(stdout).toContain(`Not generated, and in the way:\n  ${path}\n    hint: ${hint}\n`);
      expect(stdout).toContain(": 1 file in the way.");
      const generated = await project.run(["generate", "--force"]);
      expect(generated.exitCode).toBe(2);
      expect(generated.stderr).toContain(`"${path}" in the output folder: not generated, and in the way.`);
      expect(generated.stderr).toContain(hint);
    },
  );

  it("names a file in the place of a server's folder once", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    await rm(join(project.dir, "generated/shop"), { recursive: true });
    await project.write("generated/shop", "");
    const { document } = await project.runJson(["check", "--offline"]);
    expect(document["files"]).toMatchObject([{ file: "shop", facts: { state: "in-the-way" } }]);
    const { stderr } = await project.run(["generate"]);
    expect(stderr).toContain('"shop" in the output folder: not generated, and in the way.');
  });

  it.each(["server", "index"])("finds that %s.ts alone is missing, and keeps edited files", async (name) => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    await rm(join(project.dir, `generated/shop/${name}.ts`));
    const missing = await project.runJson(["check", "--offline"]);
    expect(missing.document["files"]).toMatchObject([
      { file: `shop/${name}.ts`, facts: { state: "missing" } },
    ]);
    const path = "generated/shop/find-orders.ts";
    const text = `${await project.read(path)}// mine\n`;
    await project.write(path, text);
    expect((await project.run(["generate"])).exitCode).toBe(2);
    expect(await project.read(path)).toBe(text);
  });

  it("finds missing files, and files of removed tools", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    const config = { servers: { shop: { ...shop, tools: { rename: { "find-orders": "searchOrders" } } } } };
    await project.write("mcp-codegen.config.json", JSON.stringify(config));
    const { document, exitCode } = await project.runJson(["check", "--offline"]);
    expect(exitCode).toBe(1);
    expect(document["files"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ file: "shop/find-orders.ts", facts: { state: "orphaned" } }),
        expect.objectContaining({ file: "shop/search-orders.ts", facts: { state: "missing" } }),
        expect.objectContaining({ file: "shop/index.ts", facts: { state: "stale" } }),
      ]),
    );
    expect(document["repairs"]).toEqual(["npx mcp-codegen generate"]);
    expect(await project.run(["generate"])).toMatchObject({ exitCode: 0 });
    expect(await project.run(["check", "--offline"])).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ["a corrupt lock", "{", "LOCK_INVALID"],
    ["a lock with merge markers", "<<<<<<< ours\n{\n=======\n{\n>>>>>>> theirs\n", "LOCK_CONFLICTED"],
    ["a lock of a later version", '{ "lockfileVersion": 99, "servers": {} }', "LOCK_NEWER"],
  ])("exits 2 for %s and leaves it as it was", async (_, text, code) => {
    const project = await makeProject({ servers: { shop } });
    await project.write(LOCKFILE_NAME, text);
    const before = await project.files();
    for (const command of ["generate", "check", "pull", "list"]) {
      const { document } = await project.runJson([command]);
      expect(document).toMatchObject({ exitCode: 2, error: { code } });
    }
    expect(await project.files()).toEqual(before);
  });

  it("is fixed as the hint says: a lock that was edited by hand is deleted and pulled again", async () => {
    const project = await makeProject({ servers: { shop } });
    await project.run(["pull"]);
    const lock = await project.read(LOCKFILE_NAME);
    await project.write(LOCKFILE_NAME, lock.replace("Cancels one order", "Cancels every order"));
    const refused = await project.run(["pull"]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('delete it and run "npx mcp-codegen pull"');
    await rm(join(project.dir, LOCKFILE_NAME));
    expect(await project.run(["pull"])).toMatchObject({ exitCode: 0 });
    expect(await project.read(LOCKFILE_NAME)).toBe(lock);
  });

  it("names the variable and the key when a variable is missing", async () => {
    const project = await makeProject({ servers: { shop: { url: "${SHOP_URL}/mcp" } } });
    const { exitCode, stderr } = await project.run(["pull"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("SHOP_URL");
    expect(stderr).toContain("servers.shop.url");
  });
});
