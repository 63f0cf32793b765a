import { findOwnTools } from "./own-tools.js";
import { toolPolicyOf } from "../tool-policy.js";
import { openLockedTools } from "./locked-tools.js";
import type { RegisteredTool } from "../../core/tool.js";
import { ownNameOf } from "../../core/tool-name.js";
import { declareModule, nameFunctions, SCRIPT_GLOBALS } from "../../code-mode/declare-tools.js";
import { createCodeTools } from "../../code-mode/create-code-tools.js";
import type { LoadedConfig } from "../../config/load-config.js";
import { McpCodegenError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { NOT_VERIFIED, SCRIPT_RULE } from "../../core/findings.js";
import type { Lockfile } from "../../core/lockfile.js";
import { typeOf } from "../../emit/name-tools.js";
import type { OutputOf } from "../../emit/plan-files.js";
import type { SavedScript } from "../read-scripts.js";

/** Returns the tools that scripts of a project can call, as `serve` offers them under this lock. Connects to nothing. */
export async function scriptTools(
  loaded: LoadedConfig,
  lock: Lockfile,
  outputOf: OutputOf | undefined,
): Promise<readonly RegisteredTool[]> {
  const statics = await findOwnTools(loaded, () => undefined);
  const options = { lookup: noVariables, outputOf, static: statics, hasAppTools: false };
  return openLockedTools(loaded, lock, options).registry.tools;
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
  ...args: Parameters<typeof scriptTools>
): Promise<readonly ScriptModule[]> {
  const functions = nameFunctions(await scriptTools(...args)).filter(({ server }) => words.has(server));
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

/** Type-checks scripts against the tools of a lock. Without a compiler, they are not verified. */
export async function checkScripts(
  loaded: LoadedConfig,
  scripts: readonly SavedScript[],
  tools: readonly RegisteredTool[],
): Promise<{ readonly findings: readonly Finding[]; readonly unverified: readonly Finding[] }> {
  const code = createCodeTools(tools, {
    policy: toolPolicyOf(loaded.config, noVariables),
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
      {
        const { message, hint } = error;
        unverified.push({ rule: NOT_VERIFIED, server: path, file: path, message, hint });
      }
    }
  return { findings, unverified };
}
