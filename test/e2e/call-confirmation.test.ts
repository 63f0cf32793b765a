import { describe, expect, it } from "vitest";
import { runCommand } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { EXAMPLE, makePulled, type Project } from "./make-project.js";

const SERVERS = { example: EXAMPLE, rich: fixtureCommand("rich-content") };
const POST = ["create-post", "--title", "Hello", "--content", "World"];
const DELETE = ["delete-post", "--id", "1"];
const WRITES = "MCP_CODEGEN_ENABLE_WRITES";

const pulled = (more: object = {}): Promise<Project> => makePulled({ servers: SERVERS, ...more });

describe("call asks a person once, whatever the tool does", () => {
  it.each([
    // Tool, variable, in a script, in a script with --yes, the number of questions at a terminal.
    ["reads", ["list-posts", "--per_page", "1"], undefined, 0, 0, 0],
    ["reads", ["list-posts", "--per_page", "1"], "0", 0, 0, 0],
    ["writes", POST, undefined, 2, 0, 1],
    ["writes", POST, "example", 0, 0, 0],
    ["writes", POST, "rich", 2, 0, 1],
    ["writes", POST, "0", 2, 2, 0],
    ["destroys", DELETE, undefined, 2, 0, 1],
    ["destroys", DELETE, "1", 2, 0, 1],
    ["destroys", DELETE, "0", 2, 2, 0],
    ["effect not stated", ["nothing"], undefined, 2, 0, 1],
    ["effect not stated", ["nothing"], "1", 2, 0, 1],
    ["effect not stated", ["nothing"], "0", 2, 2, 0],
  ] as const)(
    "%s: %j with the variable %j",
    async (effect, words, variable, script, confirmed, questions) => {
      const project = await pulled();
      const env = variable === undefined ? {} : { [WRITES]: variable };
      const inScript = await project.withEnv(env).prints(["call", ...words], script);
      if (questions > 0) {
        expect(inScript.stderr).toContain(`(${effect})`);
        expect(inScript.stderr).toContain("hint: Pass --yes");
      }
      await project.withEnv(env).prints(["call", "--yes", ...words], confirmed);
      // "n" answers the first question.
      const asked = await runCommand(["call", ...words], { cwd: project.dir, env, keys: "n" });
      expect(asked.stderr.split("Call it?").length - 1 > 0).toBe(questions > 0);
      if (questions === 0) return;
      expect(asked.stderr).toContain(`(${effect})`);
      expect(asked).toMatchObject({ exitCode: 2, stdout: "" });
      expect(asked.stderr).toContain("was not called.");
      expect(await runCommand(["call", ...words], { cwd: project.dir, env, keys: "y" })).toMatchObject({
        exitCode: 0,
      });
    },
  );

  it("shows at the terminal what it would send, with the defaults that it adds", async () => {
    const project = await pulled();
    const { stderr } = await runCommand(["call", ...POST], { cwd: project.dir, keys: "n" });
    for (const shown of ['create-post"', "server example", '"title": "Hello"', '"content": "World"'])
      expect(stderr).toContain(shown);
    const sends = await pulled({ servers: { example: { ...EXAMPLE, defaults: "parse" } } });
    const filled = await runCommand(["call", ...POST], { cwd: sends.dir, keys: "n" });
    expect(filled.stderr).toContain('"status": "draft"');
    expect(stderr).not.toContain('"status"');
  });

  it("escapes what a terminal would obey, and shortens what is long", async () => {
    const project = await pulled();
    const words = ["create-post", "--title", "\u001b[2J", "--content", "x".repeat(100_000)];
    const { stderr } = await runCommand(["call", ...words], { cwd: project.dir, keys: "n" });
    expect(stderr).not.toContain('\u001b[2J"');
    expect(stderr.length).toBeLessThan(20_000);
  });

  it.each([
    ["writes: false", { writes: false }],
    ["writes of its server: false", { writes: { example: false } }],
    ["a focus mode that hides it", { focusMode: "read-only" }],
  ])("respects what a configuration forbids: %s", async (_, policy) => {
    const project = await pulled({ policy });
    await project.refuses(["call", "--yes", ...POST]);
  });

  it("says in its help how to confirm", async () => {
    const project = await pulled();
    const helpOf = async (line: string): Promise<string> =>
      (await project.run(`call ${line}--help`)).stdout.replace(/\s+/g, " ");
    expect(await helpOf("")).toContain("in a script, pass --yes");
    expect(await helpOf("")).not.toContain("the configuration allows it");
    expect(await helpOf("nothing ")).toMatch(/effect not stated.*call --yes rich__nothing/);
    expect(await helpOf("list-posts ")).not.toContain("--yes");
  });
});
