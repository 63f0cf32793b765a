import { execFile } from "node:child_process";
import { rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { useProcesses } from "../../servers/in-process.js";
import { fixtureCommand, startFixture } from "../../servers/start-fixture.js";
import { hasPhp, WITH_PHP } from "../../sources/php/has-php.js";
import { HEADER, onInit, register } from "../../sources/php/make-plugin.js";
import { complaints } from "../../report/schemas.js";
import { commitAll } from "../git.js";
import { LOCKFILE_NAME, makeProject, type Project } from "../make-project.js";
import { startWatch } from "./start-watch.js";

interface WatchedProject extends Project {
  /** Writes the tools that the server lists: names, or definitions. */
  readonly list: (...tools: readonly (string | object)[]) => Promise<void>;
  /** The flags of the fixture. */
  readonly flags: readonly string[];
}

/** A project whose server "shop" lists `tools.json`. */
async function projectOf(
  transport: "stdio" | "http" | "sse",
  args: readonly string[] = [],
  settings: object = {},
): Promise<WatchedProject> {
  const project = await makeProject();
  const list = (...tools: readonly (string | object)[]): Promise<void> =>
    project.writeJson("tools.json", tools);
  await list("one");
  const flags = ["--file", join(project.dir, "tools.json"), ...args];
  let server: object = fixtureCommand("follows-file", ...flags);
  if (transport !== "stdio") {
    const fixture = await startFixture("follows-file", { transport, args: flags });
    onTestFinished(() => fixture.close());
    server = { url: fixture.url };
  }
  await project.configure({ servers: { shop: { ...server, ...settings } } });
  return { ...project, list, flags };
}

const HIDDEN = {
  name: "two",
  description: "Lists orders.\u{e0049}\u{e0067}\u{e006e}",
  inputSchema: { type: "object" },
};

describe("a server that sends no notifications", () => {
  test("is pulled at first, and again when ttlMs has passed", async () => {
    const project = await projectOf("http", ["--ttl", "1"]);
    const watch = startWatch(project.dir);
    await watch.see(/^\d\d:\d\d:\d\d shop: locked 1 tool · contract 1\.0\.0 · wrote \d+ files\n/);
    await watch.see(/^Install the packages .+\nWatching shop \(every 1 second\)\. Press Ctrl\+C to stop\.\n/);
    await project.list("one", "two");
    await watch.see(
      /^.+ shop: 1 safe · 1 tool added \(two\) · contract 1\.0\.0 → 1\.1\.0 · wrote \d+ files\n$/,
    );
    expect(await project.paths()).toContain("generated/shop/two.ts");
    expect([await watch.stop(), watch.stderr()]).toEqual([130, ""]);
  });

  test("is started again when its script is written", async () => {
    const project = await makeProject({
      servers: { shop: { command: process.execPath, args: ["server.mjs"] } },
    });
    const write = (...names: readonly string[]): Promise<void> =>
      project.write(
        "server.mjs",
        `import { plainTool, serve } from ${JSON.stringify(pathToFileURL(resolve("test/servers/raw-server.js")))};
         serve({ name: "own", list: () => ({ tools: ${JSON.stringify(names)}.map((name) => plainTool(name)) }) });`,
      );
    await write("one");
    const watch = startWatch(project.dir, ["--interval", "86400"]);
    await watch.see(/Watching shop/);
    await write("one", "two");
    await watch.see(/shop: 1 safe · 1 tool added \(two\)/);
    await project.write("server.mjs", 'throw new Error("no database")');
    await watch.see(
      /shop: .+ exited with code 1\. It wrote to stderr: "Error: no database.*"\. Trying again\.\n/,
    );
  });
});

describe("a server that sends notifications", () => {
  test("is polled beside them if it is started for each list", async () => {
    const project = await projectOf("stdio", ["--notify", "declared"]);
    const watch = startWatch(project.dir, ["--interval", "1"]);
    await watch.see(/Watching shop \(notifications, and every 1 second\)/);
    await project.list("one", "two");
    await watch.see(/shop: 1 safe · 1 tool added/);
  });

  test("announces locked prompts", async () => {
    const args = ["--notify", "yes", "--as", "prompts", "--era", "modern"];
    const project = await projectOf("http", args, { include: ["tools", "prompts"] });
    const watch = startWatch(project.dir, ["--interval", "86400"]);
    await watch.see(/Watching shop \(notifications\)/);
    await project.list("one", "two");
    await watch.see(/shop: 1 safe · changed: prompt two · contract 1\.0\.0 → 1\.1\.0/);
  });

  test("survives its restart", async () => {
    const project = await makeProject();
    await project.write("tools.json", `["one"]`);
    const args = ["--file", join(project.dir, "tools.json"), "--notify", "yes", "--era", "modern"];
    const first = await startFixture("follows-file", { args });
    const { url } = first;
    await project.configure({ servers: { shop: { url } } });
    const watch = startWatch(project.dir, ["--interval", "86400"]);
    await watch.see(/Watching shop \(notifications\)/);
    await first.close();
    await watch.see(/^.* shop: .+refuses connections .+Trying again\.\n$/m);
    await project.write("tools.json", `["one", "two"]`);
    const second = await startFixture("follows-file", { args, port: Number(new URL(url).port) });
    onTestFinished(() => second.close());
    await watch.see(/^.+ shop: can be read again\n.+ shop: 1 safe · 1 tool added \(two\).+\n$/);
    // The new session receives notifications. It may be open only now, and then it reads the list once more.
    await project.write("tools.json", `["one", "two", "three"]`);
    await watch.see(/shop: 1 safe · 1 tool added \(three\)/);
  });
});

describe("the configuration", () => {
  const configOf = (servers: readonly string[]): object => ({
    servers: Object.fromEntries(servers.map((name) => [name, { file: "tools.json" }])),
  });

  test.each([
    ["mcp-codegen.config.json", ""],
    ["mcp-codegen.config.ts", "export default "],
  ])("is loaded again when %s is written", async (name, before) => {
    const project = await makeProject();
    const tool = { name: "one", inputSchema: { type: "object" } };
    await project.writeJson("tools.json", { tools: [tool] });
    const write = (...servers: readonly string[]): Promise<void> =>
      project.write(name, `${before}${JSON.stringify(configOf(servers))}`);
    await write("shop");
    const watch = startWatch(project.dir);
    await watch.see(/Watching shop \(files\)/);
    await project.write(name, `${before}{`);
    await watch.see(/^.+ mcp-codegen\.config\.\w+: .+\n$/m);
    await write("shop", "second");
    await watch.see(/mcp-codegen\.config\.\w+: loaded again\n.+ second: locked 1 tool/);
    await watch.see(/Watching shop \(files\), second \(files\)/);
    await write("second");
    await watch.see(
      /shop: no longer configured, and still locked · to accept: npx mcp-codegen pull --remove\n/,
    );
    await project.writeJson("tools.json", { tools: [tool, { ...tool, name: "two" }] });
    await watch.see(/second: 1 safe · 1 tool added \(two\)/);
  });

  test("is read with new variables when .env is written", async () => {
    const project = await projectOf("http", ["--notify", "yes"]);
    const config = JSON.parse(await project.read("mcp-codegen.config.json")) as {
      servers: { shop: { url: string } };
    };
    const { url } = config.servers.shop;
    await project.write("mcp-codegen.config.json", `{"servers":{"shop":{"url":"\${SHOP_URL}"}}}`);
    const watch = startWatch(project.dir);
    await watch.see(/shop: .*SHOP_URL.*\n/);
    await project.write(".env", `SHOP_URL=${url}\n`);
    await watch.see(/loaded again\n.+ shop: locked 1 tool/);
    await watch.see(/Watching shop \(notifications\)/);
    const other = await startFixture("follows-file", { args: [...project.flags] });
    onTestFinished(() => other.close());
    await project.write(".env", `SHOP_URL=${other.url}\n`);
    await watch.see(/loaded again\nWatching shop \(notifications\)/);
    await project.list("one", "two");
    await watch.see(/shop: 1 safe · 1 tool added/);
  });

  test("does not touch files whose content is the same", async () => {
    const project = await projectOf("http");
    const watch = startWatch(project.dir);
    await watch.see(/Watching/);
    const times = async (): Promise<object> => {
      const paths = (await project.paths()).filter((path) => !path.endsWith("config.json"));
      return Promise.all(
        paths.map(async (path) => [path, (await stat(join(project.dir, path), { bigint: true })).mtimeNs]),
      );
    };
    const before = await times();
    const config = JSON.parse(await project.read("mcp-codegen.config.json")) as object;
    await project.configure({ ...config, check: { failOn: "any" } });
    const again = await watch.see(/loaded again\n(?:.*\n)*Watching/);
    expect(again).toMatch(/^.*loaded again\nWatching$/);
    expect(await times()).toEqual(before);
  });
});

describe("a security finding", () => {
  test("is reported once, with the command that accepts it", async () => {
    const project = await projectOf("http", ["--notify", "yes"]);
    const watch = startWatch(project.dir);
    await watch.see(/Watching/);
    await project.list("one", HIDDEN);
    await watch.see(
      /^.+ shop: 1 tool held back: .+ not accepted \(poison-.+\) · to accept: npx mcp-codegen pull shop --accept .+\n$/m,
    );
    await project.list("one", HIDDEN, "three");
    await watch.see(/^\n?.+ shop: 1 safe · 1 tool added \(three\).+\n$/);
    await project.list("one", "three");
    await project.list("one", "three", "four");
    await watch.see(/^(?!.*held back).+ shop: 1 safe · 1 tool added \(four\)/m);
  });

  test("is asked about once at a terminal, and an open question does not keep it from ending", async () => {
    const project = await projectOf("http", ["--notify", "yes"]);
    const keys = new PassThrough();
    const watch = startWatch(project.dir, [], { keys });
    await watch.see(/Watching/);
    await project.list("one", HIDDEN);
    await watch.see(/Lists orders/);
    keys.write("n");
    await watch.see(/shop: 1 tool held back/);
    await project.list("one", HIDDEN, "three");
    await watch.see(/shop: 1 safe · 1 tool added \(three\)/);
    expect(watch.output().match(/Lists orders/g)).toHaveLength(1);
    await project.list("one", { ...HIDDEN, name: "four" }, "three");
    await watch.see(/Lists orders/);
    expect(await watch.stop()).toBe(130);
    await project.prints("check", 1);
  });
});

test("a round locks every server that another branch has not locked, and removes no code", async () => {
  const project = await makeProject({
    servers: { shop: { file: "shop.json" }, site: { file: "site.json" } },
  });
  const list = (server: string, ...names: readonly string[]): Promise<void> => {
    const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    return project.writeJson(`${server}.json`, { tools });
  };
  for (const server of ["shop", "site"]) await list(server, "one");
  const watch = startWatch(project.dir);
  await watch.see(/Watching shop \(files\), site \(files\)/);
  await rm(join(project.dir, LOCKFILE_NAME));
  await list("shop", "one", "two");
  await watch.see(/site: locked 1 tool/);
  expect(await project.paths()).toContain("generated/site/one.ts");
});

test("an edit and its undo end at the committed lock", async () => {
  const project = await projectOf("http", ["--notify", "yes"]);
  await project.run("pull");
  await commitAll(project.dir);
  const lock = await project.read(LOCKFILE_NAME);
  const watch = startWatch(project.dir);
  await watch.see(/^Watching shop \(notifications\)/m);
  await project.list("one", "two");
  await watch.see(/ 1 safe · 1 tool added \(two\) · contract 1\.0\.0 → 1\.1\.0 /);
  await project.list("one");
  await watch.see(/ 1 breaking, 1 dangerous · 1 tool removed \(two\) · contract 1\.1\.0 → 1\.0\.0 /);
  expect(await project.read(LOCKFILE_NAME)).toBe(lock);
});

describe("--check", () => {
  test("reports drift once and writes nothing", async () => {
    const project = await projectOf("http", ["--notify", "yes"]);
    await project.run("pull");
    const before = await project.files();
    const watch = startWatch(project.dir, ["--check"], { env: { CI: "1" } });
    await watch.see(/^Watching shop \(notifications\)/);
    await project.list("one", "two");
    await watch.see(
      /shop: 1 safe · to take it: npx mcp-codegen pull shop\n.+ shop: safe \+ two \(tool-added\)\n/,
    );
    await project.list("two");
    await watch.see(
      /^.+ shop: 1 breaking, 1 dangerous, 1 safe · to take it: .+\n.+ shop: breaking - one \(tool-removed\)\n/,
    );
    await project.list("one");
    await watch.see(/shop: no findings any more\n$/);
    expect({ ...(await project.files()), "tools.json": before["tools.json"] }).toEqual(before);
  });

  test("is the only form in CI", async () => {
    const project = (await projectOf("http")).withEnv({ CI: "true" });
    const hint = 'hint: Run "npx mcp-codegen check", or pass --check.\n';
    await project.refuses(
      "watch",
      `error: watch writes files, which it does not do when CI is set.\n${hint}`,
    );
  });
});

describe.skipIf(!hasPhp)(`PHP${WITH_PHP}`, () => {
  const registerAll = (...names: readonly string[]): string => {
    const abilities = names.map((name) =>
      register(name, "'meta' => array( 'mcp' => array( 'public' => true ) )"),
    );
    return `<?php\n${onInit(abilities.join("\n"))}`;
  };

  test("is read again when it is written, and names what WordPress refuses", async () => {
    const project = await makeProject({ servers: { site: { php: { paths: ["acme/acme.php"] } } } });
    const load = "require __DIR__ . '/own.php'; require dirname( __DIR__ ) . '/tiny.php';";
    await project.write("acme/acme.php", HEADER + load);
    await project.write("acme/own.php", registerAll());
    await project.write("tiny.php", registerAll("ping"));
    const watch = startWatch(project.dir);
    await watch.see(/site: locked 1 tool/);
    await watch.see(/Watching site \(files\)/);
    // A main file is configured, and both another file of the plugin and one elsewhere are written.
    await project.write("acme/own.php", registerAll("own"));
    await watch.see(/site: 1 safe · 1 tool added \(acme-own\)/);
    await project.write("tiny.php", "<?php syntax error");
    await watch.see(/site: .+/);
    await project.write("tiny.php", registerAll("ping", "pong"));
    await watch.see(/site: can be read again\n.+site: 1 safe · 1 tool added \(acme-pong\)/);
    await project.write("tiny.php", registerAll("ping", "Pong"));
    await watch.see(
      /site: .+ 1 tool removed \(acme-pong\).+\n.+site: WordPress would not register the ability "acme\/Pong" \(tiny\.php:\d+\): /,
    );
    await project.write("tiny.php", registerAll("ping"));
    await watch.see(/site: no findings any more/);
  });
});

test.each([
  [[], "pull", { servers: [{ server: "shop", status: "changed" }] }],
  [["--check"], "check", { rows: [{ rule: "tool-added", findings: [{ server: "shop", tool: "two" }] }] }],
] as const)("--json %j prints one document a line", async (flags, report, expected) => {
  const project = await projectOf("http", ["--notify", "yes"]);
  if (report === "check") await project.run("pull");
  const watch = startWatch(project.dir, ["--json", ...flags]);
  while (!watch.stderr().includes("Watching")) await setTimeout(10);
  if (report === "pull") await watch.see(/^\{"report":"pull".+\}\n$/);
  await project.list("one", "two");
  const line = await watch.see(/^.+\n$/);
  expect(JSON.parse(line)).toMatchObject({ report, ...expected });
  await project.write("mcp-codegen.config.json", "{");
  await watch.see(/\{"report":"error".+\}\n/);
  for (const each of watch.output().trim().split("\n"))
    expect(complaints(JSON.parse(each) as object)).toEqual([]);
});

test("an interval that is not a number of seconds is refused", async () => {
  const project = await projectOf("stdio");
  for (const value of ["0", "1.5", "-3", "x", "90000"])
    await project.refuses(["watch", `--interval=${value}`], "takes a whole number from 1 to 86400");
});

describe.skipIf(process.platform === "win32")("when it ends", () => {
  useProcesses();

  const isRunning = async (args: readonly string[]): Promise<boolean> =>
    (await promisify(execFile)("ps", ["-eo", "args"])).stdout.includes(args.join(" "));

  /** A server that was starting is ended without waiting for it; the program's own end would end it too. */
  const ended = async (args: readonly string[]): Promise<void> => {
    while (await isRunning(args)) await setTimeout(20);
  };

  test("it leaves no process and no temporary file", async () => {
    const project = await projectOf("stdio", ["--notify", "yes"]);
    const watch = startWatch(project.dir);
    await watch.see(/Watching shop \(notifications/);
    expect(await isRunning(project.flags)).toBe(true);
    expect(await watch.stop()).toBe(130);
    await ended(project.flags);
    expect((await project.paths()).filter((path) => path.includes("tmp"))).toEqual([]);
    await project.prints("check", 0);
  });

  test("during a list, it leaves the files as they were", async () => {
    // A unique time-out distinguishes this server from those of other runs.
    const slow = fixtureCommand("slow", "--at", "list", "--delay", `61${process.pid}`);
    const project = await makeProject({ servers: { slow } });
    const before = await project.files();
    const watch = startWatch(project.dir);
    while (!(await isRunning(slow.args))) await setTimeout(20);
    expect(await watch.stop()).toBe(130);
    await ended(slow.args);
    expect([await project.files(), watch.output()]).toEqual([before, ""]);
  });
});
