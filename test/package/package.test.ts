/**
 * Tests the package as users get it: packed, installed in an empty folder, and doing the main job through its real
 * binary. Needs the npm registry or a warm npm cache.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { groupBy } from "../../src/core/collections.js";
import { readSnippets, withoutToday } from "../docs/read-snippets.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import {
  copyFixture,
  createFolder,
  packPackage,
  ROOT,
  runOrThrow,
  runProgram,
  weighFolder,
  weighInstall,
} from "./packed.js";

const APP = "test/package/app";
/** Started without npx, which takes a second to find it. */
const BIN = "node_modules/mcp-codegen/bin/mcp-codegen.js";
const MOST_FILES = 90;
const MB = 1_000_000;
/** The figures under "What a deployment needs", in the order of the measurement. */
const README_WEIGHTS =
  /(\d+) packages and (\d+) MB for production \(MCP client ([\d.]+) MB, Zod ([\d.]+) MB, mcp-codegen itself ([\d.]+) MB\),\s(\d+) packages and (\d+) MB with the command line/u;

/** Compiles a user's project as its `tsconfig.json` says. */
async function compile(project: string): Promise<void> {
  const tsc = join(ROOT, "node_modules/typescript-7/bin/tsc");
  await runOrThrow(project, process.execPath, [tsc, "-p", ".", "--singleThreaded"]);
}

async function readmeBlock(language: string, note: string): Promise<string> {
  const snippets = readSnippets("README.md", await readFile(join(ROOT, "README.md"), "utf8"));
  const found = snippets.find((snippet) => snippet.language === language && snippet.note === note);
  if (!found) throw new Error(`The README has no block "${language} ${note}".`);
  return found.text;
}

let tarball: string;
/** A folder in which the README's first command was run. */
let empty: string;
let project: string;
let removals: (() => void)[] = [];

async function readmeCommand(pattern: RegExp): Promise<string> {
  const found = pattern.exec(await readFile(join(ROOT, "README.md"), "utf8"))?.[1];
  if (found === undefined) throw new Error(`The README has no command like ${String(pattern)}.`);
  return found;
}

async function newFolder(name: string): Promise<string> {
  const folder = await createFolder(name);
  removals.push(folder.remove);
  return folder.path;
}

async function copyInstall(from: string, to: string): Promise<void> {
  // For thousands of files, `cp()` of Node takes five times as long.
  await runOrThrow(from, "cp", ["-R", "-P", "node_modules", "package-lock.json", to]);
}

beforeAll(async () => {
  tarball = await packPackage(await newFolder("pack"));
  empty = await newFolder("empty");
  const command = await readmeCommand(/^(npm install \S+\.tgz zod)/mu);
  const install = `${command.replace(/\S+\.tgz/u, tarball)} --prefer-offline --no-audit --no-fund`;
  await runOrThrow(empty, "sh", ["-c", install]);
  // Another project with the same packages.
  project = await newFolder("user");
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({ ...JSON.parse(await readFile(join(empty, "package.json"), "utf8")), type: "module" }),
  );
  await copyInstall(empty, project);
  await copyFixture(APP, project);
  await writeFile(join(project, "readme.ts"), await readmeBlock("ts", "run"));
});
afterAll(() => {
  for (const remove of removals) remove();
  removals = [];
});

test("the tarball contains only what the package needs, in few files", async () => {
  const listed = await runOrThrow(ROOT, "tar", ["-tzf", tarball]);
  const files = listed
    .trim()
    .split("\n")
    .map((file) => file.replace(/^package\//u, ""));
  const folders = [...groupBy(files, dirname)].map(
    ([folder, inside]) => `${inside.length} in ${folder}: ${inside.map((file) => basename(file)).join(" ")}`,
  );
  expect(files.length, folders.join("\n")).toBeLessThanOrEqual(MOST_FILES);
  expect(files).toContain("dist/runtime/index.d.ts");
  expect(files).toContain("docs/schemas/lockfile.schema.json");
  expect(files).toContain("docs/cli.md");
  // The stub of WordPress is PHP, which tsc does not copy.
  expect(files).toContain("dist/sources/php/core/boot.php");
  expect(
    files.filter((file) => !/^(?:bin|dist|docs)\/|^(?:package\.json|README\.md|LICENSE)$/u.test(file)),
  ).toEqual([]);
  expect(files.filter((file) => /\.test\.|\.map$|node_modules|(?<!\.d)\.ts$/u.test(file))).toEqual([]);
});

test("every entry whose functions throw exports the one class of errors", async () => {
  const entries = ["", "/runtime", "/agent", "/agent/code", "/replay", "/node", "/serve", "/testing"];
  const script = `const classes = ${JSON.stringify(entries)}.map(async (entry) => (await import("mcp-codegen" + entry)).McpCodegenError);
    const [first, ...others] = await Promise.all(classes);
    console.log(typeof first, others.every((each) => each === first));`;
  // A process of its own, since tests import the source.
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: ROOT,
  });
  expect(stdout.trim()).toBe("function true");
});

test("no script runs, or asks to be allowed, when the tarball is installed", async () => {
  const { scripts } = JSON.parse(
    await readFile(join(project, "node_modules/mcp-codegen/package.json"), "utf8"),
  ) as { readonly scripts: Readonly<Record<string, string>> };
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|prepare/u.test(name))).toEqual([]);
  // The clone builds when it is packed.
  expect(scripts["prepack"]).toBe("npm run build");
});

test("every link of the packed documentation leads to a packed file", async () => {
  const installed = join(project, "node_modules/mcp-codegen");
  const pages = [
    "README.md",
    ...(await readdir(join(installed, "docs"))).filter((name) => name.endsWith(".md")),
  ].map((name) => (name === "README.md" ? name : `docs/${name}`));
  expect(pages.length).toBeGreaterThan(15);
  const broken: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(installed, page), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/gu))
      if (!existsSync(join(installed, dirname(page), target))) broken.push(`${page}: ${target}`);
  }
  expect(broken).toEqual([]);
});

test("the README's commands, run literally in an empty folder, print the README's output", async () => {
  const start = await readmeCommand(/^(npx mcp-codegen init --example .*)$/mu);
  const run = await readmeCommand(/`(npx tsx \S+)`/u);
  const check = await readmeCommand(/^(npx mcp-codegen check --env .*)$/mu);
  await writeFile(join(empty, run.replace("npx tsx ", "")), await readmeBlock("ts", "run"));
  const shell = (command: string): Promise<string> => runOrThrow(empty, "sh", ["-c", command]);
  await shell(start);
  expect(await shell(run.replace("npx", "npx --yes"))).toBe(await readmeBlock("text", "output"));
  const drift = await runProgram(empty, "sh", ["-c", check]);
  expect([drift.exitCode, withoutToday(drift.stdout)]).toEqual([1, await readmeBlock("text", "drift")]);

  // "Write `--next` into the server's own `args`."
  const config = join(empty, "mcp-codegen.config.ts");
  const text = await readFile(config, "utf8");
  await writeFile(config, text.replace('"example-server"]', '"example-server", "--next"]'));
  await shell("npx mcp-codegen pull");
  const compileCommand = await readmeCommand(/^(npx tsc .*)$/mu);
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const compiled = await runProgram(empty, process.execPath, [tsc, ...compileCommand.split(" ").slice(2)]);
  expect([compiled.exitCode, compiled.stdout]).toEqual([2, await readmeBlock("text", "tsc")]);
});

describe("a user's project", () => {
  const cli = (...args: readonly string[]) => runProgram(project, process.execPath, [BIN, ...args]);

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

  test("the user's application, and the README's, compile under nodenext and run under Node", async () => {
    await compile(project);
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

describe("a deployment without optional dependencies", () => {
  test("runs generated code, and the command line names the missing package in one line", async () => {
    const build = join(project, "orders");
    const { command, args } = fixtureCommand("drifted");
    const config = { output: "generated", servers: { orders: { command, args } } };
    await copyFixture(APP, build);
    await rm(join(build, "app.ts"));
    await writeFile(join(build, "mcp-codegen.config.json"), JSON.stringify(config));
    await runOrThrow(build, process.execPath, [join(project, BIN), "pull"]);
    await compile(build);

    const deployed = await newFolder("deploy");
    await copyInstall(project, deployed);
    await cp(join(project, "package.json"), join(deployed, "package.json"));
    await runOrThrow(deployed, "npm", ["prune", "--omit=dev", "--omit=optional", "--offline"]);
    await cp(join(build, "out"), join(deployed, "out"), { recursive: true });
    const script = [
      'import { connect } from "./out/generated/orders/index.js";',
      "const orders = connect();",
      'const found = await orders.findOrders({ state: "open" });',
      "process.stdout.write(JSON.stringify(found));",
    ];
    await writeFile(join(deployed, "run.js"), script.join("\n"));
    expect(JSON.parse(await runOrThrow(deployed, process.execPath, ["run.js"]))).toEqual({
      ids: [1],
      total: 1,
    });

    await writeFile(join(deployed, "mcp-codegen.config.ts"), "export default { servers: {} };\n");
    const refused = await runProgram(deployed, process.execPath, [BIN, "check"]);
    expect(refused.exitCode, refused.stderr).toBe(2);
    expect(refused.stderr).toContain("npm install");
    expect(refused.stderr).not.toContain("    at ");

    const full = await weighInstall(project);
    const slim = await weighInstall(deployed);
    process.stdout.write(
      `installed for development: ${full.packages} packages, ${(full.bytes / MB).toFixed(1)} MB; ` +
        `for production: ${slim.packages} packages, ${(slim.bytes / MB).toFixed(1)} MB\n`,
    );
    const weigh = async (folder: string, name: string): Promise<number> =>
      (await weighFolder(join(folder, "node_modules", name))) / MB;
    const measured = {
      "packages for production": slim.packages,
      "MB for production": slim.bytes / MB,
      "MB of the MCP client": await weigh(deployed, "@modelcontextprotocol/client"),
      "MB of Zod": await weigh(deployed, "zod"),
      "MB of mcp-codegen": await weigh(deployed, "mcp-codegen"),
      "packages with the command line": full.packages,
      "MB with the command line": full.bytes / MB,
    };
    const readme = await readFile(join(ROOT, "README.md"), "utf8");
    const said = README_WEIGHTS.exec(readme.replace(/\s+/gu, " "))?.slice(1).map(Number) ?? [];
    // Other versions of the dependencies have slightly different sizes.
    const wrong = Object.entries(measured).filter(
      ([, value], at) => !(Math.abs((said[at] ?? NaN) - value) <= value / 10),
    );
    expect(wrong, `the README says ${said.join(", ")}`).toEqual([]);
  });
});
