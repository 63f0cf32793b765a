/** Every command on files that were changed field by field: exit 2 for what a reader refuses, never 70, and no text as code. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tmpdir } from "node:os";
import { OBSERVED_FORMAT } from "../../src/core/observed.js";
import { parseLockText } from "../../src/files/project-records.js";
import { parseFormat } from "../../src/files/parse-json.js";
import { WAIVERS_FORMAT } from "../../src/core/waivers.js";
import { parseCassetteFile } from "../../src/runtime/cassette/cassette-file.js";
import { runCommand } from "../cli/run-command.js";
import { runs } from "../sample.js";
import * as cases from "./file-cases.js";

const TOOLS = { tools: [{ name: "get-post", inputSchema: { type: "object" } }, { name: "create-post" }] };
const CONFIG = { servers: { shop: { file: "tools.json" } }, cassettes: ["cassettes"] };
const JOURNAL = {
  ...{ ...cases.CHANGE, environment: "production", outcome: "waits" },
  ...{ toolCallId: "1 a", run: "r" },
};

/** It suggests what it can read, and reports nothing. */
const COMPLETION = ["__complete", "--", "call", ""];
const LOCK_NAME = "mcp-codegen.lock.json";

/** The commands that read each file, and its reader, which throws for a file that it refuses. */
const COMMANDS: {
  readonly [file: string]: {
    readonly mutations: readonly cases.Mutation[];
    readonly commands: readonly (readonly string[])[];
    readonly read?: (text: string) => unknown;
  };
} = {
  [LOCK_NAME]: {
    mutations: cases.mutate(cases.LOCK, cases.signLock),
    read: parseLockText,
    commands: [
      ...[["check", "--offline"], ["check"], ["generate"], ["list"], ["list", "--json"], ["pull"], ["doctor"]],
      ...[["describe", "shop__get-post"], ["search", "post"], ["diff", LOCK_NAME, "tools.json"], ["log"]],
      ...[["page", "--out", "page.html"], ["list", "--context"], ["generate", "--learn"], ["call", "get-post", "--dry-run", "--id", "1"]],
      ...[["check", "--offline", "--hosts", "anthropic"]],
      COMPLETION,
    ],
  },
  "mcp-codegen.waivers.json": {
    mutations: cases.mutate(cases.WAIVERS),
    read: (text) => parseFormat(WAIVERS_FORMAT, text, ""),
    commands: [["check", "--offline"], ["check"], ["generate"], ["pull"]],
  },
  "mcp-codegen.observed.json": {
    mutations: cases.mutate(cases.OBSERVED),
    read: (text) => parseFormat(OBSERVED_FORMAT, text, ""),
    commands: [["check", "--offline"], ["generate"], ["generate", "--learn"]],
  },
  "cassettes/shop/get-post.json": {
    mutations: cases.mutate(cases.CASSETTE),
    read: (text) => parseCassetteFile(text, ""),
    commands: [["check", "--offline"], ["generate", "--learn"]],
  },
  "changes.jsonl": { mutations: cases.mutate(cases.CHANGE), commands: [["replay", "changes.jsonl", "--env", "production", "--dry-run"]] },
  "changes.production.journal.jsonl": { mutations: cases.mutate(JOURNAL), commands: [["replay", "changes.jsonl", "--env", "production", "--dry-run"]] },
  "mcp-codegen.config.json": {
    mutations: cases.mutate(cases.CONFIG),
    commands: [["check", "--offline"], ["list"], ["generate"], ["doctor", "--offline"], ["describe", "get-post"], ["list", "--context"]],
  },
  "tools.json": {
    mutations: cases.mutate({ ...TOOLS, serverInfo: { name: "a", version: "1" }, instructions: "b" }),
    commands: [["check"], ["diff", LOCK_NAME, "tools.json"], ["list", "--server", "tools.json"]],
  },
}; // prettier-ignore

let dir: string;
const lock = JSON.stringify(cases.LOCK);
const BASE: { readonly [path: string]: string } = {
  "mcp-codegen.config.json": JSON.stringify(CONFIG),
  "tools.json": JSON.stringify(TOOLS),
  [LOCK_NAME]: lock,
  "changes.jsonl": JSON.stringify(cases.CHANGE),
};

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mcp-codegen-files-"));
});
afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

async function reset(): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  for (const [path, text] of Object.entries(BASE)) await write(path, text);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

function isRefused(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}

/** Returns the generated files that have the hostile text as code: an identifier of it is not in a text or a comment. */
async function filesWithCode(): Promise<readonly string[]> {
  const folder = join(dir, "generated");
  const entries = await readdir(folder, { recursive: true }).catch((): string[] => []);
  const found: string[] = [];
  for (const entry of entries.filter((path) => path.endsWith(".ts"))) {
    const text = await readFile(join(folder, entry), "utf8");
    const scanner = ts.createScanner(ts.ScriptTarget.Latest, true, ts.LanguageVariant.Standard, text);
    for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan())
      if (token === ts.SyntaxKind.Identifier && scanner.getTokenText() === "PWNED") found.push(entry);
  }
  return found;
}

it.each(Object.entries(COMMANDS))(
  "%s, changed field by field, crashes no command",
  async (file, { mutations, commands, read }) => {
    const wrong: string[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...mutations),
        fc.constantFrom(...commands),
        async ({ what, text }, command) => {
          await reset();
          await write(file, text);
          const { exitCode, stdout, stderr } = await runCommand(command, { cwd: dir });
          const shown = `${command.join(" ")} | ${what} | ${exitCode} ${(stderr + stdout).slice(0, 300)}`;
          if (![0, 1, 2, 3].includes(exitCode)) wrong.push(shown);
          if (exitCode === 0 && command !== COMPLETION && read !== undefined && isRefused(() => read(text)))
            wrong.push(shown);
          for (const path of await filesWithCode()) wrong.push(`${path} has code | ${shown}`);
        },
      ),
      { numRuns: runs(150, 10) },
    );
    expect(wrong.slice(0, 30)).toEqual([]);
  },
);
