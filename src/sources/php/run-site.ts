import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { McpCodegenError } from "../../core/errors.js";
import { explainOutput, explainSiteFailure } from "./explain-site-failure.js";
import { type PhpAnswer, readPhpAnswer } from "./php-answer.js";
import { DISABLED_PROGRAMS, phpFile } from "./php-process.js";

/** A WordPress on disk, or one behind a command: WP-CLI or WordPress Playground. */
export type Site =
  | { readonly kind: "folder"; readonly folder: string; readonly label: string }
  | { readonly kind: "command"; readonly command: readonly string[]; readonly label: string };

interface RunSiteOptions {
  /** The folder that the command runs in. */
  readonly dir: string;
  /** Names a file in a message. */
  readonly nameOf: (file: string) => string;
  readonly signal?: AbortSignal | undefined;
}

/** Allows time to start a container and to install WordPress. */
const MOST_SECONDS = 120;
const MOST_BYTES = 32 * 1024 * 1024;

/** The line before the answer, see `collect.php`. */
const MARKER = "=== mcp-codegen: abilities ===";

/** PHP settings for a WordPress on disk: no other programs, no mail, no notices in the answer. */
const SETTINGS: Readonly<Record<string, string>> = {
  disable_functions: DISABLED_PROGRAMS.join(","),
  display_errors: "0",
  html_errors: "0",
  log_errors: "0",
  memory_limit: "512M",
  "xdebug.mode": "off",
};

/**
 * Loads a WordPress, lets its plugins register their abilities, and returns them. Nothing is written to the
 * database, no HTTP request is sent, and no cron job starts.
 *
 * @throws McpCodegenError `PHP_FAILED` with the reason
 */
export async function runSite(site: Site, { dir, nameOf, signal }: RunSiteOptions): Promise<PhpAnswer> {
  const { command, stdin } = await commandFor(site);
  const cwd = site.kind === "folder" ? site.folder : dir;
  const [program = ""] = command;
  const end = await runSiteCommand(command, {
    cwd,
    stdin,
    seconds: MOST_SECONDS,
    limit: MOST_BYTES,
    signal,
  });
  switch (end.kind) {
    case "not-found":
      throw new McpCodegenError("PHP_FAILED", `The program ${JSON.stringify(program)} was not found.`, {
        hint:
          site.kind === "folder"
            ? "Install PHP 7.4 or later, or read the WordPress with php.command of this server."
            : "Install it, or correct php.command of this server.",
      });
    case "timed-out":
      throw new McpCodegenError("PHP_FAILED", `${site.label} did not answer within ${MOST_SECONDS} s.`, {
        hint: "Look for a plugin that waits when WordPress loads, or a container that does not start.",
      });
    case "too-long":
      throw new McpCodegenError(
        "PHP_FAILED",
        `${site.label} printed more than ${MOST_BYTES / 1024 / 1024} MB.`,
        { hint: "Look for a plugin that prints when WordPress loads." },
      );
    case "ended": {
      const answer = findAnswer(end.stdout);
      if (answer === undefined) throw explainOutput(end, site.label, nameOf);
      if (answer.failure !== undefined) throw explainSiteFailure(answer.failure, site, nameOf);
      return answer;
    }
    default:
      return end satisfies never;
  }
}

async function commandFor(site: Site): Promise<SiteCommand> {
  const script = await readFile(phpFile("collect.php"), "utf8");
  if (site.kind === "command") return commandWith(site.command, script);
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ["-d", `${key}=${value}`]);
  return { command: ["php", ...settings, "--", site.folder], stdin: script };
}

/** Plugins and WP-CLI may print before the answer and after it. */
function findAnswer(stdout: string): PhpAnswer | undefined {
  const lines = stdout.split(/\r?\n/);
  const text = lines[lines.lastIndexOf(MARKER) + 1];
  return text === undefined || !lines.includes(MARKER) ? undefined : readPhpAnswer(text);
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

/** How a program ended. `code` is null after a signal. */
type ProgramEnd =
  | { readonly kind: "ended"; readonly code: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "not-found" | "timed-out" | "too-long" };

interface RunCommandOptions {
  readonly cwd: string;
  readonly stdin: string;
  readonly seconds: number;
  /** The most bytes that it may print. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a program of the user without a shell, in the user's environment, which `wp-config.php`, Docker and
 * WP-CLI read.
 */
export async function runSiteCommand(
  [program = "", ...args]: readonly string[],
  { cwd, stdin, seconds, limit, signal }: RunCommandOptions,
): Promise<ProgramEnd> {
  const options = {
    cwd,
    env: process.env,
    timeout: seconds * 1_000,
    killSignal: "SIGKILL",
    maxBuffer: limit,
    windowsHide: true,
    signal,
  } as const;
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ kind: "ended", code: 0, stdout, stderr });
      else if (error.code === "ENOENT") resolve({ kind: "not-found" });
      else if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") resolve({ kind: "too-long" });
      else if (error.killed === true) resolve({ kind: "timed-out" });
      else
        resolve({ kind: "ended", code: typeof error.code === "number" ? error.code : null, stdout, stderr });
    });
    // A program that does not read its input closes the pipe.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(stdin);
  });
}
