import type { McpCodegenError } from "../../src/core/errors.js";
import { explainSiteFailure, explainOutput, type SiteFailure } from "../../src/sources/php/run-site.js";

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

/** The table of `docs/wordpress.md` about a real WordPress that does not load. */
export function printLoadFailures(): string {
  const nameOf = (file: string): string => file;
  const rows = FAILURES.map(([cause, failure]) => {
    const whole = { kind: "", message: "", file: "", line: 0, ...failure };
    return rowOf(cause, explainSiteFailure(whole, { kind: "folder", label: LABEL }, nameOf));
  });
  const output = { code: 1, stdout: "", stderr: "Error: This does not seem to be a WordPress installation." };
  return [
    "| what is wrong | what is printed | the hint |",
    "| --- | --- | --- |",
    ...rows,
    rowOf("the command fails", explainOutput(output, 'The WordPress of "wp"', nameOf)),
  ].join("\n");
}

function rowOf(cause: string, { message, hint = "" }: McpCodegenError): string {
  return `| ${cause} | ${message} | ${hint} |`;
}
