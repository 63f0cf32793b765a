import { McpCodegenError } from "../contract/errors.js";
import type { ServerOptions } from "./ad-hoc-server.js";
import { OPTIONS } from "./options.js";

export interface TakenServerOptions {
  readonly options: ServerOptions;
  /** The words that are left for the tool. */
  readonly words: readonly string[];
}

/**
 * Takes `--server`, `--header` and `--bearer` out of the words behind a tool's name.
 *
 * @throws McpCodegenError `USAGE` for an option without its value
 */
export function takeServerOptions(
  words: readonly string[],
  names: readonly (keyof ServerOptions)[],
): TakenServerOptions {
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
