import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { CONSUMER_NAME } from "../../../core/consumer.js";
import { findOwn } from "../../../core/json.js";
import { printable } from "../../../core/printable.js";
import { readManifest } from "../../../files/project-settings.js";
import { exportConsumer, type ExportReport } from "../../../pipeline/export-consumer.js";
import { outputOf } from "../../../pipeline/places.js";
import { count, type Paint } from "../../../report/layout.js";
import { orAll, type Runner, usageError } from "../../command-spec.js";
import { findTsconfig, loadProject } from "../../load-project.js";
import { requirePackage } from "../../packages.js";
import type { EXPORT_FLAGS } from "./spec.js";

/** Writes how the project's code uses the tools. With `--check`, returns 1 if the file is out of date. */
export const runExport: Runner<typeof EXPORT_FLAGS> = async (context, servers, options) => {
  const { cwd } = context.io;
  const loaded = await loadProject(context);
  const { dir } = loaded;
  requirePackage("ts-morph", "export", dir);
  const { project, out } = options;
  const file = out === undefined ? resolve(dir, CONSUMER_NAME) : resolve(cwd, out);
  const report = await exportConsumer(loaded, {
    // A file that was exported under another name than the package's keeps it.
    consumer: checkName(
      options.consumer ??
        (await findName(file, "consumer")) ??
        (await findName(join(dir, "package.json"), "name")),
    ),
    tsconfig: findTsconfig(
      [outputOf(loaded), dir],
      project === undefined ? undefined : resolve(cwd, project),
    ),
    file,
    workers: availableParallelism(),
    servers: orAll(servers),
    withPaths: options.paths,
    isCheck: options.check,
  });
  const exitCode = report.status === "stale" || report.status === "missing" ? 1 : 0;
  const path = relative(cwd, file);
  return context.report(
    { report: "export", exitCode, file: path, ...report },
    printExported(report, path, context.paint),
  );
};

/** A text in a file of JSON, which may not exist. */
async function findName(path: string, key: string): Promise<string | undefined> {
  const name = findOwn(await readManifest(path), key);
  return typeof name === "string" ? name : undefined;
}

/** Names go to reports and to file names of providers. */
function checkName(name: string | undefined): string {
  if (name === undefined)
    throw usageError(
      "Missing --consumer <name>, and package.json has no name.",
      "For example: --consumer acme-web.",
    );
  if (/^[@\w][\w./-]{0,99}$/.test(name)) return name;
  throw usageError(
    `--consumer takes letters, digits, ".", "_", "-" and "/", not ${JSON.stringify(printable(name, 80))}.`,
    "For example: --consumer acme-web.",
  );
}

const STATUS = {
  written: "Wrote",
  unchanged: "Up to date:",
  stale: "Out of date:",
  missing: "Missing:",
} as const;

function printExported(
  { consumer, servers, status }: ExportReport,
  path: string,
  paint: Paint,
): readonly string[] {
  const lines = servers.map(({ server, tools, calls, reads, unknown }) => {
    const known = [count(tools, "tool"), count(calls, "call"), count(reads, "read path")];
    const rest = unknown === 0 ? "" : `, ${unknown} unknown`;
    return `  ${paint.bold(printable(server, 80))}: ${known.join(", ")}${rest}`;
  });
  return [
    `${STATUS[status]} ${printable(path)}`,
    `What ${printable(consumer)} uses:`,
    ...(lines.length > 0 ? lines : ["  nothing: no file of the TypeScript project uses the generated tools"]),
    ...(status === "stale" || status === "missing"
      ? [paint.dim(`To write it: npx mcp-codegen export --consumer ${printable(consumer)}`)]
      : []),
  ];
}
