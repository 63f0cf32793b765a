import { loadConfig, type LoadedConfig } from "../config/load-config.js";
import { readVariables } from "../config/read-variables.js";
import type { VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import { findOwnTools } from "../project/find-own-tools.js";
import { readProjectLock } from "../project/read-project-lock.js";
import { explainWrites, toolPolicyOf } from "../project/tool-policy-of.js";
import { systemClock } from "../runtime/clock.js";
import { narrowPolicy, type Policy } from "../agent/policy/policy.js";
import { createToolset } from "../agent/toolset/create-toolset.js";
import type { Toolset } from "../agent/toolset/toolset.js";
import type { DriftState } from "./drift-guard.js";
import { countServed, type ServedCount } from "./count-served.js";
import type { DirectOptions, DirectSource } from "./offer.js";
import { openServedTools, type ServedToolsOptions } from "./open-served-tools.js";

export interface OpenToolsetOptions extends Pick<
  ServedToolsOptions,
  "environment" | "servers" | "logins" | "allowUnlocked" | "onDrift" | "onStderr"
> {
  /** The folder to search for the configuration, with its parents. */
  readonly cwd: string;
  /** The absolute path of a configuration, instead of a search. */
  readonly config?: string;
  /** Variables that override those of `.env.local` and `.env` next to the configuration. */
  readonly variables: { readonly [name: string]: string | undefined };
  /** The absolute path of a file of variables that also override these two files. */
  readonly envFile?: string;
  /** A role that restricts what the configuration allows. */
  readonly role?: string;
  /** A prefix for the names of the five tools. Default: the configuration's `serve.prefix`. */
  readonly prefix?: string;
  /** Called with warnings. */
  readonly onWarning?: (message: string) => void;
}

/** The toolset of a project. */
export interface OpenedToolset extends Toolset {
  readonly project: LoadedConfig;
  readonly lookup: VariableLookup;
  readonly policy: Policy;
  /** The number of shown tools, with reasons for the others. */
  readonly count: ServedCount;
  readonly drift: DriftState;
  /** The tools to serve directly, with options: `serveStdio(direct.source, { ...direct.options, … })`. */
  readonly direct: { readonly source: DirectSource; readonly options: DirectOptions };
  /** Closes the connections to servers. */
  close(): Promise<void>;
}

/**
 * Opens five meta-tools for the locked and static tools of a project, under its policy. Does not connect yet.
 *
 * @throws McpCodegenError `CONFIG_NOT_FOUND`, `CONFIG_INVALID`, `LOCK_NOT_FOUND`, `LOCK_INVALID`, `SERVER_UNKNOWN`; whatever
 * is wrong with a module of tools.
 */
export async function openToolset(given: OpenToolsetOptions): Promise<OpenedToolset> {
  const { cwd, config, variables, envFile, role, onWarning = () => undefined } = given;
  const project = await loadConfig({ cwd, ...(config !== undefined && { path: config }) });
  if (project === undefined) {
    throw new McpCodegenError(
      "CONFIG_NOT_FOUND",
      `There is no mcp-codegen configuration at ${JSON.stringify(cwd)}.`,
      {
        hint: 'Run "npx mcp-codegen init", or name a configuration.',
      },
    );
  }
  const { dir } = project;
  const [lock, lookup, statics] = await Promise.all([
    readProjectLock(project),
    readVariables({ dir, environment: { ...variables }, ...(envFile !== undefined && { envFile }) }),
    findOwnTools(project, onWarning),
  ]);
  const configured = toolPolicyOf(project.config, lookup);
  const policy = role === undefined ? configured : narrowPolicy(configured, role);
  const tools = openServedTools(project, lock, { ...given, lookup, static: statics, now: systemClock });
  const prefix = given.prefix ?? project.config.serve?.prefix;
  const options = {
    policy,
    writesHint: (server: string) => explainWrites(project.config, lookup, server),
    ...(prefix !== undefined && { prefix }),
  };
  const toolset = createToolset(tools, { ...options, onWarning });
  return {
    ...toolset,
    ...{ project, lookup, policy },
    direct: { source: tools, options },
    count: countServed(tools, lock, policy, given.servers),
    get drift() {
      return tools.drift;
    },
    close: () => tools.close(),
  };
}
