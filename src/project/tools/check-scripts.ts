import { findOwnTools, openLockedTools } from "./locked-tools.js";
import { toolPolicyOf } from "../tool-policy.js";
import type { RegisteredTool } from "../../core/tool.js";
import { ownNameOf } from "../../core/tool-name.js";
import { declareModule, nameFunctions, SCRIPT_GLOBALS } from "../../code-mode/declare-tools.js";
import { createCodeTools } from "../../code-mode/create-code-tools.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { NOT_VERIFIED, SCRIPT_RULE } from "../../core/findings.js";
import type { Lockfile } from "../../core/lockfile.js";
import { typeOf } from "../../emit/name-tools.js";
import type { Project, SavedScript } from "../project.js";

/** Returns the tools that scripts of a project can call, as `serve` offers them under this lock. Connects to nothing. */
async function scriptTools(project: Project, lock: Lockfile): Promise<readonly RegisteredTool[]> {
  const statics = await findOwnTools(project, () => undefined);
  const outputOf = await project.outputs();
  const options = { lookup: noVariables, outputOf, static: statics, hasAppTools: false };
  return openLockedTools(project, lock, options).registry.tools;
}

/** A tool as a module, in the form of generated code. */
interface ScriptModule {
  readonly server: string;
  /** The tool's name at the server. */
  readonly tool: string;
  /** The function of scripts, and the paths of its module and of the index of its global object. */
  readonly wrapper: string;
  readonly path: string;
  readonly index: string;
  readonly text: string;
}

/** Returns modules of the tools that scripts may call: those of global objects that `words` has. */
export async function scriptModules(
  words: ReadonlySet<string>,
  project: Project,
  lock: Lockfile,
): Promise<readonly ScriptModule[]> {
  const functions = nameFunctions(await scriptTools(project, lock)).filter(({ server }) => words.has(server));
  return functions.map((entry) => ({
    server: entry.tool.server ?? "",
    tool: ownNameOf(entry.tool),
    wrapper: entry.name,
    path: `${entry.server}/${entry.name}.d.ts`,
    index: `${entry.server}/index.d.ts`,
    text: declareModule(entry, typeOf(entry.name)),
  }));
}

export const scriptGlobals: string = SCRIPT_GLOBALS;

/** Which tools a script sees does not depend on variables: these switch writes on, and a tool that writes is seen. */
const noVariables = (): undefined => undefined;

export interface ScriptCheck {
  readonly findings: readonly Finding[];
  /** Scripts that cannot be checked. */
  readonly unverified: readonly Finding[];
}

/** Type-checks scripts against the tools of a lock. Without a compiler, they are not verified. */
export async function checkScripts(
  project: Project,
  scripts: readonly SavedScript[],
  lock: Lockfile,
): Promise<ScriptCheck> {
  const code = createCodeTools(await scriptTools(project, lock), {
    policy: toolPolicyOf(project.config, noVariables),
    ownScripts: true,
  });
  const findings: Finding[] = [];
  const unverified: Finding[] = [];
  for (const { path, text } of scripts)
    try {
      for (const issue of await code.check(text))
        findings.push({ rule: SCRIPT_RULE, file: path, ...issue, facts: { of: "lock" } });
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      const { message, hint } = error;
      unverified.push({ rule: NOT_VERIFIED, server: path, file: path, message, hint });
    }
  return { findings, unverified };
}
