import { basename } from "node:path";
import process from "node:process";
import type { LoadedConfig } from "../../config/load-config.js";
import { McpCodegenError } from "../../contract/errors.js";
import { printable } from "../../contract/printable.js";
import { placesOf } from "../../pipeline/places.js";
import type { Diagnosis } from "../../report/documents.js";
import { count, type Paint } from "../../report/layout.js";
import type { Context, Runner } from "../context.js";
import { examineNode, examinePackages, examinePhp } from "../doctor/examine-packages.js";
import { findProject, readLookup } from "../load-project.js";

/** Looks at what a project needs, and says how to fix what it lacks. Returns 1 for a failure, 3 for what is not known. */
export const runDoctor: Runner<"doctor"> = async (context, _arguments, options) => {
  const { diagnoses: configuration, loaded } = await examineConfiguration(context);
  const diagnoses = [
    examineNode(process.versions.node),
    ...configuration,
    ...(loaded === undefined
      ? await (
          await import("../doctor/examine-repository.js")
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
    import("../doctor/examine-servers.js"),
    import("../doctor/examine-tsconfig.js"),
    import("../doctor/examine-repository.js"),
    readLookup(context, loaded.dir),
  ]);
  const { output } = placesOf(loaded);
  return [
    ...(output === undefined ? [] : examinePackages(loaded, output)),
    ...(output === undefined ? [] : await examineTsconfig(loaded.dir, output)),
    ...(await examinePhp(loaded)),
    ...servers.examineVariables(loaded, lookup),
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
