/** All that is printed on a terminal wraps at words to its width. */
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/core/printable.js";
import { runCommand } from "./run-command.js";
import { makeProject, type Project } from "../e2e/make-project.js";

const LONG =
  "Returns the orders of one customer, with their lines, their payments and the state of each parcel. ";
const WORDS = Array.from({ length: 30 }, (_, at) => `state_${at}`);

function toolsOf(isNew: boolean): object {
  const description = isNew ? LONG.replace("payments", "payment methods") : LONG;
  const customer = { type: "string", description, default: "the customer who is logged in" };
  const states = { type: "array", items: { enum: isNew ? WORDS.slice(3) : WORDS }, description };
  const from = { type: "string", description, pattern: isNew ? "^[0-9]{4}-[0-9]{2}$" : "^[0-9]{4}$" };
  const to = { type: "string", description };
  const inputSchema = {
    type: "object",
    properties: { customer, states, from, ...(isNew && { to }) },
    required: isNew ? ["customer", "to"] : ["customer"],
  };
  const outputs = WORDS.map((word) => [word, { type: isNew ? "string" : "integer" }]);
  const find = {
    name: "find-orders-of-a-customer",
    title: "Find the orders of a customer, new and old, shipped or not",
    description: `${description.repeat(6)}\n\n${description}日本語の説明は、言葉の間に空白がありません。`,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    inputSchema,
    outputSchema: { type: "object", properties: Object.fromEntries(outputs) as object },
  };
  const cancel = { name: "cancel", description: LONG, inputSchema: { type: "object", properties: {} } };
  return { tools: isNew ? [find, cancel] : [find] };
}

const COMMANDS = [
  "--help",
  "check --help",
  "call --help",
  "list",
  "list --tokens",
  "list --fidelity",
  "search orders of a customer",
  "describe find-orders-of-a-customer",
  "call find-orders-of-a-customer --help",
  "call find-orders-of-a-customer --custmer a",
  "call find-orders-of-a-customer --customer a",
  "check",
  "check --fail-on breaking",
  "pull --dry-run",
  "doctor --offline",
  "init --yes --config other/mcp-codegen.config.json",
  "explain input-property-became-required",
  "explain",
  "generate --learn",
  "fix",
];
const WIDTHS = [80, 140];

async function makeChanged(): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "tools.json" } } });
  await project.writeJson("tools.json", toolsOf(false));
  expect((await project.run(["pull"])).exitCode).toBe(0);
  await project.writeJson("tools.json", toolsOf(true));
  return project;
}

/** What a line is without its indentation, its first columns and one word. */
function hasBreak(line: string): boolean {
  const text = line.trim().replace(/^(?:\S+ )*\S+ {2,}(?=\S)/, "");
  return text
    .replace(/ \\$/, "")
    .replace(/'[^']*'|"[^"]*"/g, "x")
    .includes(" ");
}

describe.each(WIDTHS)("on a terminal of %i columns", (columns) => {
  it.each(COMMANDS)("%s wraps every line", async (line) => {
    const project = await makeChanged();
    const options = { cwd: project.dir, isTTY: true, columns, env: { CI: "1", FORCE_COLOR: "1" } };
    const { stdout, stderr } = await runCommand(line, options);
    const lines = stripVTControlCharacters(stdout + stderr).split("\n");
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => widthOf(line) > columns && hasBreak(line))).toEqual([]);
  });
});

it("keeps every word, and wraps nothing where there is no terminal", async () => {
  const wordsOf = (text: string): readonly string[] =>
    stripVTControlCharacters(text).replaceAll(" \\\n", " ").split(/\s+/);
  const project = await makeChanged();
  for (const line of ["list", "describe find-orders-of-a-customer", "explain"]) {
    const plain = await runCommand(line, { cwd: project.dir });
    const narrow = await runCommand(line, { cwd: project.dir, isTTY: true, columns: 40 });
    expect(wordsOf(narrow.stdout)).toEqual(wordsOf(plain.stdout));
    expect(plain.stdout.split("\n").some((line) => line.length > 80)).toBe(true);
    // A pseudo-terminal without a size, as in a container.
    const unsized = await runCommand(line, { cwd: project.dir, isTTY: true, columns: 0 });
    expect(stripVTControlCharacters(unsized.stdout)).toBe(plain.stdout);
  }
});
