import { McpCodegenError } from "../../contract/errors.js";
import { getOwn } from "../../contract/json.js";
import type { Caller } from "../client/caller.js";
import { findSharedCaller } from "../client/find-shared-caller.js";
import { originOf } from "../connect-tools.js";
import type { ServerDefinition } from "../server-definition.js";
import type { ServerTool } from "../tool.js";
import { isTool } from "../is-tool.js";
import type { ServerSource } from "./registry.js";
import { assertServerName } from "./tool-names.js";

/** A server in one environment: what is locked of it, and how it is reached. */
export interface ResolvedSource {
  readonly definition: ServerDefinition;
  readonly tools: readonly ServerTool[];
  /** In which of its environments its tools are called; absent for its own settings, and where it is connected already. */
  readonly environment: string | undefined;
  /** Whom to ask for its tools. */
  readonly findCaller: () => Caller;
}

/** Stands for the settings of a server that are under none of its environments. */
export const DEFAULT_ENVIRONMENT = "default";

/**
 * What a source is in an environment; undefined for a connection to another one.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for what is no source, or a server whose name is not `snake_case`.
 */
export function resolveSource(
  source: ServerSource,
  environment: string | undefined,
): ResolvedSource | undefined {
  const definition = definitionOf(source);
  assertServerName(definition.name);
  const environmentOfServer = environmentOf(definition, environment);
  const origin = originOf(source);
  const tools = Object.values(source).filter(isServerTool);
  if (origin === undefined) {
    const bound = environmentOfServer === undefined ? {} : { environment: environmentOfServer };
    const findCaller = (): Caller => findSharedCaller(definition, bound);
    return { definition, tools, environment: environmentOfServer, findCaller };
  }
  const { options, client } = origin;
  const isFixed = options.client !== undefined || options.url !== undefined;
  if (!isFixed && options.environment !== environmentOfServer) return undefined;
  return { definition, tools, environment: undefined, findCaller: () => client };
}

/** The server of a source. */
export function definitionOf(source: ServerSource): ServerDefinition {
  // Whoever has no types gives anything.
  const given: unknown = source;
  if (typeof given === "object" && given !== null) {
    const found: unknown = originOf(given)?.server ?? ("server" in given ? given.server : given);
    if (isDefinition(found)) return found;
  }
  throw new McpCodegenError("CONFIG_INVALID", "A registry's servers hold something that is no server.", {
    hint: 'Give it a generated index (import * as shop from "./generated/shop/index.js"), what connect() returned, or defineServer({ … }).',
  });
}

/** The environment that a server is to be in; undefined for its own settings, which are all that some servers have. */
export function environmentOf(
  { environments = {} }: ServerDefinition,
  environment: string | undefined,
): string | undefined {
  if (environment === undefined || getOwn(environments, environment) !== undefined) return environment;
  const isOwn = environment === DEFAULT_ENVIRONMENT || Object.keys(environments).length === 0;
  return isOwn ? undefined : environment;
}

function isDefinition(value: unknown): value is ServerDefinition {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string";
}

/** Whether a value, such as what a generated index exports, is a tool of a server. */
export function isServerTool(value: unknown): value is ServerTool {
  return isTool(value) && isDefinition(value.definition.server);
}
