/** Snippets of the README and docs/ compile, and the commands in them exist. */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/cli/command-table.js";
import { allFlagsOf, GLOBAL_OPTIONS, type OptionTable } from "../../src/cli/options.js";
import { splitAtTool } from "../../src/cli/program.js";
import { readSnippets } from "./read-snippets.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(`${root}docs`)
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
const snippets = documents.flatMap((file) => readSnippets(file, readFileSync(`${root}${file}`, "utf8")));

test("every block names its language", () => {
  const known = ["ts", "sh", "json", "yaml", "text", "php", "python", "dotenv"];
  expect(snippets.filter(({ language }) => !known.includes(language)).map(({ place }) => place)).toEqual([]);
});

test("TypeScript compiles under the strictest flags", () => {
  // In node_modules, so that the snippets resolve packages and git ignores them.
  const cache = `${root}node_modules/.cache`;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(`${cache}/snippets-`);
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  // Snippets are compiled beside generated/, like a user's files. The example server replaces WordPress.
  for (const name of ["generated", "test"]) symlinkSync(`${root}${name}`, join(folder, name), "junction");
  // `scripts.test.ts` checks those.
  const isScript = ({ note }: (typeof snippets)[number]): boolean => note.startsWith("automations/");
  const written = snippets.filter((snippet) => snippet.language === "ts" && !isScript(snippet));
  expect(written.length).toBeGreaterThan(0);
  for (const { place, note, text } of written) {
    // A block that is named after a file may be imported by others of its page.
    const name = note.endsWith(".ts") ? note : `${place.replace(/\W+/gu, "-")}.ts`;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    // The golden files have a server with prompts and resources.
    // The AI SDK is installed under a name for each of its versions.
    const replaced = text
      .replaceAll("generated/wordpress/", "generated/example/")
      .replaceAll("./generated/library/", "./test/golden/entries/library/")
      .replaceAll(/"ai(?=["/])/gu, '"ai-6');
    writeFileSync(join(folder, name), replaced);
    // agents.md names this difference.
    const next = replaced.replaceAll('"ai-6', '"ai-7').replaceAll("response.messages", "responseMessages");
    if (next !== replaced) writeFileSync(join(folder, `ai-7-${name}`), next);
  }
  const entries = Object.entries(manifest.exports).flatMap(([name, entry]) =>
    typeof entry === "object" && "types" in entry ? [[name, entry.types] as const] : [],
  );
  const paths = Object.fromEntries(
    entries.map(([name, types]) => [name.replace(/^\./u, "mcp-codegen"), [join(root, types)]]),
  );
  const config = {
    extends: `${root}tsconfig.json`,
    compilerOptions: { noUnusedLocals: false, paths },
    include: ["**/*.ts"],
    exclude: ["generated", "test"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  // The native compiler needs a fifth of the time of the others.
  const tsc = join(root, "node_modules/typescript-7/bin/tsc");
  const { stdout } = spawnSync(
    process.execPath,
    [tsc, "-p", folder, "--singleThreaded", "--pretty", "false"],
    { encoding: "utf8" },
  );
  expect(stdout).toBe("");
});

test("JSON parses", () => {
  for (const { language, text } of snippets) if (language === "json") JSON.parse(text);
});

describe("commands", () => {
  const lines = snippets
    .filter(({ language }) => ["sh", "yaml"].includes(language))
    .flatMap(({ place, text }) => commandsIn(text).map((command) => ({ place, command })));

  test.each(lines)("$place: mcp-codegen $command", ({ command }) => {
    // Flags after the name of a tool belong to the tool.
    const [name = "", ...rest] = splitAtTool(command.split(/\s+/u)).own;
    const spec = getOwnCommand(name);
    const table: OptionTable = { ...GLOBAL_OPTIONS, ...spec.options };
    const allowed = Object.entries(table).flatMap(([option, one]) => allFlagsOf(option, one));
    expect(rest.filter((word) => word.startsWith("--") && !allowed.includes(word))).toEqual([]);
  });

  test("npm scripts exist", () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = snippets
      .filter(({ language }) => language === "sh")
      .flatMap(({ text }) => [...text.matchAll(/npm run ([\w:]+)/gu)].map((match) => match[1] ?? ""));
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });
});

/** The arguments of each `npx mcp-codegen` in a text. */
function commandsIn(text: string): string[] {
  const named = text
    .replace(/"[^"\n]*"/gu, "TEXT")
    .matchAll(/npx (?:-y |--no-install )?mcp-codegen ([^\n&|>#]+)/gu);
  return [...named].map((match) => (match[1] ?? "").trim());
}

function getOwnCommand(name: string) {
  const found = Object.entries(COMMANDS).find(([command]) => command === name);
  if (!found) throw new Error(`mcp-codegen has no command "${name}".`);
  return found[1];
}
