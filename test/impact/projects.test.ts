/** Checks which code is searched in projects of different forms. */
import { createRequire } from "node:module";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { runBinary, TSCONFIG } from "../e2e/user-project.js";
import { requirePackage } from "../../src/cli/packages.js";
import { type App, callSites, makeApp } from "./make-app.js";

const CALLS = `import { findOrders } from "../generated/shop/index.js";
export const found = () => findOrders({ state: "open", limit: 5 });
`;

const REMOVED = { "input-property-removed": ["src/a.ts:2 passes `limit`, removed [stops-compiling]"] };

describe("a project", () => {
  it("may consist of referenced projects", async () => {
    const composite = (files: string, references: readonly string[] = []): string => {
      const target = { target: "es2023", module: "nodenext", types: [], lib: ["es2023"] };
      return JSON.stringify({
        compilerOptions: { composite: true, outDir: "dist", ...target },
        include: [files, "../generated"],
        references: references.map((path) => ({ path })),
      });
    };
    const app = await makeApp({
      "tsconfig.json": JSON.stringify({ files: [], references: [{ path: "app" }] }),
      "app/tsconfig.json": composite("*.ts", ["../lib"]),
      "app/main.ts":
        'import { found } from "../lib/found.js";\nexport const total = async () => (await found()).total;\n',
      "lib/tsconfig.json": composite("*.ts"),
      "lib/found.ts": CALLS,
    });
    const document = await app.checkImpact("input-property-removed");
    expect(callSites(document)).toEqual({
      "input-property-removed": ["lib/found.ts:2 passes `limit`, removed [stops-compiling]"],
    });
    expect(document["impact"]).toEqual({
      projects: ["tsconfig.json", "app/tsconfig.json", "lib/tsconfig.json"],
      files: 2,
      unused: [],
    });
    expect(callSites(await app.checkImpact("output-property-removed"))).toEqual({
      "output-property-removed": ["app/main.ts:2 reads `total`, removed [stops-compiling]"],
    });
  });

  it("may be named by its folder or its file", async () => {
    const app = await makeApp({
      "web/tsconfig.json": TSCONFIG,
      "web/src/a.ts": CALLS.replace("../", "../../"),
    });
    for (const named of ["web", "web/tsconfig.json"]) {
      const document = await app.checkImpact("input-property-removed", ["--project", named]);
      const sites = ["web/src/a.ts:2 passes `limit`, removed [stops-compiling]"];
      expect(callSites(document)).toEqual({ "input-property-removed": sites });
    }
  });

  it("is compiled against the old generated files, even if they are not on disk, and can be compared with a git ref", async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    await git(app.dir, "init", "--quiet");
    await git(app.dir, "add", "mcp-codegen.lock.json");
    await git(app.dir, "commit", "--quiet", "-m", "lock");
    await rm(join(app.dir, "generated"), { recursive: true });
    expect(callSites(await app.checkImpact("input-property-removed"))).toEqual(REMOVED);
    await app.run("pull", { DRIFT: "input-property-removed" });
    expect(callSites(await app.checkImpact("none", ["--against", "HEAD"]))).toEqual(REMOVED);
  });
});

describe("call sites without --impact", () => {
  const SITE = "src/a.ts:2  passes `limit`, removed";

  const makeCalls = (tsconfig = TSCONFIG): Promise<App> =>
    makeApp({ "tsconfig.json": tsconfig, "package.json": "{}", "src/a.ts": CALLS });
  const DRIFT = { DRIFT: "input-property-removed" };

  it("are found if the project has a tsconfig.json, but not with --no-impact, and have GitHub annotations", async () => {
    const app = await makeCalls();
    const drifted = app.withEnv(DRIFT);
    await drifted.prints("check", 1, SITE);
    expect((await drifted.prints("check --no-impact", 1)).stdout).not.toContain("src/a.ts");
    await drifted.prints("check --format github", 1, /^::error file=src\/a\.ts,line=2,/m);
    const { document } = await app.runJson("check", { DRIFT: "tool-description-changed" });
    expect(document).not.toHaveProperty("impact");
  });

  it("are not searched in a project above the user's package", async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    await app.write("package/package.json", "{}");
    for (const file of ["mcp-codegen.config.json", "mcp-codegen.lock.json"])
      await copyFile(join(app.dir, file), join(app.dir, "package", file));
    const line = "check --config package/mcp-codegen.config.json";
    const { document } = await app.withEnv(DRIFT).reports(line, { exitCode: 1 });
    expect(document).not.toHaveProperty("impact");
  });

  it("do not fail a check if the project cannot be read", async () => {
    const app = (await makeCalls("{ not json")).withEnv(DRIFT);
    const says = "Call sites were not searched: The TypeScript configuration";
    await app.prints("check", 1, says, "[input-property-removed]");
  });

  it("load no compiler without drift", async () => {
    const app = await makeCalls();
    await app.write("node_modules/ts-morph/package.json", '{"main":"index.js"}');
    await app.write("node_modules/ts-morph/index.js", "throw new Error('loaded');");
    expect(await runBinary(app.dir, ["check"])).toMatchObject({ exitCode: 0 });
    const stdout = expect.stringContaining("Call sites were not searched: ") as string;
    expect(await runBinary(app.dir, ["check"], DRIFT)).toMatchObject({ exitCode: 1, stdout });
  });
});

describe("a newly closed input", () => {
  const call = (text: string): string =>
    `import { findOrders } from "../generated/shop/index.js";\n${text}\n`;

  it.each<[string, string, string, readonly string[]]>([
    [
      "breaks a call that passes an undeclared property",
      'const query = { state: "open", note: "x", page: 1 } as const;\nexport const found = () => findOrders(query);',
      "breaking",
      ["src/a.ts:3 passes `note` and `page`, which the input schema does not declare [rejected]"],
    ],
    [
      "may break a call whose type allows more",
      'export const found = (query: { state: "open"; note?: string }) => findOrders(query);',
      "dangerous",
      ["src/a.ts:2 passes `note`, which the input schema does not declare [may-be-rejected]"],
    ],
    [
      "breaks no call that passes declared properties",
      'export const found = () => findOrders({ state: "open", limit: 5 });',
      "dangerous",
      [],
    ],
  ])("%s", async (_what, text, kind, sites) => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": call(text) });
    const rule = "input-additional-properties-closed";
    const document = await app.checkImpact(rule);
    expect(callSites(document)).toEqual({ [rule]: sites });
    expect(document["changes"]).toContainEqual(expect.objectContaining({ rule, class: kind }));
  });
});

describe("an unused changed tool", () => {
  it("is listed as unused", async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    const { impact } = await app.checkImpact("no-tools");
    expect(impact).toMatchObject({ files: 1, unused: [{ server: "shop", tool: "cancel-order" }] });
  });

  it("is not reported if a connection is passed on without its type", async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG });
    const head = 'import { connect } from "../generated/shop/index.js";';
    for (const [text, unused] of [
      [`${head}\nexport const tools = Object.values(connect());\n`, []],
      ['import * as shop from "../generated/shop/index.js";\nexport const pick = (name: "findOrders") => shop[name];\n', []], // prettier-ignore
      [`${head}\nconst use = (shop: ReturnType<typeof connect>) => shop.findOrders;\nvoid use(connect());\n`, [{ tool: "cancel-order" }]], // prettier-ignore
    ] as const) {
      await app.write("src/a.ts", text);
      expect((await app.checkImpact("no-tools"))["impact"]).toMatchObject({ unused });
    }
    // It is every changed tool if no file imports one.
    await app.write("src/a.ts", "export const nothing = 0;\n");
    const { impact } = await app.checkImpact("input-property-removed");
    const unused = [{ server: "shop", tool: "find-orders" }];
    expect(impact).toEqual({ projects: ["tsconfig.json"], files: 0, unused });
  });
});

describe("an unreadable project", () => {
  it("is reported before any server is contacted", async () => {
    const app = await makeApp({ "src/a.ts": CALLS });
    const none = await app
      .withEnv({ DRIFT: "no such drift" })
      .refuses("check --impact", "There is no tsconfig.json in the output folder or above it.");
    expect(none.stdout).toBe("");
    await app.refuses("check --impact --project elsewhere", "elsewhere");
    for (const line of ["check --project src", "check --no-impact --project src", "check --impact --offline"])
      await app.refuses(line);
    await app.write("tsconfig.json", "{ not json");
    await app.withEnv({ DRIFT: "tool-removed" }).refuses("check --impact", "cannot be read");
  });

  it("does not hide drift if new names collide", async () => {
    const tools = { rename: { "refund-order": "findOrders" } };
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS }, { tools });
    const drifted = app.withEnv({ DRIFT: "tool-added" });
    const parts = { exitCode: 1, changes: [{ rule: "tool-added" }] };
    const { document } = await drifted.reports("check --impact", parts);
    expect(JSON.stringify(document["impact"])).toContain("become findOrders");
  });

  it("uses the ts-morph of the user's project if it has one", async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    const real = createRequire(import.meta.url).resolve("ts-morph");
    await app.write("node_modules/ts-morph/package.json", '{"main":"index.js"}');
    const text = `process.stderr.write("theirs\\n"); module.exports = require(${JSON.stringify(real)});`;
    await app.write("node_modules/ts-morph/index.js", text);
    const { exitCode, stderr } = await runBinary(app.dir, ["check", "--impact"], { DRIFT: "tool-removed" });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("theirs")]);
  });

  it("is reported if the compiler is missing", () => {
    expect(() => {
      // The real one is installed here.
      requirePackage("no-such-package" as "ts-morph", "--impact", import.meta.dirname);
    }).toThrow(
      expect.objectContaining({
        code: "DEPENDENCY_MISSING",
        message: '--impact needs the package "no-such-package", which is not installed.',
      }),
    );
  });
});
