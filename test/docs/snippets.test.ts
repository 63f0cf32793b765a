/** Snippets of the README and docs/ compile, and the commands in them exist. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.js";
import { allFlagsOf, GLOBAL_OPTIONS, type OptionTable } from "../../src/cli/options.js";
import { splitAtTool } from "../../src/cli/program.js";
import { readSnippets } from "./read-snippets.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const documents = [
  "README.md",
  ...readdirSync(`${root}docs`)
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
const snippets = documents.flatMap((file) => readSnippets(file, readFileSync(`${root}${file}`, "utf8")));

test("every block names its language", () => {
  const known = ["ts", "sh", "json", "yaml", "text", "php", "python", "dotenv"];
  expect(snippets.filter(({ language }) => !known.includes(language)).map(({ place }) => place)).toEqual([]);
});

test("TypeScript compiles under the strictest flags", { timeout: 60_000 }, () => {
  // Snippets are compiled beside generated/, like a user's files. The example server replaces WordPress.
  const files = new Map(
    snippets
      .filter(({ language }) => language === "ts")
      .map(({ place, note, text }) => [
        // A block that is named after a file may be imported by others of its page.
        `${root}${note.endsWith(".ts") ? note : `${place.replace(/\W+/gu, "-")}.ts`}`,
        // The golden files have a server with prompts and resources.
        // The AI SDK is installed under a name for each of its versions.
        text
          .replaceAll("generated/wordpress/", "generated/example/")
          .replaceAll("./generated/library/", "./test/golden/entries/library/")
          .replaceAll(/"ai(?=["/])/gu, '"ai-7'),
      ]),
  );
  expect(files.size).toBeGreaterThan(0);
  const options: ts.CompilerOptions = {
    ...ts.parseJsonConfigFileContent({ extends: "./tsconfig.json", files: [] }, ts.sys, root).options,
    noUnusedLocals: false,
  };
  const host = ts.createCompilerHost(options);
  const real = { ...host };
  host.directoryExists = () => true;
  host.fileExists = (path) => files.has(path) || real.fileExists(path);
  host.readFile = (path) => files.get(path) ?? real.readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = files.get(path);
    return text === undefined
      ? real.getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  const messages = [...files.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return ts.getPreEmitDiagnostics(program, file).map((found) => {
      const line = found.file?.getLineAndCharacterOfPosition(found.start ?? 0).line ?? 0;
      return `${found.file?.fileName ?? path}:${line + 1}: ${ts.flattenDiagnosticMessageText(found.messageText, " ")}`;
    });
  });
  expect(messages).toEqual([]);
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
