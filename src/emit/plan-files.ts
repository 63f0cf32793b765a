import { omitUndefined } from "../core/collections.js";
import type { Config, ImportExtension, SchemaStyle, ServerConfig } from "../config/config.js";
import { isIncluded } from "../config/match-tools.js";
import { deprecationOf, wrappedValues } from "../core/ability.js";
import type { ConnectionSettings } from "../core/connection-settings.js";
import type { Diagnostic } from "../core/diagnostic.js";
import { confirmedCalls, sha256 } from "../core/digest.js";
import { McpCodegenError } from "../core/errors.js";
import { byCodeUnit, getOwn, type JsonObject, objectOrEmpty } from "../core/json.js";
import type { DefinitionOutline, LockOutline } from "../core/lock-server.js";
import type { LockedServer, LockedTool } from "../core/lockfile.js";
import { DEFAULT_VIEW } from "../core/snapshot.js";
import { EMIT_REVISION } from "../core/generated-file.js";
import { findCollisions, nameTool, nameServer } from "./name-tools.js";
import { findModuleCollisions, planEntries } from "./plan-entries.js";
import type { AbilityCall, PlannedTask, ToolPlan, StatedOutput, ToolCodeNames } from "./render-task.js";

/** Inputs of emission besides the lock and the configuration. */
export interface PlanContext {
  /** The contents of Prettier's configuration for the output folder; empty without one. */
  readonly prettierConfig: string;
  readonly importExtension: ImportExtension;
  /** The output schema of a tool that declares none; none by default. `digest` is that of the locked tool. */
  readonly outputOf?: OutputOf | undefined;
  /** Tools that could not be rendered: they get no file, and no entry in the index. */
  readonly refused?: readonly UnrenderedTool[];
}

/** Returns an output schema, and how the tool was seen to answer; or a diagnostic, where it is not used. */
export type OutputOf = (
  server: string,
  tool: string,
  digest: string,
) =>
  | { readonly output: StatedOutput; readonly answers?: "structured" | "json" | undefined }
  | { readonly unused: string }
  | undefined;

export interface UnrenderedTool {
  readonly server: string;
  readonly tool: string;
  readonly reason: string;
}

export interface FilePlan {
  /** Sorted by path. */
  readonly files: readonly PlannedFile[];
  /** A `TOOL_UNUSABLE` for every locked tool that gets no file. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface PlannedFile {
  /** Posix, relative to the output folder. */
  readonly path: string;
  /** The header's `in:` digest, of everything that affects this file. */
  readonly input: string;
  readonly task: PlannedTask;
}

/** A planned file with the digest of its definition. */
interface Draft {
  readonly path: string;
  readonly task: PlannedTask;
  readonly definition?: string;
}

interface PlannedServer {
  readonly drafts: readonly Draft[];
  readonly collisions: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Plans every file of a lock and a configuration without rendering any. Throws `NAME_COLLISION` with every collision,
 * and `CONFIG_INVALID` for a name in `rename` that cannot be exported.
 */
export function planFiles(lock: LockOutline, config: Config, context: PlanContext): FilePlan {
  const servers = Object.entries(lock.servers).sort(([a], [b]) => byCodeUnit(a, b));
  const plans = servers.map(([server, locked]) => {
    const settings = getOwn(config.servers, server);
    return planServer({ ...context, server, locked, config: settings, style: config.schemas });
  });
  const collisions = plans.flatMap((plan) => plan.collisions);
  if (collisions.length > 0)
    throw new McpCodegenError("NAME_COLLISION", collisions.join(" "), {
      hint: 'Set "rename" for one of each; "exclude" leaves out what needs no code.',
    });

  const formatDigest = sha256(context.prettierConfig);
  const index: PlannedTask = {
    kind: "index",
    servers: servers.map(([server]) => nameServer(server)),
    importExtension: context.importExtension,
  };
  const drafts: readonly Draft[] = [
    ...plans.flatMap((plan) => plan.drafts),
    { path: "index.ts", task: index },
  ];
  const files = drafts.map((draft) => ({
    path: draft.path,
    input: digestOf(formatDigest, draft),
    task: draft.task,
  }));
  return {
    files: files.sort((a, b) => byCodeUnit(a.path, b.path)),
    diagnostics: plans.flatMap((plan) => plan.diagnostics),
  };
}

interface ServerContext extends PlanContext {
  readonly server: string;
  readonly locked: LockedServer<DefinitionOutline>;
  /** Undefined for a server that is locked and not configured. */
  readonly config: ServerConfig | undefined;
  readonly style: SchemaStyle | undefined;
}

interface UsableTool {
  readonly tool: LockedTool<DefinitionOutline>;
  readonly names: ToolCodeNames;
  /** The output schema that it does not declare. */
  readonly output: StatedOutput | undefined;
}

function planServer(context: ServerContext): PlannedServer {
  const { server, locked, config, importExtension } = context;
  const { folder } = nameServer(server);
  const { tools, diagnostics } = findUsable(context);
  const names = tools.map((tool) => tool.names);
  const environments = Object.keys(config?.environments ?? {});
  const common = omitUndefined({
    hasEnvironments: environments.length > 0 ? (true as const) : undefined,
    importExtension,
  });
  const entries = planEntries(server, locked, config ?? {}, common);
  const views = locked.variants && [DEFAULT_VIEW, ...Object.keys(locked.variants).sort(byCodeUnit)];
  const wrappersOf = (isOf: (tool: UsableTool["tool"]) => boolean): readonly string[] =>
    tools.filter(({ tool: usable }) => isOf(usable)).map((usable) => usable.names.wrapper);
  const notListed = views?.map(
    (view) => [view, wrappersOf((tool) => tool.views?.includes(view) === false)] as const,
  );
  const forApps = wrappersOf(({ definition }) => definition.isForApps);
  const schemas: Draft = {
    path: `${folder}/schemas.ts`,
    task: { kind: "schemas", server, tools: names },
    definition: sha256(tools.map(({ tool }) => definitionOf(tool)).join(" ")),
  };
  return {
    drafts: [
      ...tools.map((usable) => ({
        path: `${folder}/${usable.names.file}.ts`,
        task: { ...planTool(usable, context, views), ...common },
        definition: definitionOf(usable.tool),
      })),
      ...(tools.length === 0 ? [] : [schemas]),
      ...entries.tasks.map((task) => ({ path: `${folder}/${task.kind}.ts`, task })),
      {
        path: `${folder}/server.ts`,
        task: omitUndefined({
          kind: "server" as const,
          server,
          contract: locked.contract,
          settings: settingsOf(config, locked),
          environments: environments.length > 0 ? environments : undefined,
        }),
      },
      {
        path: `${folder}/index.ts`,
        task: omitUndefined({
          kind: "server-index" as const,
          server,
          tools: names,
          readOnly: wrappersOf(({ definition }) => definition.isReadOnly),
          forApps: forApps.length > 0 ? forApps : undefined,
          ...entries.flags,
          notListed: notListed && Object.fromEntries(notListed),
          ...common,
        }),
      },
    ],
    collisions: [
      ...findCollisions(server, names),
      ...entries.collisions,
      ...findModuleCollisions(server, names, entries.tasks),
    ],
    diagnostics: [...diagnostics, ...findUnusedOutputs(server, locked, config), ...entries.diagnostics],
  };
}

function findUsable({ server, locked, config, outputOf, refused = [] }: ServerContext): {
  readonly tools: readonly UsableTool[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const reasons = new Map(
    refused.filter((tool) => tool.server === server).map(({ tool, reason }) => [tool, reason]),
  );
  const tools: UsableTool[] = [];
  const unusable: Diagnostic[] = [];
  const stale: Diagnostic[] = [];
  for (const [name, tool] of Object.entries(locked.tools).sort(([a], [b]) => byCodeUnit(a, b))) {
    if (config !== undefined && !isIncluded(config, name)) continue;
    const at = { server, tool: name, path: "" };
    const message = tool.unusable ?? reasons.get(name);
    if (message !== undefined) {
      unusable.push({ code: "TOOL_UNUSABLE", ...at, message });
      continue;
    }
    const { hasOutput } = tool.definition;
    const stated = hasOutput ? undefined : outputOf?.(server, name, tool.digest);
    const output = stated !== undefined && "output" in stated ? stated.output : undefined;
    if (stated !== undefined && "unused" in stated)
      stale.push({ code: "OBSERVATION_STALE", ...at, message: stated.unused });
    const described = { name, hasOutput: hasOutput || output !== undefined };
    tools.push({ tool, output, names: nameTool(server, described, config?.tools ?? {}) });
  }
  return { tools, diagnostics: [...unusable, ...stale] };
}

/** The task is digested: keys without a value are absent, and the order of keys is fixed. */
function planTool(
  { tool, names, output }: UsableTool,
  { server, locked, config, style }: ServerContext,
  views: readonly string[] | undefined,
): ToolPlan {
  const dialect = config?.dialect ?? (locked.wordpress && "wordpress");
  const schemaStyle = config?.schemas ?? style;
  const deprecation = tool.ability && deprecationOf(tool.ability.definition);
  return omitUndefined({
    kind: "tool" as const,
    server,
    category: tool.category,
    defaults: config?.defaults,
    formats: config?.formats,
    schemas: schemaStyle === "open" ? schemaStyle : undefined,
    dialect,
    variants: tool.views && views && describeViews(tool.views, views),
    output,
    through: throughOf(locked, tool),
    deprecation,
    names,
  });
}

function findUnusedOutputs(
  server: string,
  { tools }: LockedServer<DefinitionOutline>,
  config: ServerConfig | undefined,
): readonly Diagnostic[] {
  return Object.keys(config?.outputs ?? {}).flatMap((tool): readonly Diagnostic[] => {
    const locked = getOwn(tools, tool);
    if (locked?.definition.hasOutput === false) return [];
    const why = locked === undefined ? "the server does not list such a tool" : "the tool declares its own";
    const message = `The configuration states an output for it that is not used: ${why}.`;
    return [{ code: "OUTPUT_UNUSED", server, tool, path: "", message }];
  });
}

/** Names the variants that list a tool, or those that do not if the server's own settings do. */
function describeViews(views: readonly string[], all: readonly string[]): string {
  const named = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const without = all.filter((view) => !views.includes(view));
  return views.includes(DEFAULT_VIEW)
    ? `Not in variant ${named(without)}.`
    : `Only in variant ${named(views)}.`;
}

/** An ability that is not a tool of its server is called through a tool that runs abilities. */
function throughOf(
  { wordpress }: LockedServer<DefinitionOutline>,
  { ability }: LockedTool<DefinitionOutline>,
): AbilityCall | undefined {
  if (wordpress === undefined || wordpress.route === "tools" || ability === undefined) return undefined;
  const { definition } = ability;
  return { ability: definition.name, wrapped: wrappedValues(definition) };
}

/** The digested part of a locked tool. The ability is not part of the definition, but is included. */
function definitionOf({ definition, ability }: LockedTool<DefinitionOutline>): string {
  return ability === undefined
    ? definition.digest
    : sha256(JSON.stringify([definition.digest, ability.definition]));
}

/** The settings that generated code embeds, in a fixed order. A server read from a file has none. */
const SETTINGS = [
  ...(["url", "transport", "protocol", "auth", "headers", "command", "args", "env", "cwd"] as const),
  ...(["environments", "variants", "timeouts", "readLimit", "capabilities", "prelude"] as const),
] satisfies readonly (keyof ConnectionSettings)[];

function settingsOf(config: ServerConfig | undefined, locked: LockedServer<unknown>): JsonObject {
  const embedded = config && { ...config, ...confirmedCalls(config, locked) };
  const settings = SETTINGS.flatMap((key) => {
    const value = embedded?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const { validateOutput, validateInput, record, dialect, formats, defaults, trust } = config ?? {};
  // `output` is the call option whose default `validateOutput` sets.
  const ofCalls = { output: validateOutput, validateInput, record, dialect, formats, defaults, trust };
  return objectOrEmpty({ ...Object.fromEntries(settings), ...omitUndefined(ofCalls) });
}

function digestOf(formatDigest: string, { task, definition }: Draft): string {
  return sha256(JSON.stringify([EMIT_REVISION, formatDigest, task, definition])).slice(0, 16);
}
