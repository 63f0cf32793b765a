/** Odd values of every option and argument end no command as a bug, and none waits for ever. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CommandName, commandNames, COMMANDS } from "../../src/cli/command-table.js";
import { flagOf, GLOBAL_OPTIONS, type OptionSpec } from "../../src/cli/options.js";
import { runCommand } from "../cli/run-command.js";
import { sample } from "../sample.js";
import { LOCK } from "./file-cases.js";

const VALUES = [
  ...[
    "", " ", "/", ".", "..", "a//", "http://", "https://[", "//", "/proc/x/y", "/dev/null/x", "[", "{a", "**", "!(",
  ],
  ...[
    "\u202e\u001b[2J", "__proto__", "constructor", "x".repeat(5000), "json=", "json=/proc/x/y", "=", "a=b", "@", "@/",
  ],
  ...[
    "9".repeat(400), "-1", "1e9", "NaN", "${A}", "${", "sha256-", "HEAD~9999999999", "@{99999999}", ":/x", "{}", "[]",
  ],
]; // prettier-ignore

/** They run until they are stopped, or wait for a person; `run` needs a thread of the build. */
const ENDLESS: readonly string[] = ["watch", "serve", "mock", "example-server", "login", "run"];
/** What a command needs besides. */
const MORE: { readonly [command: string]: readonly string[] } = {
  call: ["get-post", "--dry-run"],
  record: ["shop", "get-post"],
  replay: ["changes.jsonl", "--env", "production", "--dry-run"],
  describe: ["get-post"],
  search: ["post"],
  diff: ["tools.json", "tools.json"],
  explain: ["tool-removed"],
  pull: ["--dry-run"],
  export: ["--check"],
  completion: ["bash"],
};

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mcp-codegen-options-"));
  const write = (name: string, value: unknown): Promise<void> =>
    writeFile(join(dir, name), typeof value === "string" ? value : JSON.stringify(value));
  await write("mcp-codegen.config.json", { servers: { shop: { file: "tools.json" } } });
  await write("tools.json", { tools: [{ name: "get-post", inputSchema: { type: "object" } }] });
  await write("mcp-codegen.lock.json", LOCK);
  await write("changes.jsonl", "");
});

afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

const isRun = (name: CommandName): boolean => !ENDLESS.includes(name);

const FLAGS = commandNames()
  .filter(isRun)
  .flatMap((name) =>
    Object.entries<OptionSpec>({ ...GLOBAL_OPTIONS, ...COMMANDS[name].options })
      .filter(([, spec]) => spec.value !== undefined)
      .map(([option, spec]): readonly [CommandName, string] => [name, flagOf(option, spec)]),
  );

async function expectEnd(argv: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runCommand(argv, {
    cwd: dir,
    env: { CI: "", HOME: dir, XDG_STATE_HOME: dir },
  });
  expect([0, 1, 2, 3], `${JSON.stringify(argv).slice(0, 300)}: ${stderr}`).toContain(exitCode);
}

it.each(sample(FLAGS, 8))("an odd value of %s %s ends without a crash", async (name, flag) => {
  for (const value of VALUES) await expectEnd([name, `${flag}=${value}`, ...(MORE[name] ?? [])]);
});

it.each(commandNames().filter(isRun))("an odd argument of %s ends without a crash", async (name) => {
  for (const value of VALUES) {
    await expectEnd([name, ...(name === "pull" ? ["--dry-run"] : []), "--", value]);
    await expectEnd([name, ...(MORE[name] ?? []), value]);
  }
});
