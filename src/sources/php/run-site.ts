import { readFile } from "node:fs/promises";
import type { FailedWordPress } from "./explain-failure.js";
import type { NameOf, PhpAnswer, SiteFailure } from "./php-answer.js";
import { phpArguments, phpFile, runPhp, SITE_SETTINGS } from "./php-process.js";

/** A WordPress on disk, or one behind a command: WP-CLI or WordPress Playground. */
export type Site = FailedWordPress &
  (
    | { readonly kind: "folder"; readonly folder: string }
    | { readonly kind: "command"; readonly command: readonly string[] }
  );

interface RunSiteOptions {
  /** The folder that the command runs in. */
  readonly dir: string;
  readonly nameOf: NameOf;
  readonly signal?: AbortSignal | undefined;
}

/** Allows time to start a container and to install WordPress. */
const MOST_SECONDS = 120;

/**
 * Loads a WordPress, lets its plugins register their abilities, and returns them. Nothing is written to the
 * database, no HTTP request is sent, and no cron job starts.
 */
export async function runSite(
  site: Site,
  { dir, nameOf, signal }: RunSiteOptions,
): Promise<PhpAnswer | SiteFailure> {
  const script = await readFile(phpFile("collect.php"), "utf8");
  const { command, stdin } =
    site.kind === "command"
      ? commandWith(site.command, script)
      : { command: ["php", ...phpArguments(SITE_SETTINGS), "--", site.folder], stdin: script };
  const cwd = site.kind === "folder" ? site.folder : dir;
  return runPhp(command, { cwd, stdin, seconds: MOST_SECONDS, signal }, nameOf);
}

interface SiteCommand {
  readonly command: readonly string[];
  readonly stdin: string;
}

/**
 * Returns the command that runs a PHP script in the WordPress of a configured command. WP-CLI reads the script from
 * stdin. WordPress Playground passes arguments to its PHP, and has WordPress at `/wordpress`. Other commands, such as
 * `wp-env run cli --`, start WP-CLI in a container.
 */
export function commandWith(words: readonly string[], script: string): SiteCommand {
  const playground = words.findIndex((word) => PLAYGROUND.test(word));
  if (playground >= 0) {
    const before = words.slice(0, playground + 1);
    const options = words.slice(playground + 1).filter((word) => word !== "--");
    const php = options[0] === "php" ? [] : ["php"];
    const code = script.replace(/^<\?php/, "");
    return { command: [...before, ...php, ...options, "--", "-r", code, "/wordpress"], stdin: "" };
  }
  const wp = words.some((word) => WP_CLI.test(word)) ? [] : ["wp"];
  return { command: [...words, ...wp, "eval-file", "-"], stdin: script };
}

const WP_CLI = /(?:^|[/\\])(?:wp|wp-cli|wp-cli\.phar|wp\.bat)$/;
const PLAYGROUND = /(?:^|[/\\])(?:wp-playground(?:-cli)?(?:\.js)?|@wp-playground[/\\]cli(?:@[^/\\]+)?)$/;
