import { isSecretValue } from "../../core/secret-shapes.js";
import { McpCodegenError } from "../../core/errors.js";
import { describePlace, type SiteFailure } from "./php-answer.js";

interface FailedSite {
  readonly kind: "folder" | "command";
  readonly label: string;
}

/**
 * Returns the error for a WordPress that did not load, or whose plugins failed. It quotes no text of the
 * database.
 */
export function explainSiteFailure(
  failure: SiteFailure,
  { kind, label }: FailedSite,
  nameOf: (file: string) => string,
): McpCodegenError {
  const fail = (message: string, hint: string): McpCodegenError =>
    new McpCodegenError("PHP_FAILED", message, { hint });
  switch (failure.kind) {
    case "no-config":
      return fail(`${label} has no wp-config.php.`, "Install WordPress there, or correct php.wordpress.");
    case "requirements":
      return fail(
        failure.message === ""
          ? `${label} needs an extension that this PHP does not have, most likely mysqli.`
          : `${label} needs the extension ${failure.message}, which this PHP does not have.`,
        "Install the extension, or use the PHP of the site with php.command of this server.",
      );
    case "database":
      return fail(
        `${label} cannot reach its database.`,
        kind === "folder"
          ? 'Start the database. If it runs in a container, use php.command of this server, such as "wp-env run cli --".'
          : "Start the database of the site, or check the settings in its wp-config.php.",
      );
    case "not-installed":
      return fail(`${label} is not installed: its database has no tables.`, "Run wp core install.");
    case "no-api":
      return fail(
        `${label} has no Abilities API.`,
        "Update to WordPress 6.9 or later, or activate the plugin abilities-api.",
      );
    case "died":
      return fail(
        `${label} stopped with ${JSON.stringify(withoutSecrets(failure.message))}.`,
        "Fix what WordPress reports, then run the command again.",
      );
    case "exit":
      return fail(
        `${label} exited before plugins registered abilities${failure.file === "" ? "" : `; ${describePlace(failure, nameOf)} was loaded last`}.`,
        "Look for exit or die in the plugins and the theme.",
      );
    default:
      return fail(
        `${label} failed${pluginOf(failure.file)} at ${describePlace(failure, nameOf)}: ${withoutSecrets(failure.message).replace(/\.$/, "")}.`,
        "Fix the file, or deactivate the plugin.",
      );
  }
}

/** Returns the error for a command that printed no answer, from the output of WP-CLI, Docker or PHP. */
export function explainOutput(
  {
    code,
    stdout,
    stderr,
  }: { readonly code: number | null; readonly stdout: string; readonly stderr: string },
  label: string,
  nameOf: (file: string) => string,
): McpCodegenError {
  const lines = `${stderr}\n${stdout}`.split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => /PDO Driver for SQLite is missing/i.test(line))) {
    const failure = { ...NOWHERE, kind: "requirements", message: "pdo_sqlite" };
    return explainSiteFailure(failure, { kind: "command", label }, nameOf);
  }
  if (lines.some((line) => /establishing a database connection/i.test(line))) {
    return explainSiteFailure({ ...NOWHERE, kind: "database" }, { kind: "command", label }, nameOf);
  }
  for (const line of lines) {
    const fatal = FATAL.exec(line);
    if (fatal === null) continue;
    const [, message = "", file = "", number = "0"] = fatal;
    return explainSiteFailure(
      { ...NOWHERE, kind: "fatal", message, file, line: Number(number) },
      { kind: "command", label },
      nameOf,
    );
  }
  const message = lines.find((line) => line.startsWith("Error:")) ?? lines.find((line) => line !== "");
  const how = code === null ? "was killed by a signal" : `exited with code ${code}`;
  return new McpCodegenError(
    "PHP_FAILED",
    `${label} returned no answer: the command ${how}${message === undefined ? "" : ` and printed ${JSON.stringify(withoutSecrets(message))}`}.`,
    { hint: "Check that the command, followed by \"eval 'echo 1;'\", prints 1." },
  );
}

const NOWHERE = { message: "", file: "", line: 0, hook: "", missing: "" } as const;

/** PHP prints the place of an uncaught error as `in file:line`, of others as `in file on line 1`. */
const FATAL = /(?:Fatal|Parse) error:\s*(\S.{0,499}?) in (\/[^\s:]{1,400})(?::| on line )(\d{1,7})/;

/** Removes what looks like a password from the output of a plugin or a command. */
function withoutSecrets(text: string): string {
  return text
    .slice(0, 300)
    .replace(/:\/\/[^\s/@]+@/g, "://…@")
    .replace(/(pass(?:word)?|secret|token|key)(["']?\s*[=:]\s*)\S+/gi, "$1$2…")
    .split(" ")
    .map((word) => (isSecretValue(word) ? "…" : word))
    .join(" ");
}

function pluginOf(file: string): string {
  const plugin = /[/\\](?:mu-)?plugins[/\\]([^/\\]+)/.exec(file)?.[1];
  return plugin === undefined ? "" : ` in the plugin ${JSON.stringify(plugin)}`;
}
