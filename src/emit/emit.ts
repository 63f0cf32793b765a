import type { Config, ImportExtension } from "../config/config.js";
import { checkOptions, type OptionRules } from "../core/check-options.js";
import type { Diagnostic } from "../core/diagnostic.js";
import type { GeneratedFile } from "../core/generated-file.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn } from "../core/json.js";
import { outlineOf } from "../core/lock-server.js";
import type { Lockfile } from "../core/lockfile.js";
import { DEEPEST_USABLE, measureDepth } from "../core/limits.js";
import type { ToolSnapshot } from "../core/snapshot.js";
import { type Format, type FormatOptions, loadOxfmt } from "./format-text.js";
import {
  planFiles,
  type FilePlan,
  type PlanContext,
  type PlannedFile,
  type UnrenderedTool,
} from "./plan-files.js";
import type { FileToRender, RenderedFile, ToolCodeNames } from "./render-task.js";

interface EmitOptions {
  /** Options that oxfmt and Prettier share, such as `printWidth`. Default: those of Prettier, with 100 columns. */
  readonly format?: FormatOptions;
  readonly importExtension?: ImportExtension;
}

const EMIT_OPTIONS: OptionRules<EmitOptions> = { format: "any", importExtension: ["js", "ts", "none"] };

interface EmitFilesOptions extends PlanContext {
  /** Called only if there is something to render, since it may load Prettier. */
  readonly format: () => Promise<Format>;
  /** Whether a file with this `in:` digest exists, so that it need not be rendered. */
  readonly isCurrent: (file: PlannedFile) => boolean;
  /** Called from time to time with the number of rendered files and the total. */
  readonly onRender?: ((done: number, total: number) => void) | undefined;
  /** Whether to diagnose tools whose files are up to date. */
  readonly diagnosesAll?: boolean | undefined;
  /** The diagnostics of files that are up to date, as an earlier emission returned them by path. */
  readonly earlier?: DiagnosticsByPath | undefined;
}

export type DiagnosticsByPath = ReadonlyMap<string, readonly Diagnostic[]>;

export interface Emission {
  /** The rendered files, sorted by path. */
  readonly files: readonly GeneratedFile[];
  /** The paths of files that are up to date. */
  readonly kept: readonly string[];
  /** Diagnostics of the plan and of {@link byPath}. */
  readonly diagnostics: readonly Diagnostic[];
  /** Diagnostics of rendered files, and of other files that are known or, with `diagnosesAll`, found. */
  readonly byPath: DiagnosticsByPath;
}

/**
 * Returns every generated file: the same bytes for the same arguments, on every machine. Throws `NAME_COLLISION` and
 * `CONFIG_INVALID` as {@link planFiles}, and `SCHEMA_INVALID` for a definition with more than 200 levels.
 */
export async function emit(
  lock: Lockfile,
  config: Config,
  options: EmitOptions = {},
): Promise<readonly GeneratedFile[]> {
  checkOptions("emit", options, EMIT_OPTIONS);
  assertShallow(lock);
  const { format = {}, importExtension = "js" } = options;
  const { files } = await emitFiles(lock, config, {
    prettierConfig: JSON.stringify(format),
    importExtension,
    format: () => loadOxfmt(format),
    isCurrent: () => false,
  });
  return files;
}

function assertShallow(lock: Lockfile): void {
  for (const [server, { tools }] of Object.entries(lock.servers)) {
    for (const [tool, { definition, unusable }] of Object.entries(tools)) {
      if (unusable !== undefined) continue;
      if (measureDepth(definition, DEEPEST_USABLE) <= DEEPEST_USABLE) continue;
      const message = `The definition of "${tool}" of "${server}" is nested too deeply (over ${DEEPEST_USABLE} levels).`;
      throw new McpCodegenError("SCHEMA_INVALID", message);
    }
  }
}

/**
 * Plans all files and renders those that are not up to date. A tool that cannot be rendered gets no file, so the plan
 * is repeated without it before the indexes are rendered.
 */
export async function emitFiles(
  lock: Lockfile,
  config: Config,
  { format, isCurrent, onRender, diagnosesAll = false, earlier, ...context }: EmitFilesOptions,
): Promise<Emission> {
  const rendered = new Map<string, RenderedFile>();
  const refused: UnrenderedTool[] = [];
  const outline = outlineOf(lock);
  let plan: FilePlan;
  let refusals: number;
  do {
    refusals = refused.length;
    plan = planFiles(outline, config, { ...context, refused: [...(context.refused ?? []), ...refused] });
    const missing = plan.files.filter((file) => !rendered.has(keyOf(file)) && !isCurrent(file));
    if (missing.length === 0) break;
    const { renderFiles } = await loadRenderer();
    const results = await renderFiles(
      missing.map((file) => withDefinitions(file, lock)),
      await format(),
      onRender,
    );
    for (const [at, file] of missing.entries()) {
      const result = results[at];
      if (result === undefined) continue;
      if ("text" in result) rendered.set(keyOf(file), result);
      else if ("server" in file.task)
        for (const refusal of result.refused) refused.push({ server: file.task.server, ...refusal });
    }
  } while (refused.length > refusals);
  const kept = plan.files.filter((file) => !rendered.has(keyOf(file)));
  const diagnosed = diagnosesAll ? await diagnose(kept.map((file) => withDefinitions(file, lock))) : earlier;
  const byPath = new Map(
    plan.files.map(({ path, ...file }) => [
      path,
      rendered.get(keyOf({ path, ...file }))?.diagnostics ?? diagnosed?.get(path) ?? [],
    ]),
  );
  return {
    files: plan.files.flatMap((file) => {
      const result = rendered.get(keyOf(file));
      return result === undefined ? [] : [{ path: file.path, text: result.text }];
    }),
    kept: kept.map(({ path }) => path),
    diagnostics: [...plan.diagnostics, ...Array.from(byPath.values()).flat()],
    byPath,
  };
}

/** Nothing heavy is loaded if every file is up to date. */
const loadRenderer = async () => import("./render-files.js");

/** The diagnostics that rendering the files would give, by path. */
async function diagnose(files: readonly FileToRender[]): Promise<DiagnosticsByPath> {
  const { diagnoseTool } = await loadRenderer();
  return new Map(files.map(({ path, task }) => [path, task.kind === "tool" ? diagnoseTool(task) : []]));
}

/** Identifies a path with its inputs: if a tool is refused, an index keeps its path but its content changes. */
function keyOf(file: PlannedFile): string {
  return `${file.path} ${file.input}`;
}

/** Adds the locked definitions that the file's task needs. */
export function withDefinitions({ task, ...file }: PlannedFile, lock: Lockfile): FileToRender {
  const definitionOf = (server: string, { tool }: ToolCodeNames): ToolSnapshot => {
    const locked = getOwn(getOwn(lock.servers, server)?.tools ?? {}, tool);
    if (locked === undefined) throw new Error(`The plan names "${tool}", which is not locked.`);
    return locked.definition;
  };
  if (task.kind === "tool")
    return { ...file, task: { ...task, definition: definitionOf(task.server, task.names) } };
  if (task.kind !== "schemas") return { ...file, task };
  const definitions = task.tools.map((names) => definitionOf(task.server, names));
  return { ...file, task: { ...task, definitions } };
}
