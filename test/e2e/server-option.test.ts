import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { LOCKFILE_NAME, makeProject, makePulled } from "./make-project.js";

const CONFIG = "mcp-codegen.config.ts";
const WRITES = { MCP_CODEGEN_ENABLE_WRITES: "1" };

const commandOf = ({ command, args }: ReturnType<typeof fixtureCommand>): string =>
  [command, ...args].map((word) => JSON.stringify(word)).join(" ");
const drifted = commandOf(fixtureCommand("drifted"));

describe("--server with a command", () => {
  it("needs no configuration, writes nothing, and prints valid documents", async () => {
    const project = await makeProject();
    const server = ["--server", drifted];
    for (const [argv, expected] of [
      [["list", ...server], "fixtures not locked, 2"],
      [["list", ...server, "--tokens"], "Total:"],
      [["search", ...server, "find", "orders"], "find-orders"],
      [["describe", ...server, "find-orders"], "--state <"],
      [["call", ...server, "find-orders", "--state", "open"], '"ids"'],
      [["pull", ...server], "  + find-orders"],
    ] as const)
      await project.prints(argv, 0, expected);
    const { document } = await project.reports(["list", ...server], { servers: [{ server: "fixtures" }] });
    expect(JSON.stringify(document)).not.toContain('"contract"');
    await project.runJson(["search", ...server, "orders"]);
    await project.runJson(["describe", ...server, "find-orders"]);
    await project.reports(["pull", ...server], { wrote: false, stale: [], servers: [{ status: "new" }] });
    expect(await project.files()).toEqual({});
  });

  it("reads no configuration, does not change a project, and prints a configuration that works unchanged", async () => {
    const project = await makePulled({ servers: { shop: fixtureCommand("drifted") } });
    const before = await project.files();
    const pull = ["pull", "--server", commandOf(fixtureCommand("paged"))];
    // In the language of the configuration.
    await project.prints(
      pull,
      0,
      "add it to the servers of mcp-codegen.config.json",
      /\n {4}"fixtures": \{\n/,
    );
    expect(await project.files()).toEqual(before);
    await project.write("mcp-codegen.config.json", "{");
    await project.prints(["list", "--server", drifted], 0);

    const empty = await makeProject();
    const says = ["fixtures new, 2 tools", "Nothing was written (--server)."];
    const { stdout } = await empty.prints(["pull", "--server", drifted], 0, ...says);
    await empty.write(CONFIG, stdout.split('mcp-codegen pull":\n\n')[1] ?? "");
    await empty.prints("pull", 0);
    expect(await empty.paths()).toContain(LOCKFILE_NAME);
  });

  it("repeats the server in the commands that it prints", async () => {
    const project = await makeProject();
    const described = await project.run(["describe", "--server", drifted, "find-orders"]);
    const example = /\$ npx mcp-codegen (call --server '([^']+)' find-orders .*)/.exec(described.stdout);
    expect(example?.[2]).toBe(drifted);
    await project.refuses(
      ["call", "--server", drifted, "find-orders", "--state", "x"],
      `hint: Run "npx mcp-codegen call --server '${drifted}' find-orders --help".`,
    );
    await project.refuses(
      ["call", "--server", drifted, "find-order"],
      'There is no tool "find-order" on this server.',
      /Did you mean "find-orders"/,
    );
  });

  it("calls with --yes, unless the variable switches writes off, which may name other servers", async () => {
    const project = await makeProject();
    const call = ["call", "--server", commandOf(fixtureCommand("rich-content")), "--yes", "nothing"];
    await project
      .withEnv({ MCP_CODEGEN_ENABLE_WRITES: "0" })
      .refuses(call, "set it to 1, or to fixtures for this server alone");
    for (const env of [{}, WRITES, { MCP_CODEGEN_ENABLE_WRITES: "shop" }])
      await project.withEnv(env).prints(call, 0);
  });

  it("starts a server once for a call", async () => {
    const project = await makeProject();
    const server = commandOf(fixtureCommand("talkative", "--log", join(project.dir, "log")));
    const { stdout } = await project.run(["call", "--server", server, "say", "--id", "1"]);
    expect(stdout).toBe("said\n");
    expect(await project.read("log")).toBe("started\n");
  });

  it("reports a server that cannot be listed, and prints no configuration for it", async () => {
    const project = await makeProject();
    for (const line of ["list", "pull", "describe x", "call x", "search x"]) {
      const [name = "", ...words] = line.split(" ");
      const { stdout, stderr } = await project.prints([name, "--server", "nowhere", ...words], 3);
      expect(stdout + stderr).toContain('Command "nowhere" was not found.');
      expect(stdout).not.toContain("To lock it");
    }
  });
});

describe("--server with a name", () => {
  it("selects a configured server", async () => {
    const server = fixtureCommand("drifted");
    const { run, refuses } = await makePulled({ servers: { one: server, two: server } });
    expect((await run("describe --server one find-orders")).stdout).toContain("server one,");
    expect((await run("list --server two")).stdout).not.toContain("one contract");
    expect((await run("search --server two orders")).stdout).not.toContain("one__");
    const call = ["call", "--server", "two", "find-orders", "--state", "open"];
    expect((await run(call)).stdout).toContain('"ids"');
    const says = 'It has "one", "two". To start the command "three", write its path.';
    await refuses("list --server three", says);
    expect((await run("pull --server one")).stderr).toContain('Run "npx mcp-codegen pull one".');
  });

  it("with hyphens, as files of editors have it, is understood by every command", async () => {
    const project = await makeProject({ servers: { "my-shop": fixtureCommand("drifted") } });
    await project.prints("pull my-shop", 0);
    const paths = (await project.paths()).join();
    expect(paths).toMatch(/^(?!.*my-shop).*generated\/my_shop\/index\.ts/);
    for (const line of ["check my-shop", "check my_shop", "list my-shop"]) await project.prints(line, 0);
    await project.reports(["call", "my_shop__find-orders", '--input={"state":"open"}'], {
      server: "my_shop",
    });
  });

  it("is an argument of a locked tool with that parameter", async () => {
    const project = await makePulled({ servers: { odd: fixtureCommand("own-options") } });
    const { stdout } = await project.run(["call", "echo", "server=eu 1"]);
    expect(JSON.parse(stdout)).toEqual({ server: "eu 1" });
    const { stderr } = await project.refuses(
      ["call", "echo", "--server", "eu 1"],
      "--server must precede the name of the tool.",
    );
    expect(stderr).toContain("For a parameter of the tool, write server=….");
  });
});

describe("--server with a URL", () => {
  const TOKEN = "tr0ub4dor-and-3-more-characters";
  const start = async (name: string, ...args: string[]): Promise<string> => {
    const fixture = await startFixture(name, { args });
    onTestFinished(() => fixture.close());
    return fixture.url;
  };

  it("sends credentials, also of variables", async () => {
    const project = (await makeProject()).withEnv({ SHOP_TOKEN: TOKEN });
    for (const [option, value, allowed] of [
      ["--bearer", "${SHOP_TOKEN}", TOKEN],
      ["--header", "X-Key: ${SHOP_TOKEN}", `x-key=${TOKEN}`],
      ["--header", `X-Key: ${TOKEN}`, `x-key=${TOKEN}`],
    ] as const) {
      const url = await start("drifted", option, allowed);
      await project.prints(["list", "--server", url], 3);
      await project.prints(["list", "--server", url, option, value], 0);
      await project.prints(["call", "--server", url, option, value, "find-orders", "--state", "open"], 0);
    }
  });

  it.each(["initialize", "list", "call"])("prints no credentials that a server repeats at %s", async (at) => {
    const url = await start("secret-echo", "--at", at);
    const project = await makeProject();
    const server = ["--server", url, "--bearer", TOKEN, "--header", `X-Key: 2${TOKEN}`];
    for (const command of ["list", "pull", "describe leak", "search leak", "call leak --id 1 --yes"])
      for (const more of [[], ["--json"]]) {
        const [name = "", ...words] = command.split(" ");
        const { stdout, stderr } = await project.run([name, ...more, ...server, ...words], WRITES);
        expect(stdout + stderr, command).not.toBe("");
        expect(stdout + stderr, command).not.toContain(TOKEN);
      }
  });

  it("prints the configuration with variables in place of credentials", async () => {
    const url = await start("drifted");
    const project = await makeProject();
    const credentials = ["--bearer", TOKEN, "--header", "X-Key: hunter2", "--header", "X-Other: ${OTHER}"];
    const { stdout } = await project.run(["pull", "--server", url, ...credentials], { OTHER: "hunter3" });
    expect(stdout).toContain('bearer: "${SERVER_127_0_0_1_TOKEN}"');
    expect(stdout).toContain('"X-Key": "${SERVER_127_0_0_1_X_KEY}"');
    expect(stdout).toContain('"X-Other": "${OTHER}"');
    expect(stdout).not.toContain("hunter");
  });

  it("rejects what it cannot use, and repeats no credential", async () => {
    const project = await makeProject();
    const url = "https://a.example/mcp";
    for (const [argv, message] of [
      [["list", "--bearer", TOKEN], "--header and --bearer need --server with a URL."],
      [["list", "--server", "npx x y", "--bearer", TOKEN], "--header and --bearer need --server with a URL."],
      [["list", "--server", url, "--header", TOKEN], "--header takes a name and a value"],
      [["list", "--server", url, "--header", `X: a\r\n${TOKEN}`], "--header takes a name"],
      [["list", "--server", url, "--bearer", ""], "--bearer is empty."],
      [["list", "shop", "--server", url], "--server cannot be used with names of servers"],
      [["pull", "--server", "npx x y", "--frozen"], "--server cannot be used with --frozen"],
      [["call", "--server", url, "x", "--bearer"], "--bearer must precede the name of the tool."],
    ] as const)
      expect((await project.refuses(argv, message)).stderr).not.toContain(TOKEN);
  });
});

it("a secret in the text of --server is rejected before anything is started, and is not repeated", async () => {
  const project = await makeProject();
  const token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  for (const text of [
    "https://editor:hunter2hunter2@example.com/mcp",
    `TOKEN=${token} npx -y some-server`,
    `npx --token ${token} some-server`,
    "npx some-server --api-key=hunter2hunter2",
    "https://example.com/mcp?token=hunter2hunter2",
  ]) {
    const says = /^error: "--server": servers\..*\nhint: .*single quotes/;
    const { stdout, stderr } = await project.refuses(["pull", "--server", text], says);
    expect(stdout + stderr).not.toMatch(/hunter2|abcdefghij/i);
  }
  expect(await project.paths()).toEqual([]);
});
