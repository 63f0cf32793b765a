import { statedEffectOf } from "../../../core/decide.js";
import type { Policy } from "../../../core/policy.js";
import type { RegisteredTool } from "../../../core/tool.js";
import { serverNameOf, categoryNameOf } from "../../../core/tool-name.js";
import { describeToolData, describeToolSignature } from "../../../agent/toolset/describe-tool-data.js";
import { codeOf } from "../../../core/errors.js";
import { findOwn, isJsonObject, type JsonValue, objectOrEmpty } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import { EFFECT_WORDS } from "../../../core/snapshot.js";
import type { DescribedTool } from "../../../report/documents.js";
import { GUESSED } from "../../../report/print-list.js";
import { firstOf, type Layout, type Paint, present, quoteForShell } from "../../../report/layout.js";
import { generateValue } from "../../../testing/make-value.js";
import type { Runner } from "../../command-spec.js";
import type { Context } from "../../context.js";
import {
  findVisibleTool,
  needsConfirmation,
  type OpenedTools,
  withOpenedTools,
  withTool,
} from "../../open-tools.js";
import { printCommand, printServerText } from "../../print-text.js";
import {
  type Accepted,
  takesOnly,
  type ArgumentSchema,
  readArgumentSchema,
} from "../call/flags/argument-schema.js";
import { printArgumentWords } from "../call/flags/read-flags.js";
import type { DESCRIBE_FLAGS } from "./spec.js";

/** Prints the definitions of tools, as text or as TypeScript. */
export const runDescribe: Runner<typeof DESCRIBE_FLAGS> = (
  context,
  wanted,
  { format = "text", ...options },
) =>
  withOpenedTools(context, { ...options, tools: wanted }, async (opened) => {
    const tools: RegisteredTool[] = [];
    for (const name of new Set(wanted)) tools.push(findVisibleTool(opened, name));
    await show(context, tools, opened, format);
    return 0;
  });

async function show(
  context: Context,
  tools: readonly RegisteredTool[],
  { names, policy, serverWords }: OpenedTools,
  format: "text" | "typescript",
): Promise<void> {
  const lines: string[] = [];
  for (const tool of tools) {
    const name = names.nameOf(tool);
    const options = { name, policy, serverWords, layout: context };
    const ofTool = await withTool(tool, async () =>
      format === "text"
        ? describeForPeople(tool, options)
        : printServerText(`// ${name}\n${await describeToolSignature(tool)}`),
    );
    lines.push(...(lines.length > 0 ? [""] : []), ...ofTool);
  }
  const described = tools.map((tool) => toDocument(tool, names.nameOf(tool)));
  context.printDocument({ report: "describe", exitCode: 0, tools: described });
  if (format === "text") context.print(lines);
  else if (context.options.json !== true) context.io.stdout.write(`${lines.join("\n")}\n`);
}

/** Returns the `--json` form of a tool. */
export function toDocument(tool: RegisteredTool, name: string): DescribedTool {
  return { ...describeToolData(tool, name), server: serverNameOf(tool), title: tool.title };
}

/** The maximum number of flags to print; the schema shows the others. */
const MOST_FLAGS = 200;
const MOST_LINES = 40;

interface DescribeOptions {
  /** The tool's name on a command line. */
  readonly name: string;
  readonly policy: Policy;
  /** The options that name the tool's server on a command line. */
  readonly serverWords: readonly string[];
  readonly layout: Layout;
}

/** Returns the help of a tool: description, flags, output, annotations and an example command line. */
export async function describeForPeople(
  tool: RegisteredTool,
  { name, policy, serverWords, layout }: DescribeOptions,
): Promise<readonly string[]> {
  const { paint } = layout;
  const schema = readArgumentSchema(tool);
  const title = tool.title === undefined ? "" : `: ${printable(tool.title, 120)}`;
  const effect = EFFECT_WORDS[statedEffectOf(tool, policy)];
  const guess = tool.hasGuessedCategory === true ? ` ${GUESSED}` : "";
  const category = `${printable(categoryNameOf(tool), 60)}${guess}`;
  const example = await printExample(tool, schema, { name, serverWords });
  const inScript = printCommand("call", [...serverWords, "--yes", printable(name, 200)]);
  const confirmation = needsConfirmation(tool, policy)
    ? ["", `call asks before it calls this tool (${effect}). In a script: ${inScript} …`]
    : [];
  return [
    `${paint.bold(printable(name, 120))}${title}`,
    paint.dim(`server ${serverNameOf(tool)}, category ${category}, ${effect}`),
    ...printDescription(tool.description ?? "").map((line) => `  ${line}`),
    "",
    ...printParameters(schema, layout),
    ...printAnswer(tool),
    "",
    "TypeScript:",
    ...printSignatureLines(await describeToolSignature(tool), [...serverWords, name]),
    ...(example === undefined ? [] : ["", "Example:", `  $ ${example}`]),
    ...confirmation,
  ];
}

/** A longer line of a signature has a type that is unreadable at a terminal. */
const LONGEST_TYPE = 400;

function printSignatureLines(signature: string, words: readonly string[]): readonly string[] {
  const command = printable(printCommand("describe", words), 300);
  const lines = printServerText(signature);
  const isWhole = lines.every((line) => line.length <= LONGEST_TYPE);
  return [
    ...lines.map((line) => `  ${line.length <= LONGEST_TYPE ? line : `${line.slice(0, LONGEST_TYPE)}…`}`),
    ...present(!isWhole && `  The whole type: ${command} --format typescript`),
  ];
}

function printDescription(text: string): readonly string[] {
  const lines = printServerText(text.slice(0, 20_000).trim());
  if (lines[0] === "") return [];
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), "…"] : lines;
}

function printParameters(schema: ArgumentSchema, { paint }: Layout): readonly string[] {
  const all = listFlags(schema);
  const flags = all.slice(0, MOST_FLAGS);
  if (flags.length === 0) return ["Its input schema declares no parameters."];
  const column = Math.min(32, Math.max(...flags.map(({ head }) => head.length)));
  const left = all.length - flags.length;
  return [
    "Flags:",
    ...flags.flatMap((flag) => printFlag(flag, column, paint)),
    ...present(left > 0 && `  and ${left} more: --json shows them`),
  ];
}

function printFlag(flag: ToolFlag, column: number, paint: Paint): readonly string[] {
  const { head, isRequired, choices, description = "" } = flag;
  const texts = choices.map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)));
  const notes = present(
    isRequired && "required",
    flag.isRepeatable && "repeatable",
    choices.length > 0 &&
      `one of ${printable(firstOf(texts, 12, (rest) => `${rest} others`).join(", "), 300)}`,
    flag.default !== undefined && `default: ${printable(JSON.stringify(flag.default), 60)}`,
  );
  const [first = ""] = description.trim().split(/\r?\n/);
  const about = present(printable(first, 200), notes.length > 0 && `(${notes.join("; ")})`).join(" ");
  const emphasize = (text: string): string => (isRequired ? paint.bold(text) : text);
  if (about === "") return [`  ${head}`];
  return head.length > column
    ? [`  ${emphasize(head)}`, `  ${" ".repeat(column)}  ${about}`]
    : [`  ${emphasize(head.padEnd(column))}  ${about}`];
}

function printAnswer({ outputSchema, annotations = {} }: RegisteredTool): readonly string[] {
  const schema: unknown = outputSchema?.();
  const keys = Object.keys(objectOrEmpty(findOwn(schema, "properties"))).slice(0, 30);
  const returned = keys.map((key) => printable(key, 60)).join(", ") || "structured content";
  const hints = Object.entries(annotations)
    .filter(([, value]) => typeof value === "boolean")
    .map(([key, value]) => `${printable(key, 40)} ${String(value)}`);
  return [
    ...(schema === undefined ? [] : ["", `Returns: ${returned}`]),
    ...(hints.length === 0 ? [] : ["", `Annotations: ${hints.join(", ")}`]),
  ];
}

const LONGEST_EXAMPLE = 4_000;

/**
 * Returns a command line that calls the tool with valid arguments; undefined if none was found or it cannot be
 * printed.
 */
export async function printExample(
  tool: RegisteredTool,
  schema: ArgumentSchema,
  { name, serverWords }: Pick<DescribeOptions, "name" | "serverWords">,
): Promise<string | undefined> {
  const raw: unknown = tool.inputSchema();
  const example = { seed: tool.name, plain: true, dialect: tool.dialect };
  const args = isJsonObject(raw) && (await generateValue(raw, tool.input, example).catch(withoutValue));
  if (!isJsonObject(args)) return undefined;
  const words = printArgumentWords(args, schema);
  const input = words === undefined ? ["--input", JSON.stringify(args)] : [];
  const assignments = (words ?? []).map((word) => {
    const end = word.indexOf("=");
    return `${quoteForShell(word.slice(0, end))}=${quoteForShell(word.slice(end + 1))}`;
  });
  const line = [printCommand("call", [...serverWords, ...input, name]), ...assignments].join(" ");
  // A line with characters that a terminal does not show cannot be copied.
  return printable(line, LONGEST_EXAMPLE) === line ? line : undefined;
}

function withoutValue(error: unknown): undefined {
  if (codeOf(error) !== "SCHEMA_INVALID") throw error;
}

interface ToolFlag {
  /** The flag and the placeholder of its value: `--count <integer>`. */
  readonly head: string;
  readonly isRequired: boolean;
  readonly isRepeatable: boolean;
  /** The values of `enum` or `const`; empty without them. */
  readonly choices: readonly JsonValue[];
  readonly description?: string | undefined;
  readonly default?: JsonValue | undefined;
}

/** Lists the flags of a tool in the schema's order: required flags first. */
function listFlags(schema: ArgumentSchema): readonly ToolFlag[] {
  const flags: ToolFlag[] = [];
  for (const name of schema.names) {
    const argument = schema.property(name);
    if (argument === undefined) continue;
    const { accepted } = argument;
    const isRepeatable = accepted.types.has("array");
    // A flag for a list sets one item.
    const itemForm = isRepeatable ? argument.item(0).accepted : accepted;
    const description = argument.annotation("description");
    flags.push({
      head: printable(`--${name}${takesOnly("boolean", accepted) ? "" : ` ${nameValue(itemForm)}`}`, 60),
      isRequired: schema.required.has(name),
      isRepeatable,
      choices: [...itemForm.literals.values()],
      description: typeof description === "string" ? description : undefined,
      default: argument.annotation("default"),
    });
  }
  return flags.sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function nameValue({ types, literals, isWhole }: Accepted): string {
  const words = present(
    types.has("string") && "string",
    types.has("number") && (isWhole ? "integer" : "number"),
    types.has("boolean") && "true|false",
    (types.has("object") || types.has("array")) && "JSON",
    literals.size > 0 && "value",
  );
  return types.size >= 6 || words.length === 0 ? "<value>" : `<${words.join("|")}>`;
}
