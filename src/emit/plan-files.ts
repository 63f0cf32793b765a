import type { Config, ImportExtension, SchemaStyle, ServerConfig } from "../config/config.js";
import { isIncluded } from "../config/match-tools.js";
import { deprecationOf, isWrapped } from "../contract/ability.js";
import type { ConnectionSettings } from "../contract/connection.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import { sha256 } from "../contract/digest.js";
import { McpCodegenError } from "../contract/errors.js";
import { byCodeUnit, getOwn, isJsonObject, type JsonObject } from "../contract/json.js";
import type { DefinitionOutline, LockOutline } from "../contract/lock-outline.js";
import type { LockedServer, LockedTool } from "../contract/lockfile.js";
import { confirmedCalls } from "../contract/prelude.js";
import { DEFAULT_VIEW } from "../contract/views.js";
import { findCollisions, nameServer, nameTools } from "./name-tools.js";
import { findModuleCollisions, planEntries } from "./plan-entries.js";
import type { AbilityCall, PlannedTask, ServerIndexTask, StatedOutput } from "./render-task.js";

/**
 * Raised when the same lock and configuration give different bytes, so that old files count as stale. Also raised
 * when the injection scan finds more, since tools with current files are not scanned again.
 */
export const EMIT_REVISION = 19;

/** Inputs of emission besides the lock and the configuration. */
export interface PlanContext {
  /** The contents of Prettier's configuration for the output folder; empty without one. */
  readonly prettierConfig: string;
  readonly importExtension: ImportExtension;
  /** Identifies the accepted findings of a tool; none by default. */
  readonly acceptedOf?: (server: string, tool: string) => string | undefined;
  /** The output schema of a tool that declares none; none by default. `digest` is that of the locked tool. */
  readonly outputOf?: OutputOf | undefined;
  /** Tools that could not be rendered: they get no file, and no entry in the index. */
  readonly refused?: readonly RefusedTool[];
}

/** Returns an output schema, and how the tool was seen to answer; or a diagnostic, where it is not used. */
export type OutputOf = (
  server: string,
  tool: string,
  digest: string,
) =>
  | { readonly output: StatedOutput; readonly answers?: "structured" | "json" }
  | { readonly unused: string }
  | undefined;

export interface RefusedTool {
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
  /** Identifies the accepted findings that this file depends on. */
  readonly accepted?: string | undefined;
}

interface ServerPlan {
  readonly drafts: readonly Draft[];
  readonly collisions: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Plans every file of a lock and a configuration without rendering any. Throws `NAME_COLLISION` with every collision,
 * and `CONFIG_INVALID` for a name in `rename` that cannot be exported.
 */
export function planFiles(lock: LockOutline, config: Config, context: PlanContext): FilePlan {
  const servers = Object.keys(lock.servers).sort(byCodeUnit);
  const plans = servers.flatMap((server) => {
    const locked = getOwn(lock.servers, server);
    return locked === undefined
      ? []
      : [planServer(server, locked, getOwn(config.servers, server), { ...context, style: config.schemas })];
  });
  const collisions = plans.flatMap((plan) => plan.collisions);
  if (collisions.length > 0)
    throw new McpCodegenError("NAME_COLLISION", collisions.join(" "), {
      hint: 'Set "rename" for one of each; "exclude" leaves out what needs no code.',
    });

  const formatDigest = sha256(context.prettierConfig);
  const index: PlannedTask = {
    kind: "index",
    servers: servers.map(nameServer),
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

function planServer(
  server: string,
  locked: LockedServer<DefinitionOutline>,
  config: ServerConfig | undefined,
  {
    importExtension,
    acceptedOf,
    outputOf,
    refused = [],
    style,
  }: PlanContext & { readonly style: SchemaStyle | undefined },
): ServerPlan {
  const schemaStyle = config?.schemas ?? style;
  const included = Object.entries(locked.tools)
    .filter(([name]) => config === undefined || isIncluded(config, name))
    .sort(([a], [b]) => byCodeUnit(a, b));
  const reasons = new Map(
    refused.filter((tool) => tool.server === server).map(({ tool, reason }) => [tool, reason]),
  );
  const diagnostics = included.flatMap(([tool, { unusable }]): readonly Diagnostic[] => {
    const message = unusable ?? reasons.get(tool);
    return message === undefined ? [] : [{ code: "TOOL_UNUSABLE", server, tool, path: "", message }];
  });
  const usable = included.filter(([name, { unusable }]) => unusable === undefined && !reasons.has(name));
  const stated = new Map(
    usable.flatMap(([name, { definition, digest }]) => {
      const found = definition.hasOutput ? undefined : outputOf?.(server, name, digest);
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
  const outputs = new Map(
    [...stated].flatMap(([name, found]) => ("output" in found ? [[name, found.output]] : [])),
  );
  const described = usable.map(([name, { definition }]) => ({
    name,
    hasOutput: definition.hasOutput || outputs.has(name),
  }));
  const unused = [
    ...[...stated].flatMap(([tool, found]): readonly Diagnostic[] =>
      "unused" in found ? [{ code: "OBSERVATION_STALE", server, tool, path: "", message: found.unused }] : [],
    ),
    ...findUnusedOutputs(server, locked, config),
  ];
  const names = nameTools(server, described, config?.tools ?? {});
  const readOnly = usable.flatMap(([, { definition }], at) =>
    definition.isReadOnly ? (names[at]?.wrapper ?? []) : [],
  );
  const { folder } = nameServer(server);
  const environments = Object.keys(config?.environments ?? {});
  const views = locked.variants && [DEFAULT_VIEW, ...Object.keys(locked.variants).sort(byCodeUnit)];
  const environmentFlag = environments.length > 0 && { hasEnvironments: true as const };
  const dialect = config?.dialect ?? (locked.wordpress && "wordpress");
  const schemas: Draft = {
    path: `${folder}/schemas.ts`,
    task: { kind: "schemas", server, tools: names },
    definition: sha256(usable.map(([, tool]) => definitionOf(tool)).join(" ")),
  };
  const tools = usable.flatMap(([name, tool], at): readonly Draft[] => {
    const named = names[at];
    if (named === undefined) return [];
    const output = outputs.get(name);
    const deprecation = tool.ability && deprecationOf(tool.ability.definition);
    const task: PlannedTask = {
      kind: "tool",
      server,
      ...(tool.category !== undefined && { category: tool.category }),
      ...(config?.defaults !== undefined && { defaults: config.defaults }),
      ...(config?.formats !== undefined && { formats: config.formats }),
      ...(schemaStyle === "open" && { schemas: schemaStyle }),
      ...(dialect !== undefined && { dialect }),
      ...(tool.views !== undefined && views !== undefined && { variants: describeViews(tool.views, views) }),
      ...(output !== undefined && { output }),
      ...throughOf(locked, tool),
      ...(deprecation !== undefined && { deprecation }),
      names: named,
      ...environmentFlag,
      importExtension,
    };
    const accepted = acceptedOf?.(server, name);
    return [{ path: `${folder}/${named.file}.ts`, task, definition: definitionOf(tool), accepted }];
  });
  const notListedIn = (all: readonly string[] = []): Pick<ServerIndexTask, "notListed"> => {
    const lacking = (view: string): readonly string[] =>
      usable.flatMap(([, tool], at) =>
        tool.views?.includes(view) === false ? (names[at]?.wrapper ?? []) : [],
      );
    return all.length === 0
      ? {}
      : { notListed: Object.fromEntries(all.map((view) => [view, lacking(view)])) };
  };
  const common = { ...environmentFlag, importExtension };
  const entries = planEntries(server, locked, config ?? {}, common);
  return {
    drafts: [
      ...tools,
      ...(tools.length === 0 ? [] : [schemas]),
      ...entries.tasks.map((task) => ({ path: `${folder}/${task.kind}.ts`, task })),
      {
        path: `${folder}/server.ts`,
        task: {
          kind: "server",
          server,
          contract: locked.contract,
          settings: settingsOf(config, locked),
          ...(environments.length > 0 && { environments }),
        },
      },
      {
        path: `${folder}/index.ts`,
        task: {
          kind: "server-index",
          server,
          tools: names,
          readOnly,
          ...entries.flags,
          ...notListedIn(views),
          ...common,
        },
      },
    ],
    collisions: [
      ...findCollisions(server, names),
      ...entries.collisions,
      ...findModuleCollisions(server, names, entries.tasks),
    ],
    diagnostics: [...diagnostics, ...unused, ...entries.diagnostics],
  };
}

/** Reports outputs of the configuration that no tool takes. */
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
): { readonly through?: AbilityCall } {
  if (wordpress === undefined || wordpress.route === "tools" || ability === undefined) return {};
  const { definition } = ability;
  const wrapped = [
    ...(isWrapped(getOwn(definition, "input_schema")) ? (["input"] as const) : []),
    ...(isWrapped(getOwn(definition, "output_schema")) ? (["result"] as const) : []),
  ];
  return { through: { ability: definition.name, wrapped } };
}

/** The digested part of a locked tool. The ability is not part of the definition, but is included. */
function definitionOf({ definition, ability }: LockedTool<DefinitionOutline>): string {
  return ability === undefined
    ? definition.text
    : sha256(JSON.stringify([definition.text, ability.definition]));
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
  const { validateOutput, record } = config ?? {};
  const json: unknown = Object.fromEntries([
    ...settings,
    // Has the name of the call option whose default it sets.
    ...(validateOutput === undefined ? [] : [["output", validateOutput] as const]),
    ...(record === undefined ? [] : [["record", record] as const]),
  ]);
  return isJsonObject(json) ? json : {};
}

function digestOf(formatDigest: string, { task, definition, accepted }: Draft): string {
  const inputs = [
    EMIT_REVISION,
    formatDigest,
    task,
    definition,
    ...(accepted === undefined ? [] : [accepted]),
  ];
  return sha256(JSON.stringify(inputs)).slice(0, 16);
}
