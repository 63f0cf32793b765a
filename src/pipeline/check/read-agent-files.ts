import { join } from "node:path";
import type { ServerConfig } from "../../config/config.js";
import { importEditorConfigs } from "../../config/import-editor-configs.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { findBySimpleGlobs, findFiles, findUpTo } from "../../files/read-files.js";
import { AGENT_FILE_LIMIT, formatLimit } from "../../core/limits.js";
import { AGENT_FILES } from "../../impact/mentions/find-names.js";
import { runGit } from "../../sources/git/git.js";

/** A file that agents read. */
interface AgentFile {
  /** Posix, relative to the configuration. */
  readonly path: string;
  readonly text: string;
}

export interface AgentFiles {
  readonly files: readonly AgentFile[];
  /** The paths of files that are too large to be searched. */
  readonly tooLarge: readonly string[];
  /** The globs of the configuration that match no file. */
  readonly unmatched: readonly string[];
  /** The keys of servers by other names that hosts give them. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Why a file is not searched, with its path as the subject. */
export const NOT_SEARCHED: string = `holds more than ${formatLimit(AGENT_FILE_LIMIT)}, so it was not searched for names of tools`;

/**
 * Returns the files that `references` names, or those that agents read by default, without those that git ignores.
 *
 * @throws McpCodegenError `FILE_FAILED` for a file that cannot be read
 */
export async function readAgentFiles({ config, dir }: LoadedConfig): Promise<AgentFiles> {
  const { paths, unmatched } =
    config.references === undefined
      ? { paths: findBySimpleGlobs(dir, AGENT_FILES), unmatched: [] }
      : await findReferences(dir, config.references);
  if (paths.length === 0) return { files: [], tooLarge: [], unmatched, aliases: new Map() };
  const list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ...paths];
  const ignored = await runGit(dir, list).catch(() => undefined);
  const others = new Set(ignored?.ok === true ? ignored.text.split("\0") : []);
  const files: AgentFile[] = [];
  const tooLarge: string[] = [];
  for (const path of paths.filter((candidate) => !others.has(candidate))) {
    const bytes = await findUpTo(join(dir, path), AGENT_FILE_LIMIT);
    if (bytes === undefined) continue;
    if (bytes === "too large") tooLarge.push(path);
    else files.push({ path, text: decode(bytes) });
  }
  return { files, tooLarge, unmatched, aliases: await findAliases(config, dir) };
}

/** Returns the files that globs match, each once, and the globs that match no file. */
async function findReferences(
  dir: string,
  globs: readonly string[],
): Promise<{ readonly paths: readonly string[]; readonly unmatched: readonly string[] }> {
  const negated = globs.filter((glob) => glob.startsWith("!"));
  const paths = new Set<string>();
  const unmatched: string[] = [];
  for (const glob of globs.filter((each) => !negated.includes(each))) {
    const matches = await findFiles(dir, [glob, ...negated]);
    for (const path of matches) paths.add(path);
    // Files that another glob leaves out were still matched.
    if (matches.length === 0 && (negated.length === 0 || (await findFiles(dir, [glob])).length === 0))
      unmatched.push(glob);
  }
  return { paths: [...paths].sort(), unmatched };
}

/** Compares the servers in the settings of hosts with those of the configuration, by their endpoints. */
async function findAliases(
  { servers }: LoadedConfig["config"],
  dir: string,
): Promise<ReadonlyMap<string, string>> {
  const imported = await importEditorConfigs(dir);
  const endpointOf = ({ url, command, args = [] }: ServerConfig): string =>
    JSON.stringify(url ?? [command, ...args]);
  const keys = new Map(
    Object.entries(servers).flatMap(([key, server]) =>
      server.url === undefined && server.command === undefined ? [] : [[endpointOf(server), key]],
    ),
  );
  return new Map(
    Object.entries(imported.servers).flatMap(([name, server]) => {
      const key = keys.get(endpointOf(server));
      return key === undefined || Object.hasOwn(servers, name) ? [] : [[name, key]];
    }),
  );
}

/** Editors on Windows write UTF-16, with a mark of the byte order. */
function decode(bytes: Uint8Array): string {
  const mark = `${bytes[0] ?? ""} ${bytes[1] ?? ""}`;
  const encoding = mark === "255 254" ? "utf-16le" : mark === "254 255" ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
}
