import { McpCodegenError } from "../../core/errors.js";
import { hintOfMissing } from "./missing-code.js";
import { describePlace, type PhpPlace, type SiteFailure } from "./php-answer.js";
import { INSTALL_PHP, ISOLATED } from "./php-process.js";
import type { MainFile } from "./plugin-files.js";

/** The WordPress that failed: the core without a site, one on disk, or one behind a command. */
export interface FailedWordPress {
  readonly kind: "core" | "folder" | "command";
  /** It starts a sentence. */
  readonly label: string;
}

/** PHP that failed. */
export class PhpFailedError extends McpCodegenError {
  /** Where; absent if that is not known. */
  readonly place: PhpPlace | undefined;

  constructor(message: string, hint: string, { file, line }: PhpPlace) {
    super("PHP_FAILED", message, { hint });
    this.place = file === "" ? undefined : { file, line };
  }
}

/**
 * Returns the error for a WordPress that did not load, or whose plugins did not register their abilities. It quotes no text of
 * the database.
 */
export async function explainFailure(
  failure: SiteFailure,
  wordpress: FailedWordPress,
  plugin?: MainFile,
): Promise<PhpFailedError> {
  const [message, hint] = explain(failure, wordpress);
  return new PhpFailedError(message, (await hintOfMissing(failure, plugin)) ?? hint, failure);
}

const WAITS =
  "Look for code that loops, waits or prints when the plugins load, or a container that does not start.";

function explain(
  failure: SiteFailure,
  { kind: by, label }: FailedWordPress,
): readonly [message: string, hint: string] {
  const { kind, message } = failure;
  switch (kind) {
    case "no-config":
      return [`${label} has no wp-config.php.`, "Install WordPress there, or correct php.wordpress."];
    case "requirements":
      return [
        message === ""
          ? `${label} needs an extension that this PHP does not have, most likely mysqli.`
          : `${label} needs the extension ${message}, which this PHP does not have.`,
        "Install the extension, or use the PHP of the site with php.command of this server.",
      ];
    case "database":
      return [
        `${label} cannot reach its database.`,
        by === "folder"
          ? 'Start the database. If it runs in a container, use php.command of this server, such as "wp-env run cli --".'
          : "Start the database of the site, or check the settings in its wp-config.php.",
      ];
    case "not-installed":
      return [`${label} is not installed: its database has no tables.`, "Run wp core install."];
    case "no-api":
      return [
        `${label} has no Abilities API.`,
        "Update to WordPress 6.9 or later, or activate the plugin abilities-api.",
      ];
    case "old-php":
      return [`${message}.`, "Install a newer PHP."];
    case "not-found":
      return by === "command"
        ? [
            `The program ${JSON.stringify(message)} was not found.`,
            "Install it, or correct php.command of this server.",
          ]
        : [`${label} cannot be read: PHP is not installed.`, INSTALL_PHP];
    case "timed-out":
    case "too-long":
      return [`${label} ${message}.`, WAITS];
    case "silent":
      return [
        `${label} returned no answer: ${message}.`,
        by === "command" ? "Check that the command, followed by \"eval 'echo 1;'\", prints 1." : WAITS,
      ];
    case "parse":
    case "thrown":
    case "fatal":
    case "exit":
    case "died":
    case "redirect": {
      const during = failure.hook === "" ? "loading" : `in the hook "${failure.hook}"`;
      const what = `${failure.file === "" ? "" : `${describePlace(failure)}, ${during}: `}${describe(failure)}.`;
      return by === "core"
        ? [what, hintOf(failure)]
        : [`${label} failed: ${what}`, "Fix the file, or deactivate the plugin."];
    }
    default:
      return kind satisfies never;
  }
}

/** Says what code of a plugin does. */
function describe({ kind, message }: SiteFailure): string {
  if (kind === "exit") return "the plugin ends the process (exit or die)";
  if (kind === "died") return `the plugin stops WordPress with ${JSON.stringify(message)}`;
  if (kind === "redirect") return `the plugin redirects to ${JSON.stringify(message)} and ends the process`;
  return message.replace(/\.$/, "");
}

/** Returns what to do about a plugin that fails without a site. */
function hintOf({ kind, message, missing }: SiteFailure): string {
  if (/Failed opening required '[^']*[/\\]vendor[\w-]*[/\\]/.test(message)) return 'Run "composer install".';
  if (/Failed opening required/.test(message))
    return "A site fails here too: add the file, or remove what loads it.";
  if (/^(?:Error: )?Cannot (?:re)?declare /.test(message))
    return "If another path of php.paths loads this file, take it out of php.paths. Otherwise, rename what it declares.";
  if (kind === "parse" || /cannot be written as JSON/.test(message)) return "Fix the file.";
  if (/^Maximum execution time|^Allowed memory size/.test(message)) return WAITS;
  if (ISOLATED.includes(missing))
    return `${missing}() is not there when PHP is read without a site, so that nothing waits, starts programs or uses the network. Call it when the ability runs.`;
  if (missing !== "")
    return `A site fails here too if nothing defines ${missing}. If another plugin does, load it with the php.bootstrap of this server.`;
  if (kind === "fatal" || kind === "thrown")
    return "If it needs another plugin or a setting, load it with the php.bootstrap of this server, or set php.options.";
  return "Set what it checks before it ends, in php.options or the php.bootstrap of this server.";
}
