import { McpCodegenError } from "../contract/errors.js";
import type { ArgumentSchema } from "./call-flags/argument-schema.js";
import type { ServerOptions } from "./ad-hoc-server.js";
import type { GlobalOptions } from "./context.js";
import { COMMANDS, type CommandOptions } from "./command-table.js";
import { GLOBAL_OPTIONS, OPTIONS, type OptionName, type OptionSpec } from "./options.js";

/** The options of `call` or `record` that follow the tool's name. */
export interface OwnOptions {
  readonly isHelp: boolean;
  readonly options: CommandOptions<"call"> & CommandOptions<"record"> & GlobalOptions;
  /** The remaining words, which are the tool's flags. */
  readonly words: readonly string[];
}

/** Options that must precede the tool's name, since they decide which tool it names. */
const BEFORE: readonly OptionName[] = ["config", "envFile"];

/**
 * Separates the options of the command from the tool's flags after the tool's name. A flag that is a parameter of the tool
 * is the tool's.
 *
 * @throws McpCodegenError `USAGE`
 */
export function extractOwnOptions(
  command: "call" | "record",
  words: readonly string[],
  schema: ArgumentSchema,
): OwnOptions {
  const parameters = schema.members(schema.root);
  const names = [...GLOBAL_OPTIONS, ...COMMANDS[command].options];
  const own = new Map(names.map((name) => [OPTIONS[name].flag as string, name]));
  const isTools = (flag: string): boolean => parameters.has(flag.slice("--".length));
  const given = new Map<OptionName, string | boolean | readonly string[]>();
  const left: string[] = [];
  let isHelp = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [flag = ""] = word.split("=", 1);
    const name = own.get(flag);
    if ((word === "--help" && !isTools(word)) || (word === "-h" && words.length === 1)) isHelp = true;
    else if (name === undefined || isTools(flag)) left.push(word);
    else if (BEFORE.includes(name))
      throw new McpCodegenError("USAGE", `${flag} must precede the name of the tool.`, {
        hint: `For example: npx mcp-codegen ${command} ${flag} … <tool>.`,
      });
    else {
      const { value, repeatable }: OptionSpec = OPTIONS[name];
      const isWhole = word.length > flag.length;
      const text = isWhole ? word.slice(flag.length + 1) : words[at + 1];
      if (value === undefined ? isWhole : text === undefined)
        throw new McpCodegenError(
          "USAGE",
          value === undefined ? `${flag} takes no value.` : `${flag} needs a value.`,
        );
      const before = given.get(name);
      if (repeatable === true) given.set(name, [...(typeof before === "object" ? before : []), text ?? ""]);
      else given.set(name, value === undefined ? !flag.startsWith("--no-") : (text ?? ""));
      if (value !== undefined && !isWhole) at += 1;
    }
  }
  return { isHelp, options: Object.fromEntries(given), words: left };
}

export interface ExtractedServerOptions {
  readonly options: ServerOptions;
  /** The words that are left for the tool. */
  readonly words: readonly string[];
}

/**
 * Separates `--server`, `--header` and `--bearer` from the other words after a tool's name.
 *
 * @throws McpCodegenError `USAGE` for an option without its value
 */
export function extractServerOptions(
  words: readonly string[],
  names: readonly (keyof ServerOptions)[],
): ExtractedServerOptions {
  const given: { server?: string; header?: readonly string[]; bearer?: string } = {};
  const left: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const name = names.find((one) => word === OPTIONS[one].flag || word.startsWith(`${OPTIONS[one].flag}=`));
    if (name === undefined) {
      left.push(word);
      continue;
    }
    const { flag } = OPTIONS[name];
    const value = word === flag ? words[(at += 1)] : word.slice(flag.length + 1);
    if (value === undefined) throw new McpCodegenError("USAGE", `${flag} needs a value.`);
    if (name === "header") given.header = [...(given.header ?? []), value];
    else given[name] = value;
  }
  return { options: given, words: left };
}
