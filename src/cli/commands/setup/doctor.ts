import process from "node:process";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { basename, join, relative } from "node:path";
import type { LoadedConfig } from "../../../config/load-config.js";
import { McpCodegenError } from "../../../core/errors.js";
import { findOwn } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import { INSTALL_PEER } from "../../../core/packages.js";
import { placesOf } from "../../../pipeline/places.js";
import type { Diagnosis } from "../../../report/documents.js";
import { count, type Paint } from "../../../report/layout.js";
import { INSTALL_PHP } from "../../../sources/php/php-process.js";
import type { Runner } from "../../command-spec.js";
import type { Context } from "../../context.js";
import { findProject, readLookup } from "../../load-project.js";
import { hasPackage, missingPackages } from "../../packages.js";
import type { DOCTOR_FLAGS } from "./spec.js";

/** Examines the needs of a project, and prints how to fix failures. Returns 1 for a failure, 3 if something is unknown. */
export const runDoctor: Runner<typeof DOCTOR_FLAGS> = async (context, _arguments, options) => {
  const { diagnoses: configuration, loaded } = await examineConfiguration(context);
  const diagnoses = [
    examineNode(process.versions.node),
    ...configuration,
    ...(loaded === undefined
      ? await (
          await import("./examine.js")
        ).examineRepository(context.io.cwd, undefined, context.options.envFile)
      : await examineProject(context, loaded, options.offline === true)),
  ];
  const has = (status: Diagnosis["status"]): boolean => diagnoses.some((one) => one.status === status);
  const exitCode = has("failed") ? 1 : has("unchecked") ? 3 : 0;
  context.print([
    ...diagnoses.flatMap((one) => printDiagnosis(one, context.paint)),
    "",
    summaryOf(diagnoses),
  ]);
  context.printDocument({ report: "doctor", exitCode, diagnoses });
  return exitCode;
};

async function examineConfiguration(
  context: Context,
): Promise<{ readonly diagnoses: readonly Diagnosis[]; readonly loaded?: LoadedConfig }> {
  const about = "configuration";
  try {
    const loaded = await findProject(context);
    if (loaded === undefined) {
      const message = "No configuration was found.";
      return { diagnoses: [{ about, status: "failed", message, fix: 'Run "npx mcp-codegen init".' }] };
    }
    const servers = Object.keys(loaded.config.servers).length;
    const message = `"${basename(loaded.path)}" has ${count(servers, "server")}.`;
    return { diagnoses: [{ about, status: "ok", message }], loaded };
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    const fix = printable(
      error.hint ?? "Correct the configuration, and run this again to check the rest.",
      400,
    );
    // A configuration may have several problems, each on its own line.
    const messages = error.message.split("\n").map((line) => printable(line, 400));
    return { diagnoses: messages.map((message) => ({ about, status: "failed", message, fix })) };
  }
}

async function examineProject(
  context: Context,
  loaded: LoadedConfig,
  isOffline: boolean,
): Promise<readonly Diagnosis[]> {
  const [servers, { examineTsconfig }, { examineRepository }, lookup] = await Promise.all([
    import("./examine.js"),
    import("./examine-tsconfig.js"),
    import("./examine.js"),
    readLookup(context, loaded.dir),
  ]);
  const { output } = placesOf(loaded);
  return [
    ...(output === undefined ? [] : examinePackages(loaded, output)),
    ...(output === undefined ? [] : await examineTsconfig(loaded.dir, output)),
    ...(await examinePhp(loaded)),
    ...servers.examineVariables(loaded, lookup),
    ...(await servers.examinePins(loaded)),
    ...(await servers.examineLogins(context, loaded, lookup)),
    ...(await servers.examineContract(context, loaded, { isOffline })),
    ...(await examineRepository(loaded.dir, output, context.options.envFile)),
  ];
}

const WIDTH = "unchecked".length;

function printDiagnosis({ status, message, fix }: Diagnosis, paint: Paint): readonly string[] {
  const lines = [`${colour(status, paint)}${" ".repeat(WIDTH - status.length)}  ${message}`];
  return fix === undefined ? lines : [...lines, `${" ".repeat(WIDTH)}  ${paint.dim("fix:")} ${fix}`];
}

function colour(status: Diagnosis["status"], paint: Paint): string {
  switch (status) {
    case "ok":
      return paint.green(status);
    case "failed":
      return paint.red(status);
    case "warning":
    case "unchecked":
      return paint.yellow(status);
    default:
      return status satisfies never;
  }
}

function summaryOf(diagnoses: readonly Diagnosis[]): string {
  const numberOf = (status: Diagnosis["status"]): number =>
    diagnoses.filter((one) => one.status === status).length;
  const [failed, warnings, unchecked] = [numberOf("failed"), numberOf("warning"), numberOf("unchecked")];
  if (failed + warnings + unchecked === 0) return "Nothing to fix.";
  const parts = [
    ...(failed > 0 ? [`${failed} to fix`] : []),
    ...(unchecked > 0 ? [`${unchecked} not checked`] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ];
  return `${parts.join(", ")}.`;
}

/** The oldest Node that mcp-codegen runs on, and the oldest Zod and TypeScript that generated code needs. */
const OLDEST_NODE = "20.19.0";
const OLDEST_ZOD = "4.5.0";
const OLDEST_TYPESCRIPT = "5.9.0";

export function examineNode(version: string): Diagnosis {
  if (!isOlder(version, OLDEST_NODE)) return { about: "node", status: "ok", message: `Node ${version}` };
  return {
    ...{ about: "node", status: "failed", message: `Node ${version} is too old.` },
    fix: `Install Node ${OLDEST_NODE} or later.`,
  };
}

/** Looks for the packages that generated code imports, and for those that commands load where they are installed. */
function examinePackages({ dir }: LoadedConfig, output: string): readonly Diagnosis[] {
  const install = missingPackages(output);
  const zod = install === undefined ? versionOf("zod", output) : undefined;
  const code: Diagnosis =
    install !== undefined
      ? {
          ...{ about: "packages", status: "failed" },
          message: `"${relative(dir, output) || "."}" cannot import all packages that generated code needs.`,
          fix: `Run "${install}".`,
        }
      : zod !== undefined && isOlder(zod, OLDEST_ZOD)
        ? {
            ...{ about: "packages", status: "failed", message: `Zod ${zod} is too old for generated code.` },
            fix: 'Run "npm install zod@latest".',
          }
        : {
            about: "packages",
            status: "ok",
            message: `Generated code finds mcp-codegen and zod${zod === undefined ? "" : ` ${zod}`}.`,
          };
  const impact: Diagnosis = hasPackage("ts-morph", dir)
    ? {
        about: "packages",
        status: "ok",
        message: "ts-morph is installed, so changes come with the code that they break.",
      }
    : {
        ...{ about: "packages", status: "warning" },
        message: "ts-morph is not installed, so no command shows the code that a change breaks.",
        fix: `Run "${INSTALL_PEER["ts-morph"]}".`,
      };
  return [code, ...examineCompiler(output), impact];
}

/** Whether TypeScript is too old; a project in JavaScript needs none. */
function examineCompiler(output: string): readonly Diagnosis[] {
  const version = versionOf("typescript", output);
  if (version === undefined || !isOlder(version, OLDEST_TYPESCRIPT)) return [];
  return [
    {
      ...{ about: "packages", status: "failed" },
      message: `TypeScript ${version} is too old for generated code.`,
      fix: 'Run "npm install -D typescript@latest".',
    },
  ];
}

function versionOf(name: string, folder: string): string | undefined {
  try {
    const json: unknown = createRequire(join(folder, "index.js"))(`${name}/package.json`);
    const version = findOwn(json, "version");
    return typeof version === "string" ? version : undefined;
  } catch {
    // A package may not export its package.json.
    return undefined;
  }
}

function isOlder(version: string, oldest: string): boolean {
  const [is, least] = [version, oldest].map((text) => text.split(/[.+-]/).slice(0, 3).map(Number));
  for (const [index, number] of (least ?? []).entries()) {
    const difference = (is?.[index] ?? 0) - number;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Looks for PHP, and for the plugins, of servers whose PHP is read. */
async function examinePhp(loaded: LoadedConfig): Promise<readonly Diagnosis[]> {
  const { servers } = loaded.config;
  const readers = Object.keys(servers).filter((name) => servers[name]?.php !== undefined);
  return readers.length === 0
    ? []
    : [await examineInterpreter(loaded.dir, readers), ...(await examinePlugins(loaded))];
}

/** Looks for the plugins of servers that are asked instead; those of others are read with the contract. */
async function examinePlugins({ config, dir }: LoadedConfig): Promise<readonly Diagnosis[]> {
  const { findPluginFiles } = await import("../../../sources/php/plugin-files.js");
  const found: Diagnosis[] = [];
  for (const [name, { url, command, file, php }] of Object.entries(config.servers)) {
    if (php?.paths === undefined || (url ?? command ?? file) === undefined) continue;
    try {
      await findPluginFiles(dir, php.paths, `servers.${name}.php`);
    } catch (error) {
      if (!(error instanceof McpCodegenError)) throw error;
      found.push({
        ...{ about: "php", status: "failed", message: printable(error.message, 400) },
        ...(error.hint !== undefined && { fix: error.hint }),
      });
    }
  }
  return found;
}

async function examineInterpreter(dir: string, readers: readonly string[]): Promise<Diagnosis> {
  const version = await new Promise<string | undefined>((resolve) => {
    execFile("php", ["-r", "echo PHP_VERSION;"], (error, stdout) => {
      resolve(error === null ? stdout.trim() : undefined);
    });
  });
  if (version !== undefined) return { about: "php", status: "ok", message: `PHP ${version}` };
  if (hasPackage("@php-wasm/node", dir))
    return { about: "php", status: "ok", message: "PHP runs as WebAssembly, by @php-wasm/node." };
  return {
    ...{ about: "php", status: "failed" },
    message: `PHP is not installed, so the PHP of ${readers.map((name) => JSON.stringify(name)).join(", ")} cannot be read.`,
    fix: INSTALL_PHP,
  };
}
