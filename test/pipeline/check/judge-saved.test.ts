import { describe, expect, it } from "vitest";
import { fileNameOf } from "../../../src/runtime/cassette/cassette-folder.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { EXAMPLE, type Project, makePulled } from "../../e2e/make-project.js";

const POST = { arguments: { id: 1 }, result: { content: [], structuredContent: {} }, duration: 3 };

const pulled = (more: object = {}): Promise<Project> =>
  makePulled({ servers: { example: EXAMPLE }, ...more });

function cassette(calls: readonly object[], more: object = {}): string {
  const entry = { cassetteVersion: 1, server: "example", tool: "get-post", ...more, calls };
  return JSON.stringify(entry, undefined, 2);
}

/** A post as the example server answers with it. */
async function recorded(project: Project): Promise<{ readonly [key: string]: unknown }> {
  const { stdout } = await project.run("call get-post --id 1");
  return JSON.parse(stdout) as { readonly [key: string]: unknown };
}

const findingsOf = async (project: Project): Promise<unknown> =>
  (await project.runJson("check --offline")).document["records"];

describe("check holds cassettes against the lock", () => {
  it("and finds nothing in calls that were just recorded", async () => {
    const project = await pulled();
    for (const words of ["get-post --id 1", "get-post --id 4711", "list-posts"])
      await project.run(`call --record example__${words}`);
    const says = /^Up to date: checked 1 server, \d+ files and 3 recorded calls against the lock\.\n$/;
    await project.prints("check", 0, says);
  });

  it("and reports an input and an answer that it refuses, with their lines", async () => {
    const project = await pulled();
    const post = await recorded(project);
    const answer = (more: object): object => ({ content: [], structuredContent: { ...post, ...more } });
    const calls = [
      { ...POST, arguments: { id: "1" }, result: answer({}) },
      { ...POST, result: answer({ title: 5 }) },
      { ...POST, arguments: { id: 2 }, result: answer({ title: 6 }) },
    ];
    const text = cassette(calls);
    await project.write("cassettes/example/get-post.json", text);
    const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split("\n").length;
    const lines = [
      "Cassettes:",
      `  cassettes/example/get-post.json:${lineOf('"id": "1"')}:9 (recorded-input-invalid)`,
      "    example get-post: The locked input schema refuses it: id: Invalid input: expected number, received string.",
      `  cassettes/example/get-post.json:${lineOf('"title": 5')}:11 (recorded-output-invalid)`,
      "    example get-post, 2 calls: The locked output schema refuses it: title: Invalid input: expected string, received number.",
    ];
    await project.prints("check --offline", 1, lines.join("\n"), "2 problems in cassettes");
    await project.prints("check --offline --fail-on never", 0);
  });

  it("and judges texts that are JSON, and failures as what they are, but no redacted values", async () => {
    const project = await pulled();
    const post = await recorded(project);
    const text = (value: unknown) => ({ content: [{ type: "text", text: value }] });
    const calls = [
      { ...POST, result: text(JSON.stringify(post)) },
      { ...POST, arguments: { id: 2 }, result: text("not found") },
      { ...POST, arguments: { id: 3 }, result: { ...text("not found"), isError: true } },
      { arguments: { id: 4 }, error: { code: -32000, message: "down" }, duration: 1 },
    ];
    await project.write("cassettes/example/get-post.json", cassette(calls));
    const message = "The answer has no structured content, and its text is not JSON.";
    const finding = { rule: "recorded-output-invalid", facts: { calls: 1 }, message };
    expect(await findingsOf(project)).toMatchObject([finding]);

    const redact = ["result.structuredContent.id", "result.structuredContent.status"];
    const redacted = await pulled({ servers: { example: { ...EXAMPLE, record: { redact } } } });
    await redacted.run("call --record example__get-post --id 1");
    expect(await redacted.read("cassettes/example/get-post.json")).toContain('"status": "[redacted]"');
    expect(await findingsOf(redacted)).toEqual([]);
  });

  it("and reports tools that are not locked, and files that were damaged", async () => {
    const project = await pulled();
    await project.write("cassettes/example/gone.json", cassette([POST], { tool: "gone" }));
    await project.write("cassettes/bank/get-post.json", cassette([POST], { server: "bank" }));
    await project.write("cassettes/example/empty.json", cassette([], { tool: "empty" }));
    await project.write("cassettes/example/edited.json", `{\n  "cassetteVersion": 1,\n  oops\n}`);
    await project.write("cassettes/example/newer.json", cassette([POST], { cassetteVersion: 9 }));
    await project.write("cassettes/fixtures.json", `{ "not": "ours" }`);
    // A call of "get-post" would find the calls of another tool.
    await project.write("cassettes/example/get-post.json", cassette([POST], { tool: "list-posts" }));
    // Cut off.
    await project.write("cassettes/example/list-posts.json", "");
    const invalid = (file: string, line: number, message: string, more: object = {}): object => ({
      rule: "cassette-invalid",
      file: `cassettes/example/${file}.json`,
      line,
      message,
      ...more,
    });
    const missing = (tool: string, server: string): object => ({
      rule: "recorded-tool-missing",
      line: 4,
      message: `The lock has no tool "${tool}" of server "${server}".`,
    });
    const damaged = { column: 3, facts: { calls: 0 } };
    const elsewhere = 'Its calls are replayed only from "example/list-posts.json".';
    expect(await findingsOf(project)).toMatchObject([
      missing("get-post", "bank"),
      invalid("edited", 3, "expected a key in double quotes.", damaged),
      invalid("empty", 5, "calls: expected at least one call."),
      invalid("get-post", 4, elsewhere, { facts: { calls: 1 } }),
      missing("gone", "example"),
      { rule: "cassette-invalid", file: "cassettes/example/list-posts.json" },
      invalid("newer", 2, "cassetteVersion 9; this mcp-codegen reads up to 1."),
    ]);
    const { document } = await project.runJson("check --offline example");
    expect(document["records"]).toHaveLength(6);
  });

  it("and reports prompts and resources that are not locked", async () => {
    const include = ["tools", "prompts", "resources"];
    const demo = { ...fixtureCommand("prompts-and-resources"), include };
    const project = await makePulled({ servers: { demo } });
    const { prompts = {}, resourceTemplates = {} } = await project.locked("demo");
    const write = async (kind: "prompt" | "resource", name = ""): Promise<string> => {
      const file = `cassettes/${fileNameOf({ server: "demo", kind, tool: name })}`;
      const entry = { cassetteVersion: 1, server: "demo", [kind]: name, calls: [POST] };
      await project.write(file, JSON.stringify(entry, undefined, 2));
      return file;
    };
    await write("prompt", Object.keys(prompts)[0]);
    await write("resource", Object.keys(resourceTemplates)[0]);
    const missing = {
      rule: "recorded-entry-missing",
      server: "demo",
      line: 4,
      column: 3,
      facts: { calls: 1 },
    };
    const says = (what: string): string => `The lock has no ${what} of server "demo".`;
    const expected = [
      { ...missing, file: await write("prompt", "gone"), message: says('prompt "gone"') },
      { ...missing, file: await write("resource", "demo://gone"), message: says('resource "demo://gone"') },
    ];
    expect(await findingsOf(project)).toEqual(expected);
  });

  it("in the folders of the configuration", async () => {
    const project = await pulled({ cassettes: ["test/fixtures", "more"] });
    const gone = cassette([POST], { tool: "gone" });
    await project.write("test/fixtures/checkout/example/gone.json", gone);
    await project.write("cassettes/example/gone.json", gone);
    await project.reports("check --offline", {
      records: [{ file: "test/fixtures/checkout/example/gone.json" }],
      unverified: [{ message: 'No file matches "more".' }],
    });
  });
});
