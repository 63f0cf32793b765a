/**
 * The package as its users get it: packed, installed in an empty folder, and made to do the main job through its real
 * binary. Needs the npm registry or a warm npm cache.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import {
  copyFixture,
  createFolder,
  installPackage,
  packPackage,
  ROOT,
  runOrThrow,
  runProgram,
  weighInstall,
} from "./packed.js";

const APP = "test/package/app";
const MB = 1_000_000;

let tarball: string;
let removals: (() => Promise<void>)[] = [];

async function newFolder(name: string): Promise<string> {
  const folder = await createFolder(name);
  removals.push(folder.remove);
  return folder.path;
}

beforeAll(async () => {
  tarball = await packPackage(await newFolder("pack"));
});
afterAll(async () => {
  await Promise.all(removals.map((remove) => remove()));
  removals = [];
});

test("the tarball holds what the package needs and nothing else", async () => {
  const listed = await runOrThrow(ROOT, "tar", ["-tzf", tarball]);
  const files = listed
    .trim()
    .split("\n")
    .map((file) => file.replace(/^package\//u, ""));
  expect(files).toContain("dist/runtime/index.d.ts");
  expect(files).toContain("docs/schemas/lockfile.schema.json");
  expect(
    files.filter(
      (file) => !/^(?:bin|dist|docs\/schemas)\/|^(?:package\.json|README\.md|LICENSE)$/u.test(file),
    ),
  ).toEqual([]);
  expect(files.filter((file) => /\.test\.|\.map$|node_modules|(?<!\.d)\.ts$/u.test(file))).toEqual([]);
});

describe("a user's project", { timeout: 240_000 }, () => {
  let project: string;
  const cli = (...args: readonly string[]) =>
    runProgram(project, "npx", ["--no-install", "mcp-codegen", ...args]);

  beforeAll(async () => {
    project = await newFolder("user");
    await installPackage(project, tarball, ["zod@^4.5.0"]);
    await copyFixture(APP, project);
  }, 240_000);

  test("init, pull, generate and check do the main job on the example server", async () => {
    const init = await cli("init", "--example", "--yes");
    expect(init.exitCode, init.stderr).toBe(0);
    const pull = await cli("pull");
    expect(pull.exitCode, pull.stderr).toBe(0);
    const again = await cli("generate", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ report: "generate", written: [], removed: [] });
    const check = await cli("check");
    expect(check.exitCode, check.stderr).toBe(0);
    const offline = await cli("check", "--offline", "--full");
    expect(offline.exitCode, offline.stderr).toBe(0);
    const list = await cli("list", "--json");
    expect(list.stdout).toContain("create-order");
  });

  test("the user's application compiles under nodenext and runs under Node", async () => {
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    await runOrThrow(project, process.execPath, [tsc, "-p", "."]);
    const answers = JSON.parse(await runOrThrow(project, process.execPath, ["out/app.js"])) as unknown;
    expect(answers).toEqual({
      created: "Rolls",
      total: 1,
      refusedBeforeTheWire: "TOOL_INVALID_INPUT",
      refusedByTheServer: "TOOL_EXECUTION_FAILED",
      cents: 840,
      schema: false,
    });
  });

  test("an edited file and a changed server are found", async () => {
    const file = join(project, "generated/example/get-post.ts");
    const text = await readFile(file, "utf8");
    await writeFile(file, `${text}// mine\n`);
    const edited = await cli("check", "--offline");
    expect([edited.exitCode, `${edited.stdout}${edited.stderr}`]).toEqual([
      1,
      expect.stringContaining("get-post.ts"),
    ]);
    await writeFile(file, text);
    expect((await cli("check", "--offline")).exitCode).toBe(0);
  });
});

describe("a deployment, without what only the command line needs", { timeout: 240_000 }, () => {
  test("runs generated code, and the command line says in one line what it lacks", async () => {
    const build = await newFolder("build");
    const { command, args } = fixtureCommand("drifted");
    const config = { output: "generated", servers: { orders: { command, args } } };
    await installPackage(build, tarball, ["zod@^4.5.0"]);
    await writeFile(join(build, "mcp-codegen.config.json"), JSON.stringify(config));
    await runOrThrow(build, "npx", ["--no-install", "mcp-codegen", "pull"]);
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const flags = [
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--strict",
      "--types",
      "",
      "--outDir",
      "out",
    ];
    await runOrThrow(build, process.execPath, [tsc, ...flags, "generated/orders/index.ts"]);

    const deployed = await newFolder("deploy");
    await installPackage(deployed, tarball, ["zod@^4.5.0"], ["--omit=dev", "--omit=optional"]);
    await runOrThrow(build, "cp", ["-r", "out", deployed]);
    const script = [
      'import { connect } from "./out/index.js";',
      "const orders = connect();",
      'const found = await orders.findOrders({ state: "open" });',
      "process.stdout.write(JSON.stringify(found));",
    ];
    await writeFile(join(deployed, "run.js"), script.join("\n"));
    expect(JSON.parse(await runOrThrow(deployed, process.execPath, ["run.js"]))).toEqual({
      ids: [1],
      total: 1,
    });

    const refused = await runProgram(deployed, "npx", ["--no-install", "mcp-codegen", "list"]);
    expect(refused.exitCode, refused.stderr).toBe(2);
    expect(refused.stderr).toContain("npm install");
    expect(refused.stderr).not.toContain("    at ");

    const full = await weighInstall(build);
    const slim = await weighInstall(deployed);
    process.stdout.write(
      `installed for development: ${full.packages} packages, ${(full.bytes / MB).toFixed(1)} MB; ` +
        `for production: ${slim.packages} packages, ${(slim.bytes / MB).toFixed(1)} MB\n`,
    );
    expect(slim.packages).toBeLessThan(full.packages);
  });
});
