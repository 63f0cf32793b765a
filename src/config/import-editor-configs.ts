import { omitUndefined } from "../core/collections.js";
import { join } from "node:path";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { parseJson } from "../files/parse-json.js";
import { findFileText } from "../files/read-files.js";
import type { Config, ServerConfig } from "./config.js";
import { replaceSecrets } from "./find-secrets.js";
import { variableName } from "../core/secret-shapes.js";
import { makeServerName } from "./parse-server-argument.js";

/** The servers in the MCP configurations that editors and assistants keep in a project. */
export interface ImportedServers {
  /** The files that were read, posix, relative to the folder. */
  readonly files: readonly string[];
  readonly servers: Config["servers"];
  /** Returns the secret that a file writes out, by the variable that replaces it. A function, so that it is not printed. */
  readonly literalOf: (variable: string) => string | undefined;
  /** Notes for the user, without secrets: variables to set, servers and files that were left out. */
  readonly notes: readonly ImportNote[];
}

interface ImportNote {
  readonly text: string;
  /** The key of the server; absent for a server that was left out, and for a file. */
  readonly server?: string;
}

const PROJECT_FILES = [".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", "claude_desktop_config.json"];

/** The files of a user, in the home folder: Cursor, Claude Code, and Claude Desktop on macOS, Windows and Linux. */
export const USER_FILES = [
  ".cursor/mcp.json",
  ".claude.json",
  "Library/Application Support/Claude/claude_desktop_config.json",
  "AppData/Roaming/Claude/claude_desktop_config.json",
  ".config/Claude/claude_desktop_config.json",
];

/**
 * Reads the MCP configurations in a folder. Names become server keys; editors' variables and literal secrets become
 * `${NAME}`. The first file with a server wins. An unreadable file is a note, not an error.
 */
export async function importEditorConfigs(
  dir: string,
  names: readonly string[] = PROJECT_FILES,
): Promise<ImportedServers> {
  const files: string[] = [];
  const notes: ImportNote[] = [];
  const servers = new Map<string, ServerConfig>();
  const origins = new Map<string, string>();
  const literals = new Map<string, string>();
  for (const file of names) {
    const text = await findFileText(join(dir, file)).catch(() => undefined);
    if (text === undefined) continue;
    const listed = findServers(text);
    if (listed === undefined) {
      notes.push({ text: `"${file}" is not JSON with servers, so it was left out.` });
      continue;
    }
    files.push(file);
    for (const [original, value] of Object.entries(listed)) {
      // A server with the same name in another file is the same server, configured for another editor.
      if (origins.has(original) && origins.get(original) !== file) continue;
      const imported = importServer(original, value, file, [...servers.keys()]);
      notes.push(...imported.notes);
      if (imported.server === undefined) continue;
      servers.set(imported.name, imported.server);
      origins.set(original, file);
      for (const [variable, literal] of Object.entries(imported.literals)) literals.set(variable, literal);
    }
  }
  return {
    files,
    servers: Object.fromEntries(servers),
    literalOf: (variable) => literals.get(variable),
    notes,
  };
}

function findServers(text: string): JsonObject | undefined {
  const parsed = parseJson(text, { allowComments: true });
  if (!("value" in parsed) || !isJsonObject(parsed.value)) return undefined;
  const servers = getOwn(parsed.value, "mcpServers") ?? getOwn(parsed.value, "servers");
  return isJsonObject(servers) ? servers : undefined;
}

function importServer(original: string, value: JsonValue, file: string, others: readonly string[]) {
  const name = makeServerName(original, others);
  const settings = isJsonObject(value) ? value : {};
  const inputs = new Set<string>();
  const text = (from: JsonValue | undefined): string | undefined =>
    typeof from === "string" ? convertVariables(from, inputs) : undefined;
  const url = text(getOwn(settings, "url") ?? getOwn(settings, "serverUrl"));
  const command = text(getOwn(settings, "command"));
  if (url === undefined && command === undefined) {
    const text = `"${original}" in "${file}" has neither a command nor a URL, so it was left out.`;
    return { name, notes: [{ text }] };
  }
  const texts = (from: JsonValue | undefined): { readonly [key: string]: string } =>
    Object.fromEntries(
      Object.entries(isJsonObject(from) ? from : {}).flatMap(([key, item]) =>
        typeof item === "object" ? [] : [[key, convertVariables(String(item), inputs)]],
      ),
    );
  const args = getOwn(settings, "args");
  const type = getOwn(settings, "type") ?? getOwn(settings, "transport");
  const server: ServerConfig =
    url === undefined
      ? omitUndefined({
          command,
          args: Array.isArray(args)
            ? unlessEmpty(args.flatMap((item: JsonValue) => text(item) ?? []))
            : undefined,
          env: unlessEmpty(texts(getOwn(settings, "env"))),
          cwd: text(getOwn(settings, "cwd")) || undefined,
        })
      : omitUndefined({
          url,
          transport: type === "sse" ? ("sse" as const) : undefined,
          headers: unlessEmpty(texts(getOwn(settings, "headers"))),
        });
  const { server: clean, literals } = replaceSecrets(name, server);
  const needs = [
    ...Array.from(inputs).map((variable) => `Set ${variable}: "${original}" in "${file}" uses it.`),
    ...Object.keys(literals).map(
      (variable) => `Set ${variable}: it replaces a literal of "${original}" in "${file}".`,
    ),
  ];
  return { name, server: clean, literals, notes: needs.map((need) => ({ text: need, server: name })) };
}

function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Converts editors' `${env:NAME}`, `${input:id}` and `${workspaceFolder}` to `${NAME}` and `.`. */
function convertVariables(text: string, inputs: Set<string>): string {
  return text
    .replace(/\$\{env:([A-Za-z_]\w*)\}/g, "${$1}")
    .replace(/\$\{input:([^{}]+)\}/g, (_, id: string) => {
      const variable = variableName(id);
      inputs.add(variable);
      return `\${${variable}}`;
    })
    .replaceAll("${userHome}", "${HOME}")
    .replaceAll(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, ".")
    .replaceAll(/\$\{(?:pathSeparator|\/)\}/g, "/");
}
