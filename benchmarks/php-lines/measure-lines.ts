import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadConfig, type LoadedConfig } from "../../src/config/load-config.js";
import type { Change } from "../../src/core/change.js";
import { LOCKFILE_NAME } from "../../src/core/lockfile.js";
import { parseLockfile } from "../../src/core/lockfile-text.js";
import { Project } from "../../src/project/project.js";
import { findDrift } from "../../src/pipeline/check/find-drift.js";

const BIN = fileURLToPath(new URL("../../bin/mcp-codegen.js", import.meta.url));

/** A change of one line, as an editor of a schema would make it. */
const MUTATIONS: readonly (readonly [name: string, from: RegExp, to: string])[] = [
  ["type", /'type'(\s*)=> 'string'/, "'type'$1=> 'integer'"],
  ["type", /'type'(\s*)=> '(?:integer|number|boolean)'/, "'type'$1=> 'string'"],
  ["limit", /'(minimum|maximum|minLength|maxLength|minItems|maxItems)'(\s*)=> (\d+)/, "'$1'$2=> 1$3"],
  ["enum", /('enum'\s*=> (?:array\( ?|\[ ?))'(\w+)'/, "$1'$2-x'"],
  ["constant", /^(\s*const [A-Z_]+\s*=\s*(?:array\( ?|\[ ?))'([\w-]+)'/, "$1'$2-x'"],
  ["constant key", /^(\s*)'([\w-]+)'(\s*=> '[A-Z][^']*',?)$/, "$1'$2-x'$3"],
  ["property", /^(\s*)'(\w+)'(\s*=> (?:array\(|\[) ?'type')/, "$1'$2_x'$3"],
  ["required", /('required'\s*=> (?:array\( ?|\[ ?))'(\w+)',? ?/, "$1"],
  ["required", /'required'(\s*)=> true/, "'required'$1=> false"],
  ["description", /('description'\s*=> (?:\w*\( ?)?')/, "$1Really: "],
  ["label", /('label'\s*=> (?:\w*\( ?)?')/, "$1Really: "],
  ["hint", /'(readonly|destructive|idempotent)'(\s*)=> true/, "'$1'$2=> false"],
  ["hint", /'(readonly|destructive|idempotent)'(\s*)=> false/, "'$1'$2=> true"],
  ["pattern", /'pattern'(\s*)=> '\^/, "'pattern'$1=> '^x"],
  ["format", /'format'(\s*)=> '[\w-]+'/, "'format'$1=> 'uuid'"],
  ["open", /'additionalProperties'(\s*)=> false/, "'additionalProperties'$1=> true"],
];

export interface LineFigures {
  /** Changed lines with an effect. */
  readonly mutations: number;
  /** Lines that every resulting change names. */
  readonly right: number;
  readonly changes: number;
  readonly rightChanges: number;
  /** Changes that name the registration instead of the line. */
  readonly registrations: number;
  /** The failures, one line each. */
  readonly wrong: readonly string[];
}

/**
 * Changes the lines of the PHP files in a folder one after the other, and counts how often `check --php` names the line.
 *
 * @param take selects mutations by their number
 */
export async function measureLines(
  source: string,
  paths: readonly string[],
  take: (index: number) => boolean = () => true,
): Promise<LineFigures> {
  const dir = await mkdtemp(join(tmpdir(), "php-lines-"));
  try {
    await cp(source, dir, { recursive: true });
    const url = "http://localhost/wp-json/mcp/mcp-adapter-default-server";
    const config = { servers: { site: { url, wordpress: { route: "rest" }, php: { paths } } } };
    await writeFile(join(dir, "mcp-codegen.config.json"), JSON.stringify(config));
    await promisify(execFile)(process.execPath, [BIN, "pull", "--php", "--no-frozen"], { cwd: dir });
    const loaded = await loadConfig({ cwd: dir });
    if (loaded === undefined) throw new Error("There is no configuration.");
    return await measure(loaded, paths, take);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(
  loaded: LoadedConfig,
  paths: readonly string[],
  take: (index: number) => boolean,
): Promise<LineFigures> {
  const access = (): ReturnType<Project["access"]> =>
    Promise.resolve({ lookup: (name) => process.env[name] });
  const project = new Project(loaded, { access });
  const lock = parseLockfile(await readFile(join(loaded.dir, LOCKFILE_NAME), "utf8"));
  let [index, mutations, right, total, rightChanges, registrations] = [0, 0, 0, 0, 0, 0];
  const wrong: string[] = [];
  for (const file of await phpFiles(loaded.dir, paths)) {
    const text = await readFile(join(loaded.dir, file), "utf8");
    for (const [at, line, name] of mutationsOf(text)) {
      index += 1;
      if (!take(index)) continue;
      const lines = text.split("\n");
      lines[at] = line;
      await writeFile(join(loaded.dir, file), lines.join("\n"));
      const { changes } = await findDrift(project, lock, { php: "only" });
      await writeFile(join(loaded.dir, file), text);
      if (changes.length === 0) continue;
      const bad = changes.filter((change) => !isRight(change, { file, line: at + 1, text }));
      mutations += 1;
      total += changes.length;
      rightChanges += changes.length - bad.length;
      registrations += bad.filter(({ php }) => php?.isRegistration).length;
      if (bad.length === 0) right += 1;
      const [first] = bad;
      if (first === undefined) continue;
      const place = `${first.php?.file ?? "?"}:${first.php?.line ?? "?"}${first.php?.isRegistration ? " (registration)" : ""}`;
      wrong.push(`${name} at ${file}:${at + 1}: ${first.rule} ${first.tool ?? ""}${first.path} → ${place}`);
    }
  }
  return { mutations, right, changes: total, rightChanges, registrations, wrong };
}

const SCHEMAS = /^\/(?:in|out)putSchema(?:\/properties\/(?:input|result)|\/additionalProperties)?$/;

/**
 * A removed value has no line, so the array around it is correct; for an added or removed tool, the registration is.
 */
function isRight(
  { php, rule, path }: Change,
  { file, line, text }: { readonly file: string; readonly line: number; readonly text: string },
): boolean {
  if (php?.file === file && php.line === line) return true;
  if (path === "") return php !== undefined;
  const lines = text.split("\n");
  // A removed property may be reported at the list of required names.
  const property = /'(\w+)'/.exec(lines[line - 1] ?? "")?.[0] ?? "";
  const named = php?.file === file && php.line !== undefined ? lines[php.line - 1] : undefined;
  if (rule.includes("became-required") && named?.includes(property)) return true;
  const isGone = /removed|optional/.test(rule);
  // A removed schema leaves only the registration.
  if (php?.isRegistration === true && SCHEMAS.test(path)) return true;
  return isGone && php?.file === file && php.isRegistration !== true && (php.line ?? 0) <= line;
}

function* mutationsOf(text: string): Generator<readonly [at: number, line: string, name: string]> {
  for (const [at, line] of text.split("\n").entries()) {
    if (/^\s*(?:\*|\/\/|\/\*)/.test(line)) continue;
    for (const [name, from, to] of MUTATIONS) {
      const changed = line.replace(from, to);
      if (changed !== line) yield [at, changed, name];
    }
  }
}

async function phpFiles(dir: string, paths: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    if (path.endsWith(".php")) found.push(path);
    else {
      const entries = await readdir(join(dir, path), { recursive: true });
      found.push(...entries.filter((entry) => entry.endsWith(".php")).map((entry) => `${path}/${entry}`));
    }
  }
  return found.sort();
}
