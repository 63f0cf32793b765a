import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { EXAMPLE, makeProject, makePulled, type Project } from "./make-project.js";

const RULES = [
  "tool-name-taken",
  ...["bidi", "ansi", "html-comment", "hidden-unicode"].map((kind) => `poison-${kind}`),
];

function pulled(servers: object): Promise<Project> {
  const accept = [...RULES.flatMap((rule) => ["--accept", rule]), "--reason", "A test."];
  return makePulled({ servers }, accept);
}

async function pulledTool(tool: object): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "list.json" } } });
  await project.writeJson("list.json", { tools: [tool] });
  await project.prints("pull", 0);
  return project;
}

function namesIn(document: { readonly [key: string]: unknown }): readonly string[] {
  return (document["tools"] as readonly { readonly name: string }[]).map(({ name }) => name);
}

describe("list --context", () => {
  it("prints what an agent without MCP should know, as long as it may be", async () => {
    const { run, runJson } = await pulled({ example: EXAMPLE });
    const { stdout } = await run("list --context");
    expect(stdout).toMatch(/^12 tools of example/);
    expect(stdout).toContain("- create-post: Creates a post");
    const { document } = await runJson("list --context --max-tokens 150");
    expect(document).toMatchObject({ report: "context", exitCode: 0 });
    expect(String(document["text"]).length).toBeLessThan(stdout.length / 2);
    expect((await run("list --context --max-tokens 0")).exitCode).toBe(2);
  });
});

describe("search", () => {
  it("finds tools by what they do, best first, without contacting a server", async () => {
    const { run, runJson, configure } = await pulled({ example: EXAMPLE });
    await configure({ servers: { example: { command: "there-is-no-such-program" } } });
    const { document } = await runJson("search write an article --limit 2");
    expect(document).toMatchObject({ report: "search", exitCode: 0, query: "write an article" });
    expect(namesIn(document)).toHaveLength(2);
    expect(namesIn(document)[0]).toBe("create-post");
    expect(document["total"]).toBeGreaterThan(2);
    const { stdout } = await run(["search", "write an article", "--limit", "2"]);
    expect(stdout).toMatch(
      /^create-post +0\.\d\d {2}content \(guessed\), writes {2}Creates a post and returns it\..*\n/,
    );
    expect(stdout).toMatch(/and \d+ other tools: raise --limit to see them\n$/);
  });

  it("suggests what to try without a match, and rejects what it cannot search for", async () => {
    const project = await pulled({ example: EXAMPLE });
    await project.prints("search xylophone", 0, "npx mcp-codegen list");
    await project.reports("search xylophone", { tools: [], total: 0 });
    const near = /There is no category "comerce"\.\nhint: Did you mean "commerce"\? Categories: /;
    for (const [line, message] of [
      ["search", ""],
      ["search a --limit none", "--limit takes a whole number from 1 to 999999"],
      ["search order --server example --server mars", 'hint: It has "example".'],
      ["search --category comerce", near],
    ] as const)
      await project.refuses(line, message);
  });
});

describe("describe", () => {
  it("prints a tool's parameters and output, with an example command line", async () => {
    const { prints } = await pulled({ example: EXAMPLE });
    await prints(
      "describe create-post get-post",
      0,
      "create-post: ",
      /--title <string> +.*required/,
      "Annotations: readOnlyHint false",
      /\$ npx mcp-codegen call create-post title='[\w ]+' content='[\w .]+'\n/,
      /\$ npx mcp-codegen call get-post id=\d+\n/,
    );
  });

  it("prints each argument with its type and notes, those that a call needs first", async () => {
    const ids = { type: "array", items: { type: "integer" }, default: [1] };
    const tree = { type: "object", properties: { name: { type: "string" } } };
    const status = { anyOf: [{ $ref: "#/$defs/status" }, { type: "null" }], description: "Which.\nMore." };
    const inputSchema = {
      type: "object",
      properties: { on: { type: "boolean" }, ids, lines: { type: "array", items: tree }, any: {} },
      $defs: { status: { enum: ["open", "paid"] } },
      allOf: [{ properties: { customer: tree, status }, required: ["customer"] }],
      anyOf: [{ required: ["ids", "on"] }, { required: ["on", "ids"] }, { required: ["ids"] }],
    };
    const { run } = await pulledTool({ name: "order", inputSchema });
    const { stdout } = await run("describe order");
    expect(stdout.slice(stdout.indexOf("Flags:"), stdout.indexOf("\n\nTypeScript:"))).toBe(
      [
        "Flags:",
        "  --customer <JSON>  (required)",
        "  --on",
        "  --ids <integer>    (repeatable; default: [1])",
        "  --lines <JSON>     (repeatable)",
        "  --any <value>      (repeatable)",
        "  --status <value>   Which. (one of open, paid)",
      ].join("\n"),
    );
    expect(stdout).toContain(`$ npx mcp-codegen call order on=true ids='[1]' customer='{}'\n`);
  });

  it("cuts a type that is too long to read, and names the command that prints it", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `property-${index}`);
    const nested = { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
    const { run } = await pulledTool({
      name: "order",
      inputSchema: { type: "object", properties: { nested } },
    });
    const lines = (await run("describe order")).stdout.split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBe(403);
    expect(lines).toContain("  The whole type: npx mcp-codegen describe order --format typescript");
    expect((await run("describe order --format typescript")).stdout).toContain("property-59");
  });

  it("prints the effect of a tool, and whether its category was guessed, as list and search do", async () => {
    const guess = "(guessed from the names)";
    const named = { name: "create_order", inputSchema: { type: "object" } };
    for (const [tool, isGuess, effect] of [
      [{ ...named, annotations: { readOnlyHint: true } }, true, "reads"],
      [{ ...named, annotations: { destructiveHint: false } }, true, "writes"],
      [{ ...named, annotations: { destructiveHint: true } }, true, "destroys"],
      [{ ...named, _meta: { category: "commerce" } }, false, "effect not stated"],
      [{ ...named, name: "t" }, false, "effect not stated"],
    ] as const) {
      const { run } = await pulledTool(tool);
      for (const argv of [["list"], ["describe", tool.name]]) {
        const { stdout } = await run(argv);
        expect(stdout).toContain(effect);
        expect(stdout.includes(guess)).toBe(isGuess);
      }
      if (isGuess) expect((await run("search order")).stdout).toContain(effect);
    }
  });

  it("prints signatures, and a document of the schemas", async () => {
    const project = await pulled({ shop: fixtureCommand("drifted") });
    const tool = {
      name: "find-orders",
      server: "shop",
      title: "Find orders",
      inputSchema: { required: ["state"] },
      outputSchema: { required: ["ids", "total"] },
      annotations: { readOnlyHint: true },
    };
    await project.reports("describe shop__find-orders", { tools: [tool] });
    const line = "describe find-orders cancel-order --format typescript";
    await project.prints(line, 0, /^\/\/ find-orders\ntype Args = /, "// cancel-order\n");
  });

  it("exits 2 for an unknown tool, and suggests similar names", async () => {
    const { refuses } = await pulled({ shop: fixtureCommand("drifted") });
    const near = ['error: There is no tool "find_order".', 'Did you mean "find-orders"'];
    expect((await refuses("describe find-orders find_order", ...near)).stdout).toBe("");
    const says = 'error: There is no tool "shop": this is the name of a server.';
    await refuses("call shop find-orders", says, '"npx mcp-codegen list shop" lists them.');
  });
});
