/** Tool modules are found by the built package in real processes: vitest would import them in its own way. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

/** Node's types of version 20 do not know it. */
const canImportTypeScript = ["strip", "transform"].includes(
  String(Reflect.get(process.features, "typescript")),
);

/** A user's project with these files, where the package and Zod can be imported. */
function makeProject(files: Readonly<Record<string, string>>): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "mcp-codegen-discovery-")));
  folders.push(folder);
  const all = { "package.json": '{ "type": "module" }', ...files };
  for (const [path, text] of Object.entries(all)) {
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    fs.writeFileSync(join(folder, path), text);
  }
  fs.mkdirSync(join(folder, "node_modules"), { recursive: true });
  fs.symlinkSync(root, join(folder, "node_modules/mcp-codegen"));
  fs.symlinkSync(join(root, "node_modules/zod"), join(folder, "node_modules/zod"));
  return folder;
}

/** A module that exports a static tool. */
function tool(name: string, how = "export default"): string {
  const text = JSON.stringify(name);
  return `import { defineStaticTool } from "mcp-codegen/agent";
    ${how} defineStaticTool({ name: ${text}, inputSchema: { type: "object" }, execute: () => ${text} });`;
}

const generated = [
  'import * as z from "zod";',
  'import { defineTool } from "mcp-codegen/codegen"; import { defineServer } from "mcp-codegen/runtime";',
  'const server = defineServer({ name: "shop", contract: "1.0.0", command: "none" });',
  'export const addOrder = defineTool({ server, name: "add-order", input: z.looseObject({}), inputSchema: () => ({}) });',
].join("\n");

interface Found {
  readonly tools: readonly string[];
  readonly warnings: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** Imports scripts, one after the other: starting a process for each takes longer. */
const HOST = `process.on("message", async ({ url, cwd }) => {
  const home = process.cwd();
  process.chdir(cwd);
  process.send(await import(url).then((script) => script.found, (error) => ({ failed: String(error) })));
  process.chdir(home);
});`;
let host: ChildProcess | undefined;
afterAll(() => host?.kill());

/** Runs `discoverTools` outside of Vitest with options written as code; `warnings` is what it warned about. */
async function discover(folder: string, options = "{}", cwd = folder): Promise<Found> {
  const script = `
    import { discoverTools } from "mcp-codegen/node";
    const warnings = [];
    const onWarning = (message) => warnings.push(message);
    let tools = [], error;
    try {
      const found = await discoverTools({ onWarning, ...${options} });
      tools = found.map((tool) => (tool.definition.server?.name ?? "static") + " " + tool.definition.name);
    } catch (e) {
      error = { code: e.code, message: e.message, hint: e.hint };
    }
    export const found = { tools, warnings, error };`;
  scripts += 1;
  const file = join(folder, `run-discovery-${scripts}.mjs`);
  fs.writeFileSync(file, script);
  host ??= spawn(process.execPath, ["-e", HOST], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  host.send({ url: pathToFileURL(file).href, cwd });
  const [found] = (await once(host, "message")) as [Found];
  return found;
}
let scripts = 0;

describe("discoverTools", () => {
  test("finds default and named exports, generated and hand-written, under tools and src/tools", async () => {
    const folder = makeProject({
      "tools/hello.js": tool("hello"),
      "tools/deep/er/two.mjs": `${tool("one", "export const one =")}\nexport const two = one;\nexport const six = 6;`,
      "tools/old.cjs": "exports.nothing = 1;",
      "src/tools/shop/add-order.js": generated,
      "src/tools/shop/index.js": 'export { addOrder } from "./add-order.js";',
      "other/tools/no.js": tool("no"),
    });
    const tools = ["shop add-order", "static one", "static hello"];
    expect(await discover(folder)).toEqual({ tools, warnings: [] });
    // The default root is the nearest package's.
    expect(await discover(folder, "{}", join(folder, "tools/deep"))).toEqual({ tools, warnings: [] });
  });

  test("leaves out tests, specs, declarations, node_modules, and what begins with _ or a dot", async () => {
    const no = tool("no");
    const paths = [
      "no.test.js",
      "no.spec.mjs",
      "__tests__/no.js",
      "_no.js",
      "_no/no.js",
      ".no.js",
      ".no/no.js",
    ];
    paths.push("no.d.ts", "node_modules/no/no.js", "README.md", "mine.js");
    const others = Object.fromEntries(paths.map((path) => [`tools/${path}`, no]));
    const folder = makeProject({ "tools/yes.js": tool("yes"), ...others });
    const options = '{ tools: { ignore: ["**/mine.js"] } }';
    expect(await discover(folder, options)).toEqual({ tools: ["static yes"], warnings: [] });
  });

  test("warns of a module that fails, with its path, and goes on", async () => {
    const folder = makeProject({
      "tools/a-throws.js": 'throw new Error("no key set");',
      "tools/b-syntax.js": "export default {",
      "tools/c-circle.js": 'export { later } from "./c-circle.js";',
      "tools/d-text.js": 'throw "only words";',
      "tools/good.js": tool("good"),
    });
    const { tools, warnings } = await discover(folder);
    expect(tools).toEqual(["static good"]);
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toBe(`Tool module "${folder}/tools/a-throws.js" was skipped: no key set.`);
    expect(warnings[3]).toBe(`Tool module "${folder}/tools/d-text.js" was skipped: only words.`);
    const message = warnings.map((line) => line.replace("was skipped", "was refused")).join("\n");
    const strict = await discover(folder, "{ strict: true }");
    expect(strict.error).toMatchObject({ code: "TOOL_MODULE_FAILED", message });
  });

  test("reports a root without modules", async () => {
    const folder = makeProject({ "package.json": "{}", "tools/README.md": "# none" });
    const lineOf = (verb: string): string =>
      `Root "${folder}" was ${verb}: it has no modules at tools/**, src/tools/**.`;
    expect(await discover(folder)).toEqual({ tools: [], warnings: [lineOf("skipped")] });
    const error = { code: "TOOL_MODULE_FAILED", message: lineOf("refused") };
    expect(await discover(folder, "{ strict: true }")).toMatchObject({ error });
  });

  test("says how to fix a module in TypeScript that this Node cannot import, and prefers the compiled one", async () => {
    const folder = makeProject({
      "tools/a.ts": "export const broken: number = ;",
      "tools/a.js": tool("a"),
      "tools/b.ts": `${tool("b")}\nexport type B = number;`,
    });
    const { tools, warnings } = await discover(folder);
    if (!canImportTypeScript) {
      expect(tools).toEqual(["static a"]);
      expect(warnings).toEqual([expect.stringContaining(`${folder}/tools/b.ts`)]);
      expect(warnings[0]).toContain(`Node ${process.version} does not import TypeScript: use 22.18 or later`);
    } else {
      expect([tools, warnings]).toEqual([["static a", "static b"], []]);
    }
  });

  test("lets the later of two tools of a name win with a warning, or follows the option", async () => {
    const same = tool("same");
    const folder = makeProject({ "tools/a.js": same, "tools/b.js": same, "tools/c.js": generated });
    const message = `Tool "same" was found twice: "${folder}/tools/a.js" and "${folder}/tools/b.js".`;
    for (const [options, use] of [
      ["{}", "last"],
      ['{ onDuplicate: "first", strict: true }', "first"],
    ] as const) {
      const warnings = [`${message} The ${use} one is used.`];
      const tools = ["static same", "shop add-order"];
      expect(await discover(folder, options)).toEqual({ tools, warnings });
    }
    const { error } = await discover(folder, '{ onDuplicate: "error" }');
    expect(error).toMatchObject({ code: "NAME_COLLISION", message });
  });

  test("does not leave the root by links or patterns, nor turn in circles", async () => {
    const outside = makeProject({ "secret.js": tool("outside") });
    const folder = makeProject({ "tools/in.js": tool("in"), "lib/linked.js": tool("linked") });
    fs.symlinkSync(join(outside, "secret.js"), join(folder, "tools/out.js"));
    fs.symlinkSync(join(folder, "lib/linked.js"), join(folder, "tools/linked.js"));
    fs.symlinkSync(folder, join(folder, "tools/circle"));
    expect(await discover(folder)).toEqual({ tools: ["static in"], warnings: [] });
    for (const pattern of ["../**", "a/../../b", "!../x", "/etc/**"]) {
      const refused = await discover(folder, `{ tools: { patterns: [${JSON.stringify(pattern)}] } }`);
      expect(refused.error).toMatchObject({ code: "USAGE" });
    }
  });

  test("ends when its signal aborts, even in a module that waits for ever", async () => {
    const folder = makeProject({
      "tools/a.js": "setTimeout(() => {}, 1000); await new Promise(() => {});",
      "tools/b.js": tool("b"),
    });
    const { error, tools } = await discover(folder, "{ signal: AbortSignal.timeout(200) }");
    expect([error?.message, tools]).toEqual([expect.stringContaining("timeout"), []]);
  });
});

const MAKE = "Make it with defineStaticTool({ name, input, execute }) of mcp-codegen/agent.";
const like = (what: string): string => `it looks like a tool, but ${what}. ${MAKE}`;

describe("an export that looks like a tool", () => {
  const imports = [
    'import * as z from "zod";',
    'import { defineStaticTool } from "mcp-codegen/agent";',
    'import { connectTools, defineTool, definePrompt } from "mcp-codegen/codegen"; import { defineServer } from "mcp-codegen/runtime";',
    'const real = defineStaticTool({ name: "real", input: z.object({}), execute: () => 1 });',
    "const handler = () => 1;",
    "const inputSchema = {};",
    'const server = defineServer({ name: "shop", command: "none" });',
    'const add = defineTool({ server, name: "add", input: z.object({}), inputSchema: () => ({}) });',
  ].join("\n");

  const PROMISE = 'it looks like a tool, but it is a promise. Write "await" before it.';
  const GROUP = "it holds tools, but is not a tool. Export each tool by its own name.";

  const LOOKALIKES: readonly (readonly [code: string, why: string, key?: string])[] = [
    ['export default { name: "a", handler, inputSchema };', like('it is an object with "name", "handler" and "inputSchema"')], // prettier-ignore
    ['export const half = { name: "half", handler: 5 };', like('its "handler" is 5'), "half"],
    ["export default { handler, inputSchema };", like('it has no "name"')],
    ['export default { description: "SDK", inputSchema, execute: handler };', like('it has no "name"')],
    ["export default { name: undefined, run: handler, input: {} };", like('its "name" is undefined')],
    ['export default { name: "a", inputSchema: "object" };', like('its "inputSchema" is "object"')],
    ["export function rain() {}\nrain.parameters = {};", like('it is a function with "parameters"'), "rain"],
    [
      'export default defineTool({ server, name: "a", input: { type: "object" }, inputSchema: () => ({}) });',
      like("its input is an object and not a schema such as one of Zod"),
    ],
    ["export default defineTool({ server, input: z.object({}), inputSchema: () => ({}) });", like("its name is undefined")], // prettier-ignore
    ["export class WeatherTool { execute() {} }", like("it is a class"), "WeatherTool"],
    ["class Base { invoke() {} }\nexport default class extends Base {}", like("it is a class")],
    ["export const later = Promise.resolve(real);", PROMISE, "later"],
    ["export default new Promise(() => {});", PROMISE],
    ["export default [real];", GROUP],
    ["export const tools = { real };", GROUP, "tools"],
  ];

  test("is skipped, or refused if strict, with the reason", async () => {
    const pathOf = (at: number): string => `tools/${String(at).padStart(2, "0")}.js`;
    const modules = LOOKALIKES.map(([code], at) => [pathOf(at), `${imports}\n${code}`] as const);
    const folder = makeProject({ ...Object.fromEntries(modules), "tools/b.js": tool("b") });
    const lines = (verb: string): readonly string[] =>
      LOOKALIKES.map(
        ([, why, key = "default"], at) =>
          `Export "${key}" of tool module "${folder}/${pathOf(at)}" was ${verb}: ${why}`,
      );
    expect(await discover(folder)).toEqual({ tools: ["static b"], warnings: lines("skipped") });
    const { tools, warnings, error } = await discover(folder, "{ strict: true }");
    expect([tools, warnings, error?.code]).toEqual([[], [], "TOOL_MODULE_FAILED"]);
    expect(error?.message).toBe(lines("refused").join("\n"));
  });

  test("is not reported if it is anything else", async () => {
    const others = [
      "export const schema = z.object({ name: z.string() });",
      "export const settings = { name: 'a', url: 'b', timeout: 5 };",
      "export const route = { method: 'GET', path: '/', handler };",
      "export const ready = Promise.resolve(1);",
      "export const closed = new Promise(() => {});",
      "export const failed = Promise.reject(new Error('no')); failed.catch(() => {});",
      "export class Database { run() {} }",
      "export const hostile = new Proxy({}, { get() { throw 1; }, has() { throw 2; }, ownKeys() { throw 3; } });",
      "export const lazy = { get tool() { throw new Error('read'); } };",
      "export const shop = connectTools(server, { add });",
      "export { server, add, real };",
      "export const all = [real, add];",
      "export const prompt = definePrompt({ server, name: 'p', arguments: {} });",
      "export * as again from './a.js';",
      "export const nothing = null, text = 'tool', count = 5;",
    ];
    const folder = makeProject({ "tools/a.js": `${imports}\n${others.join("\n")}` });
    const tools = ["shop add", "static real"];
    expect(await discover(folder, "{ strict: true }")).toEqual({ tools, warnings: [] });
  });
});

describe("functions of the program that yield nothing usable", () => {
  const GENERATOR = "Use an async generator: async function* () { yield … }.";
  test.each([
    ["{ roots: () => undefined }", "invalid result of roots(): undefined.", GENERATOR],
    ['{ roots: async () => ["tools"] }', "invalid result of roots(): a promise.", GENERATOR],
    ['{ roots: () => "tools" }', 'invalid result of roots(): "tools".', GENERATOR],
    ["{ roots: function* () { yield 5; } }", "invalid folder of roots(): 5.", "Use a string."],
    ["{ tools: () => undefined }", "invalid result of tools(): undefined.", GENERATOR],
    ["{ tools: async () => [] }", "invalid result of tools(): a promise.", GENERATOR],
    ["{ signal: new AbortController() }", "invalid signal: an object.", "Use an AbortSignal."],
  ])("%s is an error", async (options, problem, hint) => {
    const { error } = await discover(makeProject({}), options);
    expect(error).toEqual({ code: "USAGE", message: `discoverTools: ${problem}`, hint });
  });
});

describe("where it searches", () => {
  test("roots are searched in order, each tool once; one that no folder is, is warned about", async () => {
    const paths = { "one/tools/a.js": tool("a"), "two/tools/b.js": tool("b"), "tools/c.js": tool("c") };
    const folder = makeProject(paths);
    const missing = ["three", "x".repeat(3_000), "a\0b"];
    const roots = ["two", "one", ...missing, "one", "."];
    expect(await discover(folder, `{ roots: ${JSON.stringify(roots)} }`)).toEqual({
      tools: ["static b", "static a", "static c"],
      warnings: missing.map(
        (name) => `Root ${JSON.stringify(`${folder}/${name}`)} was skipped: it is not a folder.`,
      ),
    });
  });

  test("functions of the program find what they like", async () => {
    const folder = makeProject({ "plugins/a.js": tool("a") });
    const options = `{
      roots: async function* () { yield process.cwd() + "/plugins"; },
      tools: async function* (root) {
        yield (await import(root + "/a.js")).default;
        yield { no: "tool" };
        yield { name: "half", handler: 5 };
      },
    }`;
    const place = `A value of "tools" in "${folder}/plugins" was skipped:`;
    const warnings = [`${place} it is not a tool.`, `${place} ${like('its "handler" is 5')}`];
    expect(await discover(folder, options)).toEqual({ tools: ["static a"], warnings });
  });
});

test("watchTools sees modules come, change and go, in folders that were not there, and leaves nothing running", async () => {
  const folder = makeProject({});
  const write = (path: string, name: string): string =>
    `mkdirSync("${dirname(path)}", { recursive: true }); writeFileSync("${path}", ${JSON.stringify(tool(name))});`;
  /** Each runs once the tools have changed. */
  const steps = [
    write("tools/a.js", "a"),
    write("tools/new/b.js", "b"),
    write("tools/a.js", "changed"),
    'rmSync("tools/new", { recursive: true });',
    write("tools/new/b.js", "again"),
  ];
  const script = `
    import { mkdirSync, rmSync, writeFileSync } from "node:fs";
    import { watchTools } from "mcp-codegen/node";
    const steps = [${steps.map((step) => `() => { ${step} }`).join(", ")}];
    const controller = new AbortController();
    const seen = [];
    for await (const tools of watchTools({ signal: controller.signal, onWarning: () => {} })) {
      seen.push(tools.map((tool) => tool.definition.name));
      const step = steps.shift();
      if (step === undefined) controller.abort();
      else step();
    }
    // A loop that is left closes its watcher, or this program would not end.
    for await (const tools of watchTools()) { seen.push(tools.length); break; }
    process.stdout.write(JSON.stringify(seen));`;
  const file = join(folder, "run-discovery.mjs");
  fs.writeFileSync(file, script);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, timeout: 20_000 });
  const seen = [[], ["a"], ["a", "b"], ["changed", "b"], ["changed"], ["changed", "again"], 2];
  expect(JSON.parse(stdout)).toEqual(seen);
});
