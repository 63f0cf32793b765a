import { tmpdir } from "node:os";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { CommandHelp } from "../../src/cli/command-spec.js";
import {
  type CommandName,
  COMMAND_GROUPS,
  commandNames,
  COMMANDS,
  isCommandName,
  UNLISTED_COMMANDS,
  WORDS_OF_OTHERS,
} from "../../src/cli/command-table.js";
import {
  allFlagsOf,
  flagOf,
  GLOBAL_OPTIONS,
  type OptionSpec,
  type OptionTable,
} from "../../src/cli/options.js";
import { run } from "../../src/cli/run.js";
import packageJson from "../../package.json" with { type: "json" };
import { complaints } from "../report/schemas.js";
import { runCommand, runJson } from "./run-command.js";

const cwd = tmpdir();

describe("the command line", () => {
  it.each(["--version", "-V", "pull --version"])(
    "prints the version of package.json for %s",
    async (line) => {
      const stdout = `${packageJson.version}\n`;
      expect(await runCommand(line, { cwd })).toEqual({ exitCode: 0, stdout, stderr: "" });
      const { exitCode, document, stderr } = await runJson(line, { cwd });
      expect([exitCode, stderr, complaints(document)]).toEqual([0, "", []]);
      expect(document).toMatchObject({
        report: "version",
        name: "mcp-codegen",
        version: packageJson.version,
        node: process.versions.node,
        lockfileVersion: 1,
        protocolVersions: expect.arrayContaining(["2025-11-25"]) as unknown,
      });
    },
  );

  it("passes --version after a tool's name to the tool", async () => {
    const { document } = await runJson(["call", "some_tool", "--version", "1", "--json"], { cwd });
    expect(document).toMatchObject({ report: "error" });
  });

  it("prints help with every command, an example and the exit codes", async () => {
    const { exitCode, stdout, stderr } = await runCommand(["--help"], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (const name of commandNames())
      expect(stdout.includes(`\n  ${name} `), name).toBe(!Object.hasOwn(UNLISTED_COMMANDS, name));
    for (const title of Object.keys(COMMAND_GROUPS)) expect(stdout).toContain(`\n${title}:\n`);
    expect(stdout.indexOf("npx mcp-codegen pull")).toBeLessThan(stdout.indexOf("Options:"));
    expect(stdout).toContain("npx mcp-codegen init --example");
    expect(stdout).toContain("70 a bug");
  });

  it.each(commandNames())(
    "prints help for %s on a screen of 80 columns, with the global options",
    async (name) => {
      const { exitCode, stdout } = await runCommand([name, "--help"], { cwd, columns: 80 });
      expect(exitCode).toBe(0);
      expect(stdout).toContain("--config, ");
      expect(stdout.split("\n").length).toBeLessThan(50);
    },
  );

  it.each([
    ["fix", "edit files with uncommitted changes", /generated files that were edited|--php|default HEAD/],
    ["generate", "overwrite generated files", /uncommitted|with fix|for check/],
    ["check", "at this git ref, file or URL", /fix:|default: HEAD/],
    ["doctor", "contact no server; examine everything else", /compare only/],
    ["login", "use this environment of the server", /compares every|with check and list/],
    ["pull", "read abilities from the PHP", /with --env|for check/],
  ])("has texts of its own for the options of %s", async (command, own, other) => {
    const { stdout } = await runCommand([command, "--help"], { cwd });
    const text = stdout.replace(/\s+/g, " ");
    expect(text).toContain(own);
    expect(text.slice(text.indexOf("Options:"))).not.toMatch(other);
  });

  it.each([...WORDS_OF_OTHERS])("leads %s to a command that exists", async (word, line) => {
    expect(isCommandName(word)).toBe(false);
    const [name = "", ...rest] = line.split(" ");
    if (!isCommandName(name)) {
      expect(line).toMatch(/^--(?:help|version)$/);
      return;
    }
    const flags = Object.entries<OptionSpec>(COMMANDS[name].options).flatMap((option) =>
      allFlagsOf(...option),
    );
    for (const flag of rest.filter((part) => part.startsWith("--"))) expect(flags).toContain(flag);
    expect((await runCommand([word], { cwd })).stderr).toContain(`hint: Use "npx mcp-codegen ${line}".`);
  });

  it.each<[string, string]>([
    ["generate shop", "generate takes names of servers only with --learn"],
    ["generate --from recordings", "--from requires --learn"],
    ["generate --fresh", "--fresh requires --learn"],
    ["generate --learn --full", "--learn cannot be used with --full"],
    ["generate --learn --force", "--learn cannot be used with --force"],
    ["list --max-tokens 500", "--max-tokens requires --context"],
    ["list --context shop", "--context cannot be used with names of servers"],
    ["list --context --live", "--context cannot be used with --live"],
    ["list --context --tokens", "--context cannot be used with --tokens"],
    ["login", "Missing the name of a server"],
    ["login --out", "Missing the name of a server"],
    ["login one two", "Only --list takes several servers"],
    ["login --out one two", "Only --list takes several servers"],
    ["login --out --list", "--list cannot be used with --out"],
    ["login --out --wait 5 shop", "--out cannot be used with --wait"],
    ["login --list --no-browser", "--list cannot be used with --no-browser"],
  ])("refuses %s", async (line, message) => {
    const { exitCode, stdout, stderr } = await runCommand(line, { cwd });
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`error: ${message}`);
  });

  it.each(Object.entries<CommandHelp>(COMMANDS))("names only options of %s as incompatible", (_, spec) => {
    const table: OptionTable = { ...GLOBAL_OPTIONS, ...spec.options };
    const flags = Object.entries(table).flatMap(([name, option]) => allFlagsOf(name, option));
    const named = (spec.conflicts ?? []).flatMap(({ option, excludes, requires, unless }) => [
      ...[option, ...(excludes ?? []), requires, unless].flatMap((text) => text?.split(" ")[0] ?? []),
    ]);
    expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
  });

  it("prints help on stderr and exits 2 when no command is named", async () => {
    const { exitCode, stdout, stderr } = await runCommand([], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("Usage: mcp-codegen");
    expect(stderr).not.toContain("error:");
  });

  it.each([
    [["pull", "--frosen"], 'error: Unknown option "--frosen".\nhint: Did you mean --frozen?\n'],
    [
      ["pull", "--fail-on", "any"],
      'error: Unknown option "--fail-on".\nhint: --fail-on is an option of check and diff.\n',
    ],
    [["puls"], 'error: Unknown command "puls".\nhint: Did you mean pull?\n'],
    [["tokens"], 'error: Unknown command "tokens".\nhint: Use "npx mcp-codegen list --tokens".\n'],
    [["constructor"], 'error: Unknown command "constructor".\nhint: Run "npx mcp-codegen --help".\n'],
    [
      ["check", "--fail-on", "all"],
      'error: Option "--fail-on <class>" argument "all" is invalid. Allowed choices are any, dangerous, breaking, never.\nhint: Run "npx mcp-codegen check --help".\n',
    ],
    [
      ["doctor", "site"],
      'error: Too many arguments for "doctor". Expected 0 arguments but got 1.\nhint: Run "npx mcp-codegen doctor --help".\n',
    ],
  ])("prints one line and a hint for %j", async (argv, stderr) => {
    expect(await runCommand(argv, { cwd })).toEqual({ exitCode: 2, stdout: "", stderr });
  });

  it.each([
    ["record shop get-order --id 1", "call --record <server>__<tool>"],
    ["learn shop --fresh", "generate --learn"],
    ["context --max-tokens 500", "list --context"],
    ["rules tool-removed", "explain"],
    ["logout shop", "login --out <server>"],
    ["whoami", "login --list"],
    ["pull --no-php", "pull"],
    ["generate --no-full", "generate"],
    ["replay changes.jsonl --journal file", "replay <changes>"],
  ])("leads from the old command line %s to %s", async (line, now) => {
    const unknown = /--(?:no|journal)\S*/.exec(line)?.[0] ?? line.split(" ")[0] ?? "";
    const what = unknown.startsWith("-") ? "option" : "command";
    const stderr = `error: Unknown ${what} "${unknown}".\nhint: Use "npx mcp-codegen ${now}".\n`;
    expect(await runCommand(line, { cwd })).toEqual({ exitCode: 2, stdout: "", stderr });
  });

  const TAKERS = commandNames().flatMap((name) =>
    Object.entries<OptionSpec>({ ...GLOBAL_OPTIONS, ...COMMANDS[name].options })
      .filter(([, spec]) => spec.value !== undefined)
      .map(([option, spec]): readonly [CommandName, string] => [name, flagOf(option, spec)]),
  );

  it.each(TAKERS)("refuses an option as the value of %s %s", async (name, flag) => {
    const values = ["--version", "-V", "--help", "-h", "--json", "--verbose", "--config=a", "--", "--x"];
    for (const value of values) {
      for (const line of [
        `${name} ${flag} ${value}`,
        `${flag} ${value} ${name}`,
        `${name} --json ${flag} ${value} x`,
      ]) {
        const { exitCode, stdout, stderr } = await runCommand(line, { cwd });
        expect(exitCode, line).toBe(2);
        expect(stdout === "" || line.includes("--json"), stdout).toBe(true);
        expect(stderr).not.toBe("");
      }
    }
  });

  it("says which option or argument has no value", async () => {
    const errorOf = async (line: string): Promise<string> => (await runCommand(line, { cwd })).stderr;
    expect(await errorOf("check --fail-on --version")).toBe(
      'error: --fail-on takes a value, and "--version" looks like an option.\nhint: If it is the value, write --fail-on=--version.\n',
    );
    expect(await errorOf("check --fail-on=--version")).toContain('argument "--version" is invalid');
    expect(await errorOf("search a --limit -5")).toContain("takes a whole number");
    // As git takes one ref.
    expect(await errorOf("diff main")).toBe(
      'error: Missing required argument "after".\nhint: For example: "npx mcp-codegen diff main .".\n',
    );
  });

  it.each(["check --offline", "list", "generate", "explain", "doctor", "list --context"])(
    "reports a missing file of variables, needed or not: %s",
    async (line) => {
      const { exitCode, stderr } = await runCommand(`${line} --env-file missing.env`, { cwd });
      expect([exitCode, stderr]).toEqual([
        2,
        'error: The environment file "missing.env" cannot be read.\nhint: Name an existing file with "--env-file".\n',
      ]);
    },
  );

  it("prints a document with --json, also without a command and for an unknown option", async () => {
    const missing = await runJson([], { cwd });
    expect(missing.document).toMatchObject({ report: "error", exitCode: 2, error: { code: "USAGE" } });
    expect(missing.stderr).toContain("A command is missing.");
    const { exitCode, document, stderr } = await runJson("pull --frosen", { cwd });
    const error = { code: "USAGE", message: 'Unknown option "--frosen".', hint: "Did you mean --frozen?" };
    expect(document).toEqual({ report: "error", exitCode: 2, error });
    expect([exitCode, complaints(document)]).toEqual([2, []]);
    expect(stderr).toContain("error:");
  });

  it.each([["pull"], ["generate"], ["check"]])("exits 2 for %s without a configuration", async (name) => {
    const { exitCode, stderr } = await runCommand([name], { cwd });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("error: No mcp-codegen configuration found.");
    expect(stderr).toContain("npx mcp-codegen init");
  });
});

describe("colours", () => {
  const ESCAPE = "\u001b[";
  it.each([
    ["on a terminal", { isTTY: true }, [], true],
    ["not elsewhere", {}, [], false],
    ["not with NO_COLOR", { isTTY: true, env: { NO_COLOR: "1" } }, [], false],
    ["with an empty NO_COLOR", { isTTY: true, env: { NO_COLOR: "" } }, [], true],
    ["with FORCE_COLOR anywhere", { env: { FORCE_COLOR: "1" } }, [], true],
    ["not with FORCE_COLOR=0", { isTTY: true, env: { FORCE_COLOR: "0" } }, [], false],
    ["not with --no-color", { isTTY: true, env: { FORCE_COLOR: "1" } }, ["--no-color"], false],
    ["not on a dumb terminal", { isTTY: true, env: { TERM: "dumb" } }, [], false],
  ])("%s", async (_, options, flags, isColoured) => {
    const { stderr } = await runCommand(["generate", ...flags], { cwd, ...options });
    expect(stderr.includes(ESCAPE)).toBe(isColoured);
  });
});

describe("output that cannot be written", () => {
  it.each([
    [["--version"], "ENOSPC", 2, /^error: The output cannot be written: ENOSPC: no space left\.\n$/],
    [["--version", "--json"], "ENOSPC", 2, /^[^]*error: The output cannot be written: ENOSPC: no space left\.\n$/], // prettier-ignore
    [["--version"], "EPIPE", 0, /^$/],
  ] as const)("of %j with %s exits with %i", async (argv, code, exitCode, words) => {
    const fail = (_chunk: unknown, _encoding: unknown, done: (error: Error) => void): void => {
      done(Object.assign(new Error(`${code}: no space left, write`), { code, syscall: "write" }));
    };
    const stderr = new PassThrough();
    const streams = { stdin: new PassThrough(), stdout: new Writable({ write: fail }), stderr };
    expect(await run(argv, { ...streams, cwd, env: {} })).toBe(exitCode);
    expect(String(stderr.read() ?? "")).toMatch(words);
  });
});
