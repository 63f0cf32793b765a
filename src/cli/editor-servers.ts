import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { ServerConfig } from "../config/config.js";
import { importEditorConfigs, type ImportedServers, USER_FILES } from "../config/import-editor-configs.js";
import { CONFIG_NAME, type LoadedConfig } from "../config/load-config.js";
import { validateConfig } from "../config/validate-config.js";
import type { VariableLookup } from "../core/connection.js";
import { McpCodegenError } from "../core/errors.js";
import { findOwn, getOwn } from "../core/json.js";
import { printable, printJson } from "../core/printable.js";
import { parseJson } from "../files/parse-json.js";
import { findBounded } from "../files/read-bounded.js";
import { writeAtomic } from "../files/write-atomic.js";
import type { Context } from "./context.js";
import { homeFolder, stateFolder } from "./load-project.js";
import { printCommand, wrapLines } from "./print-text.js";
import { confirm } from "./prompts.js";

/** The servers that the files of editors and assistants name, for commands in a folder without a configuration. */
export interface EditorServers {
  readonly imported: ImportedServers;
  /** A configuration in memory with these servers. */
  readonly project: LoadedConfig;
  /** Returns the variables of `lookup`, and the secrets that the files write out. */
  readonly withLiterals: (lookup: VariableLookup) => VariableLookup;
}

/**
 * Reads the editors' files of the working folder, or else of the nearest folder above that has some, or else those of the
 * user. Returns undefined if they name no server.
 */
export async function findEditorServers({ io }: Context): Promise<EditorServers | undefined> {
  const home = homeFolder(io.env);
  for (const dir of foldersUpTo(io.cwd, home)) {
    const found = await readEditorServers(dir, await importEditorConfigs(dir));
    if (found !== undefined) return found;
  }
  return readEditorServers(home, await importEditorConfigs(home, USER_FILES));
}

async function readEditorServers(dir: string, imported: ImportedServers): Promise<EditorServers | undefined> {
  if (Object.keys(imported.servers).length === 0) return undefined;
  const config = await validateConfig({ servers: imported.servers }, imported.files.join(" and "));
  return {
    imported,
    project: { config, dir, path: join(dir, CONFIG_NAME) },
    withLiterals: (lookup) => (name) => lookup(name) ?? imported.literalOf(name),
  };
}

/** The folder and those above it, without the user's own and what is above that. */
function foldersUpTo(dir: string, home: string): readonly string[] {
  if (dir === home) return [];
  const parent = dirname(dir);
  return parent === dir ? [dir] : [dir, ...foldersUpTo(parent, home)];
}

/**
 * Asks before the first start of each command that an editor's file names, and remembers the answer for the user: a
 * repository that was just cloned may name any command.
 *
 * @throws McpCodegenError `CONFIRMATION_REQUIRED` where there is no terminal, or if the user refuses
 */
export async function confirmStart(
  context: Context,
  { imported, project }: EditorServers,
  names: readonly string[],
): Promise<void> {
  const path = join(stateFolder(context.io.env), "mcp-codegen", "started-commands.json");
  const known = await readStarted(path);
  const started = names.flatMap((name) => {
    const settings = getOwn(project.config.servers, name);
    if (settings?.command === undefined) return [];
    return { line: commandLineOf(settings), key: keyOf(project.dir, settings) };
  });
  const unknown = started.filter(({ key }) => !known.includes(key));
  const [first] = unknown;
  if (first === undefined) return;
  const from = imported.files.map((file) => JSON.stringify(file)).join(" and ");
  if (!context.isInteractive) {
    throw new McpCodegenError(
      "CONFIRMATION_REQUIRED",
      `${from} names a command that was not started before: ${printable(first.line, 200)}.`,
      {
        hint: `Confirm it once at a terminal, name it yourself (--server ${JSON.stringify(printable(first.line, 200))}), or write a configuration: ${printCommand("init", ["--yes"])}.`,
      },
    );
  }
  const { stderr } = context.io;
  const lines = [
    `${from} names commands to start:`,
    ...unknown.map(({ line }) => `  ${printable(line, 400)}`),
  ];
  stderr.write(`${wrapLines(lines, stderr).join("\n")}\n`);
  const question = unknown.length === 1 ? "Start it?" : "Start them?";
  if (!(await confirm(context, question, { initial: false })))
    throw new McpCodegenError("CONFIRMATION_REQUIRED", "The commands were not started.");
  // The newest are kept.
  const kept = [...known, ...unknown.map(({ key }) => key)].slice(-MOST_REMEMBERED);
  await writeAtomic(path, `${printJson({ commands: kept })}\n`);
}

const MOST_REMEMBERED = 1_000;

async function readStarted(path: string): Promise<readonly string[]> {
  const text = (await findBounded(path))?.toString("utf8");
  const parsed = text === undefined ? undefined : parseJson(text);
  const commands = parsed !== undefined && "value" in parsed ? findOwn(parsed.value, "commands") : undefined;
  return Array.isArray(commands) ? commands.filter((key): key is string => typeof key === "string") : [];
}

function commandLineOf({ command = "", args = [] }: ServerConfig): string {
  return [command, ...args].join(" ");
}

/** The digest of everything that decides what is started. Secrets are variables in it. */
function keyOf(dir: string, { command, args, env, cwd }: ServerConfig): string {
  return createHash("sha256")
    .update(JSON.stringify([dir, command, args, env, cwd]))
    .digest("hex");
}
