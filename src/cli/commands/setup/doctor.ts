import process from "node:process";
import { createRequire } from "node:module";
import { basename, join, relative } from "node:path";
import { hasEndpoint } from "../../../config/config.js";
import { compareVersions } from "../../../config/package-pins.js";
import { McpCodegenError } from "../../../core/errors.js";
import { findText } from "../../../core/json.js";
import { quoteAll } from "../../../core/collections.js";
import { INSTALL_PEER } from "../../../core/packages.js";
import type { Project } from "../../../project/project.js";
import type { Diagnosis } from "../../../report/documents.js";
import { count, type Paint, present } from "../../../report/layout.js";
import { INSTALL_PHP } from "../../../sources/php/php-process.js";
import type { Runner } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { findProject } from "../../load-project.js";
import { hasPackage, missingPackages } from "../../packages.js";
import {
  examineContract,
  examineLogins,
  examinePins,
  examineRepository,
  examineVariables,
} from "./examine.js";
import { diagnose, examineTsconfig } from "./examine-tsconfig.js";
import type { DOCTOR_FLAGS } from "./spec.js";
import { findCore } from "../../../sources/php/find-core.js";
import { findPluginFiles } from "../../../sources/php/plugin-files.js";
import { runProgram } from "../../../sources/run-program.js";

/** Examines the needs of a project, and prints how to fix failures. Returns 1 for a failure, 3 if something is unknown. */
export const runDoctor: Runner<typeof DOCTOR_FLAGS> = async (context, _arguments, options) => {
  const { diagnoses: configuration, project } = await examineConfiguration(context);
  const diagnoses = [
    examineNode(process.versions.node),
    ...configuration,
    ...(project === undefined
      ? await examineRepository(context.io.cwd, undefined, context.options.envFile)
      : await examineProject(context, project, options.offline === true)),
  ];
  const has = (status: Diagnosis["status"]): boolean =>
    diagnoses.some((diagnosis) => diagnosis.status === status);
  const exitCode = has("failed") ? 1 : has("unchecked") ? 3 : 0;
  const lines = diagnoses.flatMap((diagnosis) => printDiagnosis(diagnosis, context.paint));
  return context.report({ report: "doctor", exitCode, diagnoses }, [...lines, "", summaryOf(diagnoses)]);
};

async function examineConfiguration(context: Context) {
  const note = diagnose.bind(undefined, "configuration");
  try {
    const project = await findProject(context);
    if (project === undefined)
      return { diagnoses: [note("failed", "No configuration was found.", 'Run "npx mcp-codegen init".')] };
    const servers = Object.keys(project.config.servers).length;
    return {
      diagnoses: [note("ok", `"${basename(project.path)}" has ${count(servers, "server")}.`)],
      project,
    };
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    const { hint = "Correct the configuration, and run this again to check the rest.", message } = error;
    // A configuration may have several problems, each on its own line.
    return { diagnoses: message.split("\n").map((line) => note("failed", line, hint)) };
  }
}

async function examineProject(
  context: Context,
  project: Project,
  isOffline: boolean,
): Promise<readonly Diagnosis[]> {
  const { lookup } = await project.access();
  const { output } = project.paths;
  return [
    ...(output === undefined ? [] : examinePackages(project, output)),
    ...(output === undefined ? [] : await examineTsconfig(project)),
    ...(await examinePhp(project, context.io.env)),
    ...examineVariables(project, lookup),
    ...(await examinePins(project)),
    ...(await examineLogins(context, project, lookup)),
    ...(await examineContract(project, isOffline)),
    ...(await examineRepository(project.dir, output, context.options.envFile)),
  ];
}

const WIDTH = "unchecked".length;

function printDiagnosis({ status, message, fix }: Diagnosis, paint: Paint): readonly string[] {
  const lines = [`${paint[COLOURS[status]](status)}${" ".repeat(WIDTH - status.length)}  ${message}`];
  return fix === undefined ? lines : [...lines, `${" ".repeat(WIDTH)}  ${paint.dim("fix:")} ${fix}`];
}

const COLOURS = { ok: "green", failed: "red", warning: "yellow", unchecked: "yellow" } as const;

function summaryOf(diagnoses: readonly Diagnosis[]): string {
  const numberOf = (status: Diagnosis["status"]): number =>
    diagnoses.filter((diagnosis) => diagnosis.status === status).length;
  const failed = numberOf("failed");
  const warnings = numberOf("warning");
  const unchecked = numberOf("unchecked");
  const parts = present(
    failed > 0 && `${failed} to fix`,
    unchecked > 0 && `${unchecked} not checked`,
    warnings > 0 && count(warnings, "warning"),
  );
  return parts.length === 0 ? "Nothing to fix." : `${parts.join(", ")}.`;
}

/** The oldest Node that mcp-codegen runs on, and the oldest Zod and TypeScript that generated code needs. */
const OLDEST_NODE = "20.19.0";
const OLDEST_ZOD = "4.5.0";
const OLDEST_TYPESCRIPT = "5.9.0";

export function examineNode(version: string): Diagnosis {
  return isOlder(version, OLDEST_NODE)
    ? diagnose("node", "failed", `Node ${version} is too old.`, `Install Node ${OLDEST_NODE} or later.`)
    : diagnose("node", "ok", `Node ${version}`);
}

/** Looks for the packages that generated code imports, and for those that commands load where they are installed. */
function examinePackages({ dir }: Project, output: string): readonly Diagnosis[] {
  const note = diagnose.bind(undefined, "packages");
  const install = missingPackages(output);
  const zod = install === undefined ? versionOf("zod", output) : undefined;
  const folder = relative(dir, output) || ".";
  const code =
    install !== undefined
      ? note(
          "failed",
          `"${folder}" cannot import all packages that generated code needs.`,
          `Run "${install}".`,
        )
      : zod !== undefined && isOlder(zod, OLDEST_ZOD)
        ? note("failed", `Zod ${zod} is too old for generated code.`, 'Run "npm install zod@latest".')
        : note("ok", `Generated code finds mcp-codegen and zod${zod === undefined ? "" : ` ${zod}`}.`);
  // A project in JavaScript needs no compiler.
  const typescript = versionOf("typescript", output) ?? OLDEST_TYPESCRIPT;
  const tooOld = `TypeScript ${typescript} is too old for generated code.`;
  const compiler = isOlder(typescript, OLDEST_TYPESCRIPT)
    ? [note("failed", tooOld, 'Run "npm install -D typescript@latest".')]
    : [];
  const impact = hasPackage("ts-morph", dir)
    ? note("ok", "ts-morph is installed, so changes come with the code that they break.")
    : note(
        "warning",
        "ts-morph is not installed, so no command shows the code that a change breaks.",
        `Run "${INSTALL_PEER["ts-morph"]}".`,
      );
  return [code, ...compiler, impact];
}

function versionOf(name: string, folder: string): string | undefined {
  try {
    return findText(createRequire(join(folder, "index.js"))(`${name}/package.json`), "version");
  } catch {
    // A package may not export its package.json.
    return undefined;
  }
}

function isOlder(version: string, oldest: string): boolean {
  return compareVersions(version.replace(/[+-].*$/s, ""), oldest) < 0;
}

/** Looks for PHP, and for the plugins, of servers whose PHP is read. */
async function examinePhp(project: Project, env: NodeJS.ProcessEnv): Promise<readonly Diagnosis[]> {
  const { servers } = project.config;
  const readers = Object.keys(servers).filter((name) => servers[name]?.php !== undefined);
  if (readers.length === 0) return [];
  const end = await runProgram(["php", "-r", "echo PHP_VERSION;"], {});
  const php = end.kind === "ended" && end.code === 0 ? end.stdout.trim() : undefined;
  const problem = `PHP is not installed, so the PHP of ${quoteAll(readers)} cannot be read.`;
  return [
    php === undefined ? diagnose("php", "failed", problem, INSTALL_PHP) : diagnose("php", "ok", `PHP ${php}`),
    ...(await examinePlugins(project)),
    ...(await examineCores(project, env, php)),
  ];
}

/** Looks for the plugins of servers that are asked instead; those of others are read with the contract. */
async function examinePlugins({ config, dir }: Project): Promise<readonly Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const [name, settings] of Object.entries(config.servers)) {
    const { php } = settings;
    if (php?.paths === undefined || !hasEndpoint(settings)) continue;
    try {
      await findPluginFiles(dir, php.paths, `servers.${name}.php`);
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      diagnoses.push(diagnose("php", "failed", error.message, error.hint));
    }
  }
  return diagnoses;
}

/** Looks for the WordPress in whose code plugins run. */
async function examineCores(
  { config, dir }: Project,
  env: NodeJS.ProcessEnv,
  php: string | undefined,
): Promise<readonly Diagnosis[]> {
  const diagnoses: Diagnosis[] = [];
  for (const [server, { php: { paths, wordpress, command, core: named } = {} }] of Object.entries(
    config.servers,
  )) {
    if (paths === undefined || (wordpress ?? command) !== undefined) continue;
    try {
      const core = await findCore({ server, core: named, paths, dir, env });
      const what = `WordPress ${core.version} in ${JSON.stringify(core.folder)} (${core.by})`;
      const { oldestPhp: oldest } = core;
      diagnoses.push(
        php !== undefined && oldest !== undefined && isOlder(php, oldest)
          ? diagnose("php", "failed", `PHP ${php} is too old for ${what}.`, `Install PHP ${oldest} or later.`)
          : diagnose("php", "ok", `The PHP of "${server}" is read in ${what}.`),
      );
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      diagnoses.push(diagnose("php", "failed", error.message, error.hint));
    }
  }
  return diagnoses;
}
