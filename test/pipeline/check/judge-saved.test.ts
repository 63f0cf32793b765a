import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Lockfile } from "../../../src/core/lockfile.js";
import { fileNameOf } from "../../../src/runtime/cassette/cassette-folder.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { EXAMPLE, LOCKFILE_NAME, type Project, makePulled } from "../../e2e/make-project.js";

const POST = {
  arguments: { id: 1 },
  result: { content: [], structuredContent: {} },
  duration: 3,
};

async function pulled(more: object = {}): Promise<Project> {
  const project = await makePulled({ servers: { example: EXAMPLE }, ...more });
  await mkdir(join(project.dir, "cassettes/example"), { recursive: true });
  return project;
}

function cassette(calls: readonly object[], more: object = {}): string {
  return JSON.stringify(
    { cassetteVersion: 1, server: "example", tool: "get-post", ...more, calls },
    undefined,
    2,
  );
}

/** A post as the example server answers with it. */
async function recorded(project: Project): Promise<{ readonly [key: string]: unknown }> {
  const { stdout } = await project.run(["call", "get-post", "--id", "1"]);
  return JSON.parse(stdout) as { readonly [key: string]: unknown };
}

const findingsOf = async (project: Project): Promise<unknown> =>
  (await project.runJson(["check", "--offline"])).document["records"];

describe("check holds cassettes against the lock", () => {
  it("and finds nothing in calls that were just recorded", async () => {
    const project = await pulled();
    await project.run(["call", "--record", "example__get-post", "--id", "1"]);
    await project.run(["call", "--record", "example__get-post", "--id", "4711"]);
    await project.run(["call", "--record", "example__list-posts"]);
    await project.prints(
      ["check"],
      0,
      /^Up to date: checked 1 server, \d+ files and 3 recorded calls against the lock\.\n$/,
    );
  });

  it("and reports an input and an answer that it refuses, with their lines", async () => {
    const project = await pulled();
    const post = await recorded(project);
    const calls = [
      { ...POST, arguments: { id: "1" }, result: { content: [], structuredContent: post } },
      { ...POST, result: { content: [], structuredContent: { ...post, title: 5 } } },
      { ...POST, arguments: { id: 2 }, result: { content: [], structuredContent: { ...post, title: 6 } } },
    ];
    const text = cassette(calls);
    await project.write("cassettes/example/get-post.json", text);
    const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split("\n").length;
    await project.prints(
      ["check", "--offline"],
      1,
      [
        "Cassettes:",
        `  cassettes/example/get-post.json:${lineOf('"id": "1"')}:9 (recorded-input-invalid)`,
        "    example get-post: The locked input schema refuses it: id: Invalid input: expected number, received string.",
        `  cassettes/example/get-post.json:${lineOf('"title": 5')}:11 (recorded-output-invalid)`,
        "    example get-post, 2 calls: The locked output schema refuses it: title: Invalid input: expected string, received number.",
      ].join("\n"),
      "2 problems in cassettes",
    );
    await project.prints(["check", "--offline", "--fail-on", "never"], 0);
  });

  it("and judges texts that are JSON, and failures as what they are", async () => {
    const project = await pulled();
    const post = await recorded(project);
    const text = (value: unknown) => ({ content: [{ type: "text", text: value }] });
    await project.write(
      "cassettes/example/get-post.json",
      cassette([
        { ...POST, result: text(JSON.stringify(post)) },
        { ...POST, arguments: { id: 2 }, result: text("not found") },
        { ...POST, arguments: { id: 3 }, result: { ...text("not found"), isError: true } },
        { arguments: { id: 4 }, error: { code: -32000, message: "down" }, duration: 1 },
      ]),
    );
    expect(await findingsOf(project)).toMatchObject([
      {
        rule: "recorded-output-invalid",
        facts: { calls: 1 },
        message: "The answer has no structured content, and its text is not JSON.",
      },
    ]);
  });

  it("and does not judge redacted values", async () => {
    const redact = ["result.structuredContent.id", "result.structuredContent.status"];
    const project = await pulled({ servers: { example: { ...EXAMPLE, record: { redact } } } });
    await project.run(["call", "--record", "example__get-post", "--id", "1"]);
    expect(await project.read("cassettes/example/get-post.json")).toContain('"status": "[redacted]"');
    expect(await findingsOf(project)).toEqual([]);
  });

  it("and reports tools that are not locked, and files that were damaged", async () => {
    const project = await pulled();
    await project.write("cassettes/example/gone.json", cassette([POST], { tool: "gone" }));
    await mkdir(join(project.dir, "cassettes/bank"), { recursive: true });
    await project.write("cassettes/bank/get-post.json", cassette([POST], { server: "bank" }));
    await project.write("cassettes/example/empty.json", cassette([], { tool: "empty" }));
    await project.write("cassettes/example/edited.json", `{\n  "cassetteVersion": 1,\n  oops\n}`);
    await project.write("cassettes/example/newer.json", cassette([POST], { cassetteVersion: 9 }));
    await project.write("cassettes/fixtures.json", `{ "not": "ours" }`);
    // A call of "get-post" would find the calls of another tool.
    await project.write("cassettes/example/get-post.json", cassette([POST], { tool: "list-posts" }));
    // Cut off.
    await project.write("cassettes/example/list-posts.json", "");
    expect(await findingsOf(project)).toEqual([
      expect.objectContaining({
        rule: "recorded-tool-missing",
        message: 'The lock has no tool "get-post" of server "bank".',
      }),
      {
        rule: "cassette-invalid",
        file: "cassettes/example/edited.json",
        line: 3,
        column: 3,
        facts: { calls: 0 },
        message: "expected a key in double quotes.",
      },
      expect.objectContaining({
        ...{ rule: "cassette-invalid", line: 5 },
        message: "calls: expected at least one call.",
      }),
      expect.objectContaining({
        ...{
          rule: "cassette-invalid",
          file: "cassettes/example/get-post.json",
          line: 4,
          facts: { calls: 1 },
        },
        message: 'Its calls are replayed only from "example/list-posts.json".',
      }),
      expect.objectContaining({
        rule: "recorded-tool-missing",
        line: 4,
        message: 'The lock has no tool "gone" of server "example".',
      }),
      expect.objectContaining({ rule: "cassette-invalid", file: "cassettes/example/list-posts.json" }),
      expect.objectContaining({
        ...{ rule: "cassette-invalid", line: 2 },
        message: "cassetteVersion 9; this mcp-codegen reads up to 1.",
      }),
    ]);
    const { document } = await project.runJson(["check", "--offline", "example"]);
    expect(document["records"]).toHaveLength(6);
  });

  it("and reports prompts and resources that are not locked", async () => {
    const include = ["tools", "prompts", "resources"];
    const project = await makePulled({
      servers: { demo: { ...fixtureCommand("prompts-and-resources"), include } },
    });
    const { servers } = JSON.parse(await project.read(LOCKFILE_NAME)) as Lockfile;
    const [prompt = ""] = Object.keys(servers["demo"]?.prompts ?? {});
    const [template = ""] = Object.keys(servers["demo"]?.resourceTemplates ?? {});
    await mkdir(join(project.dir, "cassettes/demo"), { recursive: true });
    const write = async (kind: "prompt" | "resource", name: string): Promise<string> => {
      const file = `cassettes/${fileNameOf({ server: "demo", kind, tool: name })}`;
      const entry = { cassetteVersion: 1, server: "demo", [kind]: name, calls: [POST] };
      await project.write(file, JSON.stringify(entry, undefined, 2));
      return file;
    };
    await write("prompt", prompt);
    await write("resource", template);
    const files = [await write("prompt", "gone"), await write("resource", "demo://gone")];
    const { document } = await project.runJson(["check", "--offline"]);
    const missing = {
      rule: "recorded-entry-missing",
      server: "demo",
      line: 4,
      column: 3,
      facts: { calls: 1 },
    };
    expect(document["records"]).toEqual([
      {
        ...missing,
        file: files[0],
        message: 'The lock has no prompt "gone" of server "demo".',
      },
      {
        ...missing,
        file: files[1],
        message: 'The lock has no resource "demo://gone" of server "demo".',
      },
    ]);
  });

  it("in the folders of the configuration", async () => {
    const project = await pulled({ cassettes: ["test/fixtures", "more"] });
    await mkdir(join(project.dir, "test/fixtures/checkout/example"), { recursive: true });
    await project.write("test/fixtures/checkout/example/gone.json", cassette([POST], { tool: "gone" }));
    await project.write("cassettes/example/gone.json", cassette([POST], { tool: "gone" }));
    const { document } = await project.runJson(["check", "--offline"]);
    expect(document["records"]).toMatchObject([{ file: "test/fixtures/checkout/example/gone.json" }]);
    expect(document["unverified"]).toMatchObject([{ message: 'No recorded calls are in "more".' }]);
  });
});
