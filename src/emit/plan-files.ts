import { isIncluded } from "../config/is-included.js";
import type { Config, ImportExtension, SchemaStyle, ServerConfig } from "../config/config.js";
import { deprecationOf, isWrapped } from "../contract/ability.js";
import type { ConnectionSettings } from "../contract/connection.js";
import type { Diagnostic } from "../contract/diagnostic.js";
import { sha256 } from "../contract/digest.js";
import { McpCodegenError } from "../contract/errors.js";
import { byCodeUnit, getOwn, isJsonObject, type JsonObject } from "../contract/json.js";
import type { DefinitionOutline, LockOutline } from "../contract/lock-outline.js";
import type { LockedServer, LockedTool } from "../contract/lockfile.js";
import { EMIT_REVISION } from "./emit-revision.js";
import { findCollisions, nameServer, nameTools } from "./name-tools.js";
import type { AbilityCall, PlannedTask } from "./render-task.js";

/** What emission reads beside the lock and the configuration. */
export interface PlanContext {
  /** The bytes of whatever configures Prettier for the output folder; empty when nothing does. */
  readonly prettierConfig: string;
  readonly importExtension: ImportExtension;
  /** What was accepted of a tool before its file was written; nothing by default. */
  readonly acceptedOf?: (server: string, tool: string) => string | undefined;
  /** Tools that rendering refused: they get no file, and no place in the index. */
  readonly refused?: readonly RefusedTool[];
}

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
  /** The header's `in:` digest: of everything that rendering this file reads. */
  readonly input: string;
  readonly task: PlannedTask;
}

/** A file on its way into a plan, with the digest of the definition it shows. */
interface Draft {
  readonly path: string;
  readonly task: PlannedTask;
  readonly definition?: string;
  /** What the file vouches for only as long as it stays accepted. */
  readonly accepted?: string | undefined;
}

interface ServerPlan {
  readonly drafts: readonly Draft[];
  readonly collisions: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Every file that a lock and a configuration give, without rendering any. The lock says what exists, the configuration
 * how it is named and reached. Throws `NAME_COLLISION` with every collision there is, and `CONFIG_INVALID` for a name
 * in `rename` that cannot be exported.
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
      hint: "Give one of each a name of its own.",
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
  const described = usable.map(([name, { definition }]) => ({ name, hasOutput: definition.hasOutput }));
  const names = nameTools(server, described, config?.tools ?? {});
  const readOnly = usable.flatMap(([, { definition }], at) =>
    definition.isReadOnly ? (names[at]?.wrapper ?? []) : [],
  );
  const { folder } = nameServer(server);
  const environments = Object.keys(config?.environments ?? {});
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
    const deprecation = tool.ability && deprecationOf(tool.ability.definition);
    const task: PlannedTask = {
      kind: "tool",
      server,
      ...(tool.category !== undefined && { category: tool.category }),
      ...(config?.defaults !== undefined && { defaults: config.defaults }),
      ...(config?.formats !== undefined && { formats: config.formats }),
      ...(schemaStyle === "open" && { schemas: schemaStyle }),
      ...(dialect !== undefined && { dialect }),
      ...throughOf(locked, tool),
      ...(deprecation !== undefined && { deprecation }),
      names: named,
      ...environmentFlag,
      importExtension,
    };
    const accepted = acceptedOf?.(server, name);
    return [{ path: `${folder}/${named.file}.ts`, task, definition: definitionOf(tool), accepted }];
  });
  return {
    drafts: [
      ...tools,
      ...(tools.length === 0 ? [] : [schemas]),
      {
        path: `${folder}/server.ts`,
        task: {
          kind: "server",
          server,
          contract: locked.contract,
          settings: settingsOf(config),
          ...(environments.length > 0 && { environments }),
        },
      },
      {
        path: `${folder}/index.ts`,
        task: { kind: "server-index", server, tools: names, readOnly, ...environmentFlag, importExtension },
      },
    ],
    collisions: findCollisions(server, names),
    diagnostics,
  };
}

/** Abilities that are no tools of their server are called through one that is. */
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

/** What a file shows of the lock. An ability is no part of it, and vouched for by it all the same. */
function definitionOf({ definition, ability }: LockedTool<DefinitionOutline>): string {
  return ability === undefined
    ? definition.text
    : sha256(JSON.stringify([definition.text, ability.definition]));
}

/** The settings that generated code embeds, in one fixed order. A server read from a file has none. */
const SETTINGS = [
  ...(["url", "transport", "auth", "headers", "command", "args", "env", "cwd"] as const),
  ...(["environments", "timeouts", "readLimit", "capabilities"] as const),
] satisfies readonly (keyof ConnectionSettings)[];

function settingsOf(config: ServerConfig | undefined): JsonObject {
  const settings = SETTINGS.flatMap((key) => {
    const value = config?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const output = config?.validateOutput;
  const json: unknown = Object.fromEntries(
    // Named as the option of a call is, for which it is the default.
    output === undefined ? settings : [...settings, ["output", output] as const],
  );
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
