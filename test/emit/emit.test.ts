import { describe, expect, it, test } from "vitest";
import type { Config, ServerConfig } from "../../src/config/config.js";
import type { Lockfile } from "../../src/core/lockfile.js";
import { emit, emitFiles } from "../../src/emit/emit.js";
import { type Format, loadFormat, loadOxfmt } from "../../src/emit/format-text.js";
import { lockOf } from "./golden-cases.js";
import { McpCodegenError } from "../../src/core/errors.js";
import { reasonOfRefusal } from "../../src/emit/tool-schemas.js";

const CONFIG: Config = { servers: { shop: { url: "https://example.com/mcp" } } };
const ODD = {
  name: "odd",
  inputSchema: { type: "object", properties: { a: { $ref: "file:///etc/passwd" } } },
};
const LOCK = lockOf(CONFIG, { shop: ["list", ODD] });
const OPTIONS = { prettierConfig: "", importExtension: "js", format: () => loadOxfmt({}) } as const;

const FILES = ["index.ts", "shop/index.ts", "shop/list.ts", "shop/schemas.ts", "shop/server.ts"];

/** The text of a file that is emitted for the server `shop`. */
async function textOf(path: string, lock: Lockfile, config = CONFIG): Promise<string> {
  return (await emit(lock, config)).find((file) => file.path === `shop/${path}.ts`)?.text ?? "";
}

/** A project's Prettier that runs a statement on each `text`. */
async function formatThat(statement: string): Promise<Format> {
  const code = `export const resolveConfig = () => null; export const format = (text) => { ${statement} return text; };`;
  const prettier = `data:text/javascript,${encodeURIComponent(code)}`;
  return loadFormat("module.ts", { usesPrettier: true, prettier, hasEditorConfig: false });
}

it("emits the same bytes for any order of tools", async () => {
  const files = await emit(LOCK, CONFIG);
  expect(await emit(lockOf(CONFIG, { shop: [ODD, "list"] }), CONFIG)).toEqual(files);
  expect(files.map(({ path }) => path)).toEqual(FILES);
});

const ROWS: [what: string, description: string, comment: readonly string[]][] = [
  ["700 characters whole", `${"a ".repeat(349)}bb`, [...Array.from({ length: 349 }, () => "a"), "bb"]],
  ["no part of a longer text without spaces", "a".repeat(701), ["a".repeat(701)]],
  ["the first 600 characters of a longer one", `${"a ".repeat(350)}b`, [...Array.from({ length: 300 }, () => "a"), "\u2026"]],
  ["an open block of code with its end", `\`\`\`\n${"a ".repeat(400)}`, ["```", ...Array.from({ length: 298 }, () => "a"), "\u2026", "```"]],
  ["a block of code that ends before", `\`\`\`\nb\n\`\`\`\n${"a ".repeat(400)}`, ["```", "b", "```", ...Array.from({ length: 295 }, () => "a"), "\u2026"]],
]; // prettier-ignore

it.each(ROWS)("shows in a comment %s", async (_what, description, words) => {
  const tool = { name: "list", description, inputSchema: { type: "object" } };
  const text = await textOf("list", lockOf(CONFIG, { shop: [tool] }));
  const comments = [...text.matchAll(/\/\*\*([^]*?)\*\//g)].map(([, comment = ""]) =>
    comment.split(/[\s*]+/).filter((word) => word !== ""),
  );
  expect(comments).toContainEqual(words);
});

it.each<[environments: NonNullable<ServerConfig["environments"]>, types: readonly string[]]>([
  [{}, ["Tool<GetInput, GetOutput>", "Tool<ListInput>"]],
  [{ sandbox: {} }, ["Tool<GetInput, GetOutput, Environment>", "Tool<ListInput, ToolContent, Environment>"]],
])("types tools of a server with the environments %j", async (environments, types) => {
  const shop = { url: "https://example.com/mcp", environments };
  const get = { name: "get", inputSchema: { type: "object" }, outputSchema: { type: "object" } };
  const config = { servers: { shop } };
  const texts = (await emit(lockOf(config, { shop: [get, "list"] }), config))
    .map(({ text }) => text)
    .join("\n");
  expect(texts.match(/\bTool<[^>]*>/g)).toEqual(types);
});

it("marks the arguments of a prompt that are required", async () => {
  const prompt = { name: "review", arguments: [{ name: "code", required: true }, { name: "tone" }] };
  const text = await textOf("prompts", lockOf(CONFIG, { shop: [] }, { shop: { prompts: [prompt] } }));
  expect(text.replace(/\s+/g, " ")).toContain('[{ name: "code", isRequired: true }, { name: "tone" }]');
});

it("names the tools that models may call by their own names", async () => {
  const inputSchema = { type: "object" };
  const tools = ["get", "x".repeat(64), "y".repeat(65), "z.get"].map((name) => ({ name, inputSchema }));
  const forApps = { name: "pick", inputSchema, _meta: { ui: { visibility: ["app"] } } };
  const text = await textOf("index", lockOf(CONFIG, { shop: [...tools, forApps] }));
  const [, names = ""] = /interface ToolNames \{([^}]*)\}/.exec(text) ?? [];
  expect([...names.matchAll(/"(.*?)"/g)].map(([, name]) => name)).toEqual(["get", "x".repeat(64)]);
});

describe("the settings of defaults", () => {
  it.each([
    [{ defaults: "parse", dialect: "wordpress", formats: "assert" }, ["defaults", "dialect"]],
    [{ defaults: "parse" }, ["defaults"]],
    // At run time, only the WordPress dialect matters: it reads PHP's empty arrays.
    [{ dialect: "wordpress", formats: "assert" }, ["dialect"]],
    [{ dialect: "draft-07", formats: "assert" }, []],
  ] as const)("%o give a tool's module the settings of its schema", async (settings, keys) => {
    const config = { servers: { shop: { url: "https://example.com/mcp", ...settings } } };
    const text = await textOf("list", lockOf(config, { shop: ["list"] }), config);
    const found = [...text.matchAll(/^ {2}(defaults|dialect): /gmu)].map(([, key]) => key);
    expect(found).toEqual(keys);
  });
});

describe("emitFiles", () => {
  it("diagnoses files that are current only if it is asked to", async () => {
    const loose = { name: "a", inputSchema: { type: "object", properties: { a: { pattern: "^(a+)+$" } } } };
    const lock = lockOf(CONFIG, { shop: [loose] });
    const codesOf = async (options: object): Promise<readonly string[]> => {
      const { diagnostics } = await emitFiles(lock, CONFIG, {
        ...OPTIONS,
        isCurrent: () => true,
        ...options,
      });
      return diagnostics.map(({ code }) => code);
    };
    expect(await codesOf({})).toEqual([]);
    expect(await codesOf({ diagnosesAll: true })).toEqual(["KEYWORD_LOOSENED"]);
  });

  it("omits a tool with an unreadable schema, also from the index, and reports it", async () => {
    const { files, diagnostics } = await emitFiles(LOCK, CONFIG, { ...OPTIONS, isCurrent: () => false });
    expect(files.find(({ path }) => path === "shop/index.ts")?.text).not.toContain("odd");
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: "TOOL_UNUSABLE", server: "shop", tool: "odd" }),
    ]);
  });

  it.each([
    ["its own module", { description: "cannot be printed" }],
    ["the module of raw schemas", { inputSchema: { type: "object", "x-note": "cannot be printed" } }],
  ])("omits a tool whose text fails in %s, and writes all others", async (_, part) => {
    const odd = { name: "odd", inputSchema: { type: "object" }, ...part };
    const lock = lockOf(CONFIG, { shop: ["list", odd] });
    const { files, diagnostics } = await emitFiles(lock, CONFIG, {
      ...OPTIONS,
      format: () => formatThat(`if (text.includes("cannot be printed")) throw new SyntaxError("Odd text");`),
      isCurrent: () => false,
    });
    expect(files.map(({ path }) => path)).toEqual(FILES);
    expect(files.map(({ text }) => text).join("\n")).not.toContain("odd");
    const message = "The tool could not be rendered, which is a bug in mcp-codegen: Odd text";
    expect(diagnostics).toEqual([{ code: "TOOL_UNUSABLE", server: "shop", tool: "odd", path: "", message }]);
  });

  it.each([
    ["every text", `throw new SyntaxError("No text");`, "No text"],
    ["a missing package", `throw Object.assign(new Error("No package"), { code: "ERR_MODULE" });`, "No package"],
  ])("rejects with an error that concerns %s", async (_, statement, message) => {
    const options = { ...OPTIONS, format: () => formatThat(statement), isCurrent: () => false };
    await expect(emitFiles(LOCK, CONFIG, options)).rejects.toThrow(message);
  }); // prettier-ignore

  it("renders only files that are out of date", async () => {
    const { files, kept } = await emitFiles(lockOf(CONFIG, { shop: ["list", "get"] }), CONFIG, {
      ...OPTIONS,
      isCurrent: ({ path }) => path !== "shop/get.ts",
    });
    expect(files.map(({ path }) => path)).toEqual(["shop/get.ts"]);
    expect(kept).toEqual(["index.ts", "shop/index.ts", "shop/list.ts", "shop/schemas.ts", "shop/server.ts"]);
  });

  it("loads no formatter if every file is up to date", async () => {
    const format = (): never => {
      throw new Error("It asked.");
    };
    const emission = await emitFiles(LOCK, CONFIG, { ...OPTIONS, format, isCurrent: () => true });
    expect(emission.files).toEqual([]);
  });
});

const BUG = "The tool could not be rendered, which is a bug in mcp-codegen:";

test.each<[string, Error, string]>([
  ["its own message", new McpCodegenError("SCHEMA_INVALID", "No type."), "No type."],
  ["a bug for another code", new McpCodegenError("CONFIG_INVALID", "No key."), `${BUG} No key.`],
  ["a bug for an error of JavaScript", new RangeError("No\nstack"), `${BUG} No stack`],
  ["at most 300 characters of a bug", new TypeError("x".repeat(400)), `${BUG} ${"x".repeat(299)}…`],
])("the reason of a refused tool is %s", (_what, error, reason) => {
  expect(reasonOfRefusal(error)).toBe(reason);
});

test.each([Object.assign(new Error("No package"), { code: "ERR_MODULE_NOT_FOUND" }), "no error"])(
  "an error that does not concern a tool is thrown: %s",
  (error) => {
    let thrown: unknown;
    try {
      reasonOfRefusal(error);
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toBe(error);
  },
);
