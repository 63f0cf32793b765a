import type { McpCodegenError } from "../../src/core/errors.js";
import { explainSiteFailure, explainOutput } from "../../src/sources/php/explain-site-failure.js";
import type { SiteFailure } from "../../src/sources/php/php-answer.js";
import type { ShownProblem } from "./print-problems.js";

const LABEL = 'The WordPress at "site"';
const ACME = "wp-content/plugins/acme/acme.php";
const FAILURES: readonly (readonly [cause: string, failure: Partial<SiteFailure>])[] = [
  ["no `wp-config.php`", { kind: "no-config" }],
  ["PHP lacks `mysqli`", { kind: "requirements" }],
  [
    "PHP lacks `pdo_sqlite`, which the SQLite integration needs",
    { kind: "requirements", message: "pdo_sqlite" },
  ],
  ["the database does not answer", { kind: "database" }],
  ["the database is empty", { kind: "not-installed" }],
  ["WordPress before 6.9, without the plugin", { kind: "no-api" }],
  [
    "a fatal error",
    { kind: "fatal", message: "Error: Call to undefined function foo()", file: ACME, line: 12 },
  ],
  ["`exit` in a plugin or a theme", { kind: "exit", file: ACME }],
];

/** A real WordPress that does not load, as `docs/wordpress.md` shows it. */
export function listLoadFailures(): readonly ShownProblem[] {
  const nameOf = (file: string): string => file;
  const failures = FAILURES.map(([cause, failure]) => {
    const whole = { kind: "", message: "", file: "", line: 0, hook: "", missing: "", ...failure };
    return show(cause, explainSiteFailure(whole, { kind: "folder", label: LABEL }, nameOf));
  });
  const output = { code: 1, stdout: "", stderr: "Error: This does not seem to be a WordPress installation." };
  return [...failures, show("the command fails", explainOutput(output, 'The WordPress of "wp"', nameOf))];
}

function show(cause: string, { message, hint = "" }: McpCodegenError): ShownProblem {
  return { cause, message, hint };
}
