import { omitUndefined } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import type { EndpointSettings } from "../core/connection-settings.js";
import { isSecretName, isSecretValue } from "../core/secret-shapes.js";
import { STATIC_TOOLS } from "../core/connection.js";

/**
 * Parses the value of `--server`: a URL, or a command, split like a shell does. Nothing is expanded or run. `npx -y
 * @scope/server-git .` gives the name `git` and the settings of a configuration.
 *
 * @throws McpCodegenError `USAGE` for an empty text, or an unclosed quotation mark
 */
export function parseServerArgument(text: string): {
  readonly name: string;
  readonly settings: EndpointSettings;
} {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed)) {
    const host = URL.canParse(trimmed) ? nameOfHost(new URL(trimmed).hostname) : "server";
    return { name: makeServerName(host), settings: { url: trimmed } };
  }
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
    name: makeServerName(nameOfCommand(command, args)),
    settings: omitUndefined({
      command,
      args: args.length > 0 ? args : undefined,
      env: start > 0 ? env : undefined,
    }),
  };
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

/** Splits a command with {@link splitShellWords}. Returns undefined for an unclosed quotation mark. */
export function splitCommand(text: string): readonly string[] | undefined {
  const { words, raw, quote } = splitShellWords(text);
  if (quote !== undefined) return undefined;
  return raw === "" ? words.slice(0, -1) : words;
}

/** A text up to its end, split like a shell does. */
interface SplitText {
  /** The words without their quotes; the last is the one at the end, which may be empty. */
  readonly words: readonly string[];
  /** The last word with its quotes. */
  readonly raw: string;
  /** The quote that is open at the end. */
  readonly quote?: "'" | '"' | undefined;
}

/**
 * Splits a text like POSIX shells do (Shell Command Language, section 2.2), with quotation marks and backslashes only: nothing is
 * expanded.
 */
export function splitShellWords(text: string): SplitText {
  const words: string[] = [];
  let word = "";
  let raw = "";
  let quote: SplitText["quote"];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text[at + 1];
    if (quote === undefined && /\s/.test(character)) {
      if (raw !== "") words.push(word);
      [word, raw] = ["", ""];
      continue;
    }
    raw += character;
    if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) quote = character;
    else if (character === "\\" && next !== undefined && isEscape(quote, next)) {
      at += 1;
      raw += next;
      word += next;
    } else word += character;
  }
  return { words: [...words, word], raw, quote };
}

/** Outside quotes a backslash escapes only what a shell may treat specially, so that `C:\tools\server.exe` stays unchanged. */
function isEscape(quote: SplitText["quote"], next: string): boolean {
  if (quote === "'") return false;
  return quote === '"' ? '"\\$`'.includes(next) : /[^\p{L}\p{N}\p{M}_%+=:,./@-]/u.test(next);
}

/**
 * Returns a server key for any text: `[a-z][a-z0-9_]*`, and not one of `taken`. `GitHub Copilot` gives
 * `github_copilot`.
 */
export function makeServerName(text: string, others: readonly string[] = []): string {
  const words = text
    .replace(/([a-z0-9])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|(?<!_)_+$/g, "");
  const isName = /^[a-z]/.test(words) && words !== STATIC_TOOLS;
  const name = isName ? words : words === "" ? "server" : `server_${words}`;
  if (!others.includes(name)) return name;
  let number = 2;
  while (others.includes(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}

const PLAIN = /^(?:index|main|server|mcp|mcp-server|dist|src|build|bin|lib|api|www|cli|app|stdio)$/;

/** The distinctive part of the name of a package, a program or an image: `@scope/mcp-server-git@1.2` gives `git`. */
function nameOfPackage(specifier: string): string {
  const parts = specifier
    .replace(/^(?:git\+)?https?:\/\//, "")
    .split(/[/\\]/)
    .map((part) =>
      part
        .replace(/^@/, "")
        .replace(/[@:#].*$/s, "")
        .replace(/(?:==|~=|>=).*$/s, ""),
    )
    .map((part) => part.replace(/\.(?:[cm]?[jt]s|py|exe|cmd|sh|php|phar|jar|git)$/, ""))
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const telling = parts.map(withoutMcp).filter((part) => part !== "" && !PLAIN.test(part));
  return telling.at(-1) ?? parts.at(-1) ?? "server";
}

/** The distinctive part of a host name: `mcp.linear.app` gives `linear`. */
function nameOfHost(host: string): string {
  const isAddress = /^[\d.]+$/.test(host) || host.includes(":") || !host.includes(".");
  if (isAddress) return host;
  const labels = host.split(".").slice(0, -1);
  return (
    labels
      .map(withoutMcp)
      .findLast((label) => label !== "" && !PLAIN.test(label) && !/^(?:co|com|org)$/.test(label)) ?? host
  );
}

function withoutMcp(name: string): string {
  return name
    .replace(/^(?:mcp[-_])?(?:server[-_])?/, "")
    .replace(/(?:[-_]mcp)?(?:[-_]server)?(?:[-_]mcp)?$/, "");
}
