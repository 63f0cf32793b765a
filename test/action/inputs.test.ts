/** What the Action passes to the program, and which program it runs. */
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TOKEN } from "./hosting-service.js";
import { prepareStub, pullRequest, PUSH } from "./run-action.js";

/** Prints its arguments and its variables. */
const make = prepareStub("console.log(JSON.stringify({ args: process.argv.slice(2), env: process.env }));");

/** The arguments of the only command, without the reports. */
function argsOf(log: string): readonly string[] {
  const line = /^\{"args".*$/m.exec(log)?.[0] ?? "{}";
  const { args = [] } = JSON.parse(line) as { readonly args?: readonly string[] };
  return args.slice(0, args.indexOf("--report"));
}

it("inputs are options of the program", async () => {
  const { act } = await make();
  const inputs = { servers: "shop mail", environment: "prod", "fail-on": "never" };
  expect(argsOf((await act(inputs)).log)).toEqual([
    ...["check", "shop", "mail", "--env", "prod", "--fail-on", "never"],
  ]);
  expect(argsOf((await act({ offline: "true", "fail-on": "never" })).log)).toEqual([
    ...["check", "--offline", "--fail-on", "never"],
  ]);
  expect(argsOf((await act({ php: "TRUE" })).log)).toEqual(["check", "--php"]);
});

it("inputs are data, and those that are not valid are one error", async () => {
  const { act, paths } = await make();
  const hostile = '"; touch hacked #$(touch hacked)`touch hacked`';
  for (const name of ["fail-on", "environment"])
    expect(argsOf((await act({ [name]: hostile })).log)).toContain(hostile);
  expect(argsOf((await act({ servers: hostile })).log)).toEqual(expect.arrayContaining(hostile.split(" ")));
  for (const name of ["mode", "working-directory", "php"]) {
    const { exitCode, log } = await act({ [name]: hostile });
    expect(exitCode, `${name}: ${log}`).toBe(2);
  }
  expect(await paths()).not.toContain("hacked");
  expect((await act({ mode: "chek" })).log).toContain('The input "mode" takes check, upgrade, not "chek".');
  expect((await act({ comment: "yes" })).log).toContain(
    'The input "comment" takes true or false, not "yes".',
  );
});

it.each(["servers", "environment", "fail-on", "fail-on-changes"])(
  "an option in the input %s is an error: with --version, the check would end with 0",
  async (name) => {
    const { act } = await make();
    for (const value of ["--version", "-V", "--help", " --version ", "a --config=evil.js", "--"]) {
      const { exitCode, log } = await act({ [name]: value });
      expect(exitCode, `${value}: ${log}`).toBe(2);
      expect(log).toContain(`::The input "${name}" takes `);
      expect(argsOf(log)).toEqual([]);
    }
  },
);

it("inputs that would contact a server in spite of offline are an error", async () => {
  const { act } = await make();
  const environment = await act({ offline: "true", environment: "production" });
  expect(environment.exitCode, environment.log).toBe(2);
  expect(environment.log).toContain('The inputs "offline" and "environment" exclude each other. Remove one.');
  const upgrade = await act({ mode: "upgrade", offline: "true" });
  expect(upgrade.exitCode, upgrade.log).toBe(2);
  expect(upgrade.log).toContain('Mode upgrade contacts servers. Remove the input "offline", or set "php".');
  const fork = await act({ environment: "production" }, pullRequest({ from: "eve/app" }));
  expect(argsOf(fork.log)).toEqual(["check", "--offline"]);
});

it("outputs name no report that was not written", async () => {
  const { act } = await make();
  expect((await act({})).outputs).toMatchObject({ changes: "0", report: "", sarif: "" });
});

it("no server gets the token", async () => {
  const { act } = await make();
  // The program passes its own variables on to servers; this asks what it gets.
  const { log } = await act({}, PUSH, { TRACKER_TOKEN: "needed" });
  expect(log).toContain('"TRACKER_TOKEN":"needed"');
  expect(log).not.toContain(TOKEN);
});

it("a project without mcp-codegen gets the version of the Action", async () => {
  const { act, dir } = await make();
  await rm(join(dir, "node_modules"), { recursive: true });
  // A stub of npx, which would ask the registry.
  const tools = join(dir, "node_modules/.bin");
  await mkdir(tools, { recursive: true });
  await writeFile(join(tools, "npx"), '#!/bin/sh\necho "npx was called with $*"\n');
  await chmod(join(tools, "npx"), 0o755);
  const { exitCode, log } = await act({}, PUSH, { PATH: `${tools}:${process.env["PATH"] ?? ""}` });
  expect(exitCode, log).toBe(0);
  expect(log).toMatch(/npx was called with --yes mcp-codegen@\d+\.\d+\.\d+ check/);
});
