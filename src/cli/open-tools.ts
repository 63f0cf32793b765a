import type { LoadedConfig } from "../config/load-config.js";
import type { VariableLookup } from "../contract/connection.js";
import { McpCodegenError } from "../contract/errors.js";
import type { Lockfile } from "../contract/lockfile.js";
import { findOwnTools } from "../pipeline/find-own-tools.js";
import { openLockedTools } from "../pipeline/locked-tools.js";
import { readProjectLock } from "../pipeline/read-project-lock.js";
import { toolPolicyOf } from "../pipeline/tool-policy-of.js";
import { printable } from "../report/printable.js";
import { decide } from "../runtime/policy/decide.js";
import type { Policy } from "../runtime/policy/policy.js";
import { registerTool, type RegisteredTool } from "../runtime/registry/registered-tool.js";
import { createToolFinder } from "../runtime/toolset/find-tools.js";
import { nearestNames } from "../runtime/toolset/nearest-names.js";
import { createToolNames, type ToolNames } from "../runtime/toolset/tool-names.js";
import type { Context } from "./context.js";
import { loadProject, readLookup } from "./load-project.js";
import { redirectConsole } from "./redirect-console.js";

/** The locked tools and the own tools of a project, the policy they are under, and their names. */
export interface OpenedTools {
  readonly project: LoadedConfig;
  readonly lock: Lockfile;
  readonly lookup: VariableLookup;
  readonly policy: Policy;
  readonly tools: readonly RegisteredTool[];
  readonly names: ToolNames;
}

/**
 * The tools of the lock and of `serve.tools`, without a connection to any server. An own tool replaces a server's tool of the
 * same name, as in `serve`.
 *
 * @throws McpCodegenError `CONFIG_NOT_FOUND`, `LOCK_NOT_FOUND`, and whatever is wrong with either or with a module
 */
export async function openTools(context: Context): Promise<OpenedTools> {
  const project = await loadProject(context);
  const [lock, lookup, own] = await Promise.all([
    readProjectLock(project),
    readLookup(context, project.dir),
    redirectConsole(context.io, () =>
      findOwnTools(project, (message) => {
        warn(context, message);
      }),
    ),
  ]);
  const policy = toolPolicyOf(project.config, lookup);
  const statics = own.map((tool) => registerTool(tool, tool.definition.name));
  const taken = new Set(statics.map(({ name }) => name));
  const locked = openLockedTools(project, lock, { lookup }).tools;
  const tools = [...statics, ...locked.filter(({ name }) => !taken.has(name))];
  return { project, lock, lookup, policy, tools, names: createToolNames(tools) };
}

function warn({ io }: Context, message: string): void {
  io.stderr.write(`${printable(message, 400)}\n`);
}

/**
 * The tool of a name, whether the policy allows it or not. Of several, it is one that the policy shows.
 *
 * @throws McpCodegenError `TOOL_UNKNOWN`
 */
export async function findTool({ tools, names, policy }: OpenedTools, name: string): Promise<RegisteredTool> {
  const named = names.find(name);
  const visible = named.filter((one) => decide(one, policy).isVisible);
  // What is hidden is named to nobody; who asks for it alone is told that it is not allowed.
  const found = visible.length > 0 ? visible : named.slice(0, 1);
  const [tool, other] = found;
  if (tool !== undefined && other === undefined) return tool;
  const quoted = JSON.stringify(name);
  if (tool !== undefined) {
    throw new McpCodegenError("TOOL_UNKNOWN", `Several servers have a tool ${quoted}.`, {
      hint: `Say which: ${found.map((one) => JSON.stringify(one.name)).join(", ")}.`,
    });
  }
  const nearest = await nearestNames(name, createToolFinder(tools, { policy }), names);
  throw new McpCodegenError("TOOL_UNKNOWN", `There is no tool ${quoted}.`, {
    hint:
      nearest.length === 0
        ? '"npx mcp-codegen list" names all there are.'
        : `Did you mean ${nearest.map((one) => JSON.stringify(one)).join(", ")}? "npx mcp-codegen search" finds others.`,
  });
}

/**
 * As {@link findTool}, for a tool that may be seen.
 *
 * @throws McpCodegenError `TOOL_UNKNOWN`
 */
export async function findVisibleTool(opened: OpenedTools, name: string): Promise<RegisteredTool> {
  const tool = await findTool(opened, name);
  const { isVisible, reasons } = decide(tool, opened.policy);
  if (isVisible) return tool;
  throw new McpCodegenError("TOOL_UNKNOWN", reasons[0]?.message ?? "The policy hides this tool.", {
    hint: 'See "policy" in the configuration.',
  });
}
