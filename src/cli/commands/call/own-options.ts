import { usageError } from "../../command-spec.js";
import {
  flagOf,
  GLOBAL_OPTIONS,
  type GlobalOptions,
  type OptionTable,
  type OptionValues,
} from "../../options.js";
import type { ArgumentSchema } from "./flags/argument-schema.js";
import { CALL_FLAGS, RECORD_FLAGS } from "./spec.js";

const TABLES = { call: CALL_FLAGS, record: RECORD_FLAGS };

export type CallCommandOptions = OptionValues<typeof CALL_FLAGS> & OptionValues<typeof RECORD_FLAGS>;

/** The options of `call` or `record` that follow the tool's name. */
interface OwnOptions {
  readonly isHelp: boolean;
  readonly options: CallCommandOptions & GlobalOptions;
  /** The remaining words, which are the tool's flags. */
  readonly words: readonly string[];
}

/** Options that must precede the tool's name, since they decide which tool it names. */
const BEFORE = ["config", "envFile"] as const;

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
  const table: OptionTable = { ...GLOBAL_OPTIONS, ...TABLES[command], help: { help: "print help" } };
  const own = Object.entries(table).filter(([name, spec]) => !parameters.has(flagOf(name, spec).slice(2)));
  const { options, words: left } = extractOptions(words, Object.fromEntries(own));
  const { help, ...given } = options as OwnOptions["options"] & { readonly help?: boolean };
  const early = BEFORE.find((name) => given[name] !== undefined);
  if (early !== undefined) {
    const flag = flagOf(early, GLOBAL_OPTIONS[early]);
    throw usageError(
      `${flag} must precede the name of the tool.`,
      `For example: npx mcp-codegen ${command} ${flag} … <tool>.`,
    );
  }
  const isHelp = help === true || (words.length === 1 && words[0] === "-h");
  return { isHelp, options: given, words: left };
}

/**
 * Separates the options of a table from other words.
 *
 * @throws McpCodegenError `USAGE` for an option without its value
 */
export function extractOptions<T extends OptionTable>(
  words: readonly string[],
  table: T,
): { readonly options: OptionValues<T>; readonly words: readonly string[] } {
  const byFlag = new Map(
    Object.entries(table).map(([name, spec]) => [flagOf(name, spec), { name, ...spec }]),
  );
  const given = new Map<string, string | boolean | readonly string[]>();
  const left: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [flag = ""] = word.split("=", 1);
    const option = byFlag.get(flag);
    if (option === undefined) {
      left.push(word);
      continue;
    }
    const { name, value, repeatable, isNegative } = option;
    const isWhole = word.length > flag.length;
    if (value === undefined) {
      if (isWhole) throw usageError(`${flag} takes no value.`);
      given.set(name, isNegative !== true);
      continue;
    }
    const text = isWhole ? word.slice(flag.length + 1) : words[(at += 1)];
    if (text === undefined) throw usageError(`${flag} needs a value.`);
    const before = given.get(name);
    given.set(name, repeatable === true ? [...(typeof before === "object" ? before : []), text] : text);
  }
  // Each value was read by the table, so it has its type.
  return { options: Object.fromEntries(given) as OptionValues<T>, words: left };
}
