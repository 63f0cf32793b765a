import { McpCodegenError } from "../core/errors.js";
import type { ServerConfig } from "./config.js";
import { isSecretName, isSecretValue } from "../core/secret-shapes.js";
import { splitCommand } from "./split-command.js";
import { nameOfHost, nameOfPackage, toServerName } from "./server-names.js";

/**
 * Parses the value of `--server`: a URL, or a command, split like a shell does. Nothing is expanded or run. `npx -y
 * @scope/server-git .` gives the name `git` and the settings of a configuration.
 *
 * @throws McpCodegenError `USAGE` for an empty text, or an unclosed quotation mark
 */
export function parseServerArgument(text: string): {
  readonly name: string;
  readonly settings: ServerConfig;
} {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed)) return { name: nameOfUrl(trimmed), settings: { url: trimmed } };
  const words = splitCommand(trimmed);
  if (words === undefined) {
    throw new McpCodegenError("USAGE", "The command has an unclosed quotation mark.", {
      hint: "Quote the whole command for the shell, and its arguments inside that.",
    });
  }
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const [command, ...args] = start === -1 ? [] : words.slice(start);
  if (command === undefined || command === "") {
    throw new McpCodegenError("USAGE", "--server needs a command or a URL.", {
      hint: 'For example: --server "npx -y @modelcontextprotocol/server-memory".',
    });
  }
  const env = Object.fromEntries(words.slice(0, start).map(splitAssignment));
  return {
    name: toServerName(nameOfCommand(command, args)),
    settings: { command, ...(args.length > 0 && { args }), ...(start > 0 && { env }) },
  };
}

function nameOfUrl(url: string): string {
  return URL.canParse(url) ? toServerName(nameOfHost(new URL(url).hostname)) : "server";
}

function splitAssignment(word: string): [name: string, value: string] {
  const at = word.indexOf("=");
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Programs that run another program, which gives the server its name. */
const RUNNERS =
  /^(?:npx|pnpx|bunx|uvx|pipx|npm|pnpm|yarn|bun|uv|docker|podman|node|nodejs|tsx|ts-node|deno|python[\d.]*|php|java|cmd|env|wp)$/;
const SUBCOMMANDS = /^(?:run|exec|dlx|x|tool|start|\/c)$/;
/** Flags of these programs that take a value. */
const VALUED =
  /^(?:-e|--env|-v|--volume|--mount|--name|--network|-p|--publish|--env-file|-r|--require|--import|--with|--python|--directory|-c|--config)$/;

function nameOfCommand(command: string, args: readonly string[]): string {
  const program = command.replace(/^.*[/\\]/, "").replace(/\.(?:exe|cmd)$/i, "");
  if (!RUNNERS.test(program)) return nameOfPackage(command);
  let index = 0;
  while (index < args.length) {
    const word = args[index] ?? "";
    const hasValue = VALUED.test(word) || (/^-[^=]*$/.test(word) && isSecretName(word));
    if (hasValue) index += 2;
    // A name is shown, and a secret never is.
    else if (word.startsWith("-") || SUBCOMMANDS.test(word) || isSecretValue(word)) index += 1;
    else return nameOfRunnable(word, args.slice(index + 1));
  }
  return program;
}

function nameOfRunnable(word: string, rest: readonly string[]): string {
  if (RUNNERS.test(word) && rest.length > 0) return nameOfCommand(word, rest);
  const [next = ""] = rest;
  return NAMED_SERVER.test(next) ? nameOfPackage(next) : nameOfPackage(word);
}

/** The subcommand that starts a server, such as `example-server`; `run-mcp-server` is not a name. */
const NAMED_SERVER = /^(?!(?:run|start|serve|launch|open|dev|mcp|stdio|http)[-_])[a-z][a-z0-9_-]*[-_]server$/;
