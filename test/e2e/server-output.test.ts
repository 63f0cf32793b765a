/** The stderr of started servers, and reports of lost connections. */
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, type Project } from "./make-project.js";

const SECRET = "tr0ub4dor-and-3-more-characters";
const LOGIN = "https://login.example.com/authorize?state=1";

function talkative(then: string, say: string): object {
  return {
    ...fixtureCommand("talkative", "--then", then, "--say", say),
    env: { TOKEN: "${TOKEN}" },
    timeouts: { connect: 900 },
  };
}

async function projectOf(server: object): Promise<Project> {
  return makeProject({ servers: { bridge: server } });
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Both output streams together. */
async function shown(project: Project, argv: readonly string[]): Promise<string> {
  const { stdout, stderr } = await project.run(argv, { TOKEN: SECRET });
  return stdout + stderr;
}

describe("the last lines of a server that did not connect", () => {
  it.each([
    ["hang", "did not connect within 900 ms"],
    ["exit", "exited with code 3"],
  ])("are shown by pull, once (%s)", async (then, message) => {
    const project = await projectOf(talkative(then, `Please log in:\\n${LOGIN}\\n`));
    const { stdout, stderr } = await project
      .withEnv({ TOKEN: "t" })
      .prints(["pull"], 3, `    It wrote to stderr:\n    | Please log in:\n    | ${LOGIN}\n`);
    expect(countOf(stdout + stderr, message)).toBe(1);
    expect(countOf(stdout + stderr, `| ${LOGIN}`)).toBe(1);
    expect(stderr).toBe("bridge: connecting\nbridge: failed\n");
  });

  it("are shown by list --server, call --server and check, once", async () => {
    const calm = await projectOf(talkative("serve", "Listening."));
    await calm.run(["pull"], { TOKEN: "t" });
    await calm.configure({ servers: { bridge: talkative("exit", LOGIN) } });
    const { command, args } = fixtureCommand("talkative", "--then", "exit", "--say", LOGIN);
    const server = ["--server", [command, ...args].join(" ")];
    for (const argv of [
      ["list", ...server],
      ["call", ...server, "say"],
      ["check"],
      ["call", "say", "--id", "1"],
    ]) {
      const text = await shown(calm, argv);
      expect(countOf(text, "exited with code 3"), text).toBe(1);
      expect(text).toMatch(/ \| https:\/\/login\.example\.com/);
    }
  });

  it("are in documents and reports", async () => {
    const project = await projectOf(talkative("exit", `one\\n${LOGIN}`));
    expect((await project.runJson(["pull"], { TOKEN: "t" })).document).toMatchObject({
      servers: [{ error: { stderr: ["one", LOGIN] } }],
      unverified: [{ facts: { stderr: ["one", LOGIN] } }],
    });
    await project.write("mcp-codegen.lock.json", '{"lockfileVersion":1,"servers":{}}');
    for (const format of ["markdown", "github", "sarif", "junit"])
      expect((await project.run(["check", "--format", format], { TOKEN: "t" })).stdout).toContain(LOGIN);
  });

  it("are escaped, bounded and without secrets", async () => {
    const say = `\u001b[31mred\u001b[0m \u202ertl\\n::error::x\\n${"y".repeat(5_000)}\\ntoken ${SECRET}`;
    const text = await shown(await projectOf(talkative("exit", `${"line\\n".repeat(100)}${say}`)), ["pull"]);
    expect(text).not.toContain(SECRET);
    expect(text).toContain("| token ***");
    expect(text).toContain("| red  rtl");
    expect(text).toContain("| \\u{3A}:error::x");
    expect(countOf(text, "y")).toBeLessThan(1_100);
    expect(countOf(text, "| line")).toBeLessThanOrEqual(8);
  });
});

describe("--verbose", () => {
  it("prints the output of servers immediately, with their names", async () => {
    const project = await projectOf(talkative("serve", `Hello.\\ntoken ${SECRET}`));
    const pulled = await project.run(["pull", "--verbose"], { TOKEN: SECRET });
    expect(pulled.stderr).toContain("bridge: Hello.\nbridge: token ***\n");
    for (const argv of [
      ["--verbose", "call", "say"],
      ["call", "say", "--verbose"],
      ["check", "--verbose"],
    ]) {
      const { stderr } = await project.run([...argv, ...(argv.includes("call") ? ["--id", "1"] : [])], {
        TOKEN: SECRET,
      });
      expect(stderr, argv.join(" ")).toContain("bridge: Hello.\n");
      expect(stderr).not.toContain(SECRET);
    }
    const { command, args } = fixtureCommand("talkative");
    const { stderr } = await project.run(["list", "--verbose", "--server", [command, ...args].join(" ")]);
    expect(stderr).toContain("talkative: Listening.\n");
    expect((await project.run(["call", "say", "--id", "1"], { TOKEN: SECRET })).stderr).toBe("");
  });
});
