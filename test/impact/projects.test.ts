import { createRequire } from "node:module";
/** Checks which code is searched in projects of different forms. */
import { execFileSync } from "node:child_process";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runBinary } from "../e2e/user-project.js";
import { requirePackage } from "../../src/cli/packages.js";
import { callSites, makeApp } from "./make-app.js";

const SLOW = { timeout: 120_000 };

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    types: [],
    lib: ["es2023"],
    skipLibCheck: true,
  },
  include: ["src"],
});

const CALLS = `import { findOrders } from "../generated/shop/index.js";
export const found = () => findOrders({ state: "open", limit: 5 });
`;

const REMOVED = { "input-property-removed": ["src/a.ts:2 passes `limit`, removed [stops-compiling]"] };

describe("a project", () => {
  it("may consist of referenced projects", SLOW, async () => {
    const composite = (files: string, references: readonly string[] = []): string =>
      JSON.stringify({
        compilerOptions: {
          composite: true,
          outDir: "dist",
          target: "es2023",
          module: "nodenext",
          types: [],
          lib: ["es2023"],
        },
        include: [files, "../generated"],
        references: references.map((path) => ({ path })),
      });
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

  it("may be named by its folder or its file", SLOW, async () => {
    const app = await makeApp({
      "web/tsconfig.json": TSCONFIG,
      "web/src/a.ts": CALLS.replace("../", "../../"),
    });
    for (const named of ["web", "web/tsconfig.json"]) {
      const document = await app.checkImpact("input-property-removed", ["--project", named]);
      expect(callSites(document)).toEqual({
        "input-property-removed": ["web/src/a.ts:2 passes `limit`, removed [stops-compiling]"],
      });
    }
  });

  it("is compiled against the old generated files, even if they are not on disk", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    await rm(join(app.dir, "generated"), { recursive: true });
    expect(callSites(await app.checkImpact("input-property-removed"))).toEqual(REMOVED);
  });

  it("can be compared with a git ref", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    const git = (...args: readonly string[]): void => {
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: app.dir,
        stdio: "ignore",
      });
    };
    git("init");
    git("add", "mcp-codegen.lock.json");
    git("commit", "-m", "lock");
    await app.run(["pull"], { DRIFT: "input-property-removed" });
    const document = await app.checkImpact("none", ["--against", "HEAD"]);
    expect(callSites(document)).toEqual(REMOVED);
  });
});

describe("call sites without --impact", () => {
  const SITE = "src/a.ts:2  passes `limit`, removed";

  it("are found if the project has a tsconfig.json, but not with --no-impact", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "package.json": "{}", "src/a.ts": CALLS });
    const found = await app.run(["check"], { DRIFT: "input-property-removed" });
    expect(found).toMatchObject({ exitCode: 1 });
    expect(found.stdout).toContain(SITE);
    const off = await app.run(["check", "--no-impact"], { DRIFT: "input-property-removed" });
    expect(off).toMatchObject({ exitCode: 1 });
    expect(off.stdout).not.toContain("src/a.ts");
    const { document } = await app.runJson(["check"], { DRIFT: "tool-description-changed" });
    expect(document).not.toHaveProperty("impact");
  });

  it("are not searched in a project above the user's package", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    await app.put("package/package.json", "{}");
    for (const file of ["mcp-codegen.config.json", "mcp-codegen.lock.json"])
      await copyFile(join(app.dir, file), join(app.dir, "package", file));
    const { exitCode, document } = await app.runJson(
      ["check", "--config", "package/mcp-codegen.config.json"],
      { DRIFT: "input-property-removed" },
    );
    expect(exitCode).toBe(1);
    expect(document).not.toHaveProperty("impact");
  });

  it("do not fail a check if the project cannot be read", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": "{ not json", "package.json": "{}", "src/a.ts": CALLS });
    const { exitCode, stdout } = await app.run(["check"], { DRIFT: "input-property-removed" });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("Call sites were not searched: The TypeScript configuration");
    expect(stdout).toContain("[input-property-removed]");
  });

  it("load no compiler without drift", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "package.json": "{}", "src/a.ts": CALLS });
    await app.put("node_modules/ts-morph/package.json", '{"main":"index.js"}');
    await app.put("node_modules/ts-morph/index.js", "throw new Error('loaded');");
    expect(await runBinary(app.dir, ["check"])).toMatchObject({ exitCode: 0 });
    const drifted = await runBinary(app.dir, ["check"], { DRIFT: "input-property-removed" });
    expect(drifted).toMatchObject({ exitCode: 1 });
    expect(drifted.stdout).toContain("Call sites were not searched: ");
  });

  it("have GitHub annotations", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "package.json": "{}", "src/a.ts": CALLS });
    const { stdout } = await app.run(["check", "--format", "github"], { DRIFT: "input-property-removed" });
    expect(stdout).toMatch(/^::error file=src\/a\.ts,line=2,/m);
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
  ])("%s", SLOW, async (_what, text, kind, sites) => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": call(text) });
    const document = await app.checkImpact("input-additional-properties-closed");
    expect(callSites(document)).toEqual({ "input-additional-properties-closed": sites });
    expect(document["changes"]).toContainEqual(
      expect.objectContaining({ rule: "input-additional-properties-closed", class: kind }),
    );
  });
});

describe("an unused changed tool", () => {
  it("is listed as unused", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    const { impact } = await app.checkImpact("no-tools");
    expect(impact).toMatchObject({ files: 1, unused: [{ server: "shop", tool: "cancel-order" }] });
  });

  it("is not reported if a connection is passed on without its type", SLOW, async () => {
    const app = await makeApp({
      "tsconfig.json": TSCONFIG,
      "src/a.ts":
        'import { connect } from "../generated/shop/index.js";\nexport const tools = Object.values(connect());\n',
    });
    expect((await app.checkImpact("no-tools"))["impact"]).toMatchObject({ unused: [] });
    await app.put(
      "src/a.ts",
      'import * as shop from "../generated/shop/index.js";\nexport const pick = (name: "findOrders") => shop[name];\n',
    );
    expect((await app.checkImpact("no-tools"))["impact"]).toMatchObject({ unused: [] });
    const typed =
      'import { connect } from "../generated/shop/index.js";\nconst use = (shop: ReturnType<typeof connect>) => shop.findOrders;\nvoid use(connect());\n';
    await app.put("src/a.ts", typed);
    expect((await app.checkImpact("no-tools"))["impact"]).toMatchObject({
      unused: [{ tool: "cancel-order" }],
    });
  });

  it("is every changed tool if no file imports one", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": "export const nothing = 0;\n" });
    const { impact } = await app.checkImpact("input-property-removed");
    expect(impact).toEqual({
      projects: ["tsconfig.json"],
      files: 0,
      unused: [{ server: "shop", tool: "find-orders" }],
    });
  });
});

describe("an unreadable project", () => {
  it("is reported before any server is contacted", SLOW, async () => {
    const app = await makeApp({ "src/a.ts": CALLS });
    const none = await app.run(["check", "--impact"], { DRIFT: "no such drift" });
    expect(none).toMatchObject({ exitCode: 2, stdout: "" });
    expect(none.stderr).toContain("There is no tsconfig.json in the output folder or above it.");
    const named = await app.run(["check", "--impact", "--project", "elsewhere"]);
    expect(named).toMatchObject({ exitCode: 2 });
    expect(named.stderr).toContain("elsewhere");
    expect(await app.run(["check", "--project", "src"])).toMatchObject({ exitCode: 2 });
    expect(await app.run(["check", "--no-impact", "--project", "src"])).toMatchObject({ exitCode: 2 });
    expect(await app.run(["check", "--impact", "--offline"])).toMatchObject({ exitCode: 2 });
    await app.put("tsconfig.json", "{ not json");
    const broken = await app.run(["check", "--impact"], { DRIFT: "tool-removed" });
    expect(broken).toMatchObject({ exitCode: 2 });
    expect(broken.stderr).toContain("cannot be read");
  });

  it("does not hide drift if new names collide", SLOW, async () => {
    const tools = { rename: { "refund-order": "findOrders" } };
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS }, { tools });
    const { exitCode, document } = await app.runJson(["check", "--impact"], { DRIFT: "tool-added" });
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({ changes: [{ rule: "tool-added" }] });
    expect(JSON.stringify(document["impact"])).toContain("become findOrders");
  });

  it("uses the ts-morph of the user's project if it has one", SLOW, async () => {
    const app = await makeApp({ "tsconfig.json": TSCONFIG, "src/a.ts": CALLS });
    const real = createRequire(import.meta.url).resolve("ts-morph");
    await app.put("node_modules/ts-morph/package.json", '{"main":"index.js"}');
    const text = `process.stderr.write("theirs\\n"); module.exports = require(${JSON.stringify(real)});`;
    await app.put("node_modules/ts-morph/index.js", text);
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
