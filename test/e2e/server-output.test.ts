/** The stderr of started servers, and reports of lost connections. */
import { describe, expect, it } from "vitest";
import type { CommandLine } from "../cli/run-command.js";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, type Project } from "./make-project.js";

const SECRET = "tr0ub4dor-and-3-more-characters";
const LOGIN = "https://login.example.com/authorize?state=1";

function talkative(then: string, say: string): object {
  return {
    ...fixtureCommand("talkative", "--then", then, "--say", say),
    env: { TOKEN: "${TOKEN}" },
    ...(then === "hang" ? { timeouts: { connect: 900 } } : {}),
  };
}

const projectOf = (server: object): Promise<Project> => makeProject({ servers: { bridge: server } });
const countOf = (text: string, part: string): number => text.split(part).length - 1;

/** Both output streams together. */
async function shown(project: Project, line: CommandLine): Promise<string> {
  const { stdout, stderr } = await project.run(line, { TOKEN: SECRET });
  return stdout + stderr;
}

describe("the last lines of a server that did not connect", () => {
  it.each([
    ["hang", "did not connect within 900 ms"],
    ["exit", "exited with code 3"],
  ])("are shown by pull, once (%s)", async (then, message) => {
    const project = await projectOf(talkative(then, `Please log in:\\n${LOGIN}\\n`));
    const lines = `    It wrote to stderr:\n    | Please log in:\n    | ${LOGIN}\n`;
    const { stdout, stderr } = await project.withEnv({ TOKEN: "t" }).prints("pull", 3, lines);
    for (const part of [message, `| ${LOGIN}`]) expect(countOf(stdout + stderr, part)).toBe(1);
    expect(stderr).toBe("bridge: connecting\nbridge: failed\n");
  });

  it("are shown by list --server, call --server and check, once", async () => {
    const calm = await projectOf(talkative("serve", "Listening."));
    await calm.withEnv({ TOKEN: "t" }).prints("pull", 0);
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
    await project.withEnv({ TOKEN: "t" }).reports("pull", {
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
    const project = (await projectOf(talkative("serve", `Hello.\\ntoken ${SECRET}`))).withEnv({
      TOKEN: SECRET,
    });
    const says = "bridge: Hello.\nbridge: token ***\n";
    for (const line of [
      "pull --verbose",
      "--verbose call say --id 1",
      "call say --verbose --id 1",
      "check --verbose",
    ])
      expect((await project.prints(line, 0)).stderr, line).toContain(says);
    const { command, args } = fixtureCommand("talkative");
    const listed = await project.run(["list", "--verbose", "--server", [command, ...args].join(" ")]);
    expect(listed.stderr).toContain("fixtures: Listening.\n");
    expect((await project.run("call say --id 1")).stderr).toBe("");
  });
});

const WARNING =
  'writes lines to standard output that are not messages; some clients fail on them: "chatty server listening on stdio"';

it("a server that writes text to stdout gets one warning of pull and doctor, and passes check", async () => {
  const project = await projectOf(fixtureCommand("chatty"));
  expect(countOf((await project.prints("pull", 0)).stdout, WARNING)).toBe(1);
  const message = `"bridge" ${WARNING}.`;
  const warning = expect.objectContaining({ about: "server", status: "warning", message }) as object;
  expect((await project.runJson("doctor")).document["diagnoses"]).toContainEqual(warning);
  await project.prints("check", 0);
});
