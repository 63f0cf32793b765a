import type { McpCodegenError } from "../../src/core/errors.js";
import { explainFailure } from "../../src/sources/php/explain-failure.js";
import type { SiteFailure } from "../../src/sources/php/php-answer.js";
import { runPhp } from "../../src/sources/php/php-process.js";
import type { ShownProblem } from "./print-problems.js";

const LABEL = 'The WordPress at "site"';
const ACME = "wp-content/plugins/acme/acme.php";
const FAILURES: readonly (readonly [
  cause: string,
  failure: Pick<SiteFailure, "kind"> & Partial<SiteFailure>,
])[] = [
  ["no `wp-config.php`", { kind: "no-config" }],
  ["PHP lacks `mysqli`", { kind: "requirements" }],
  ["PHP lacks `pdo_sqlite`, which the SQLite integration needs", { kind: "requirements", message: "pdo_sqlite" }], // prettier-ignore
  ["the database does not answer", { kind: "database" }],
  ["the database is empty", { kind: "not-installed" }],
  ["WordPress before 6.9, without the plugin", { kind: "no-api" }],
  ["a fatal error", { kind: "fatal", message: "Error: Call to undefined function foo()", file: ACME, line: 12 }], // prettier-ignore
  ["`exit` in a plugin or a theme", { kind: "exit", file: ACME }],
];

const FAILS = `console.error("Error: This does not seem to be a WordPress installation."); process.exit(1)`;

/** A real WordPress that does not load, as `docs/wordpress.md` shows it. */
export async function listLoadFailures(): Promise<readonly ShownProblem[]> {
  const failures = FAILURES.map(async ([cause, failure]) => {
    const whole = { message: "", file: "", line: 0, hook: "", missing: "", ...failure };
    return show(cause, await explainFailure(whole, { kind: "folder", label: LABEL }));
  });
  const command = { kind: "command", label: 'The WordPress of "wp"' } as const;
  const failed = await runPhp([process.execPath, "-e", FAILS], { cwd: ".", stdin: "", seconds: 60 }, String);
  if (!("kind" in failed)) throw new Error("The command does not fail.");
  return [...(await Promise.all(failures)), show("the command fails", await explainFailure(failed, command))];
}

function show(cause: string, { message, hint = "" }: McpCodegenError): ShownProblem {
  return { cause, message, hint };
}
