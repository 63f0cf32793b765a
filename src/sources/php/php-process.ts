import { existsSync } from "node:fs";
import {
  describePlace,
  type NameOf,
  type PhpAnswer,
  readPhpAnswer,
  type SiteFailure,
  redact,
} from "./php-answer.js";
import { type EndedProgram, runProgram } from "../run-program.js";

/** Functions that start other programs or send mail. Registration does not need them. */
const PROGRAMS: readonly string[] = [
  "exec",
  "shell_exec",
  "system",
  "passthru",
  "proc_open",
  "popen",
  "pcntl_exec",
  "pcntl_fork",
  "mail",
];

/** The same, and the network, links, waiting, and more time. */
export const ISOLATED: readonly string[] = [
  ...PROGRAMS,
  "fsockopen",
  "pfsockopen",
  "stream_socket_client",
  "stream_socket_server",
  "stream_socket_pair",
  "socket_create",
  "socket_connect",
  "curl_init",
  "curl_exec",
  "curl_multi_exec",
  "ftp_connect",
  "ftp_ssl_connect",
  "gethostbyname",
  "gethostbynamel",
  "dns_get_record",
  "dns_check_record",
  "checkdnsrr",
  "dns_get_mx",
  "getmxrr",
  "mysqli_connect",
  "mysqli_init",
  "mysqli_real_connect",
  "dl",
  "set_time_limit",
  "ignore_user_abort",
  "link",
  "symlink",
  "sleep",
  "usleep",
  "time_nanosleep",
  "time_sleep_until",
];

/** PHP settings for a WordPress on disk: no other programs, no mail, no notices in the answer. */
export const SITE_SETTINGS: Readonly<Record<string, string>> = {
  disable_functions: PROGRAMS.join(","),
  display_errors: "0",
  html_errors: "0",
  log_errors: "0",
  memory_limit: "512M",
  "xdebug.mode": "off",
};

/** The same for a WordPress without a site, whose plugins reach no network either, and have 15 s of CPU time. */
export const CORE_SETTINGS: Readonly<Record<string, string>> = {
  ...SITE_SETTINGS,
  allow_url_fopen: "0",
  allow_url_include: "0",
  auto_append_file: "",
  auto_prepend_file: "",
  default_charset: "UTF-8",
  disable_classes: "FFI,PDO,SoapClient,mysqli",
  disable_functions: ISOLATED.join(","),
  error_log: "",
  "ffi.enable": "0",
  // Names the line of a loop; the limit of the process ends code that waits.
  max_execution_time: "15",
  open_basedir: "",
  // A cache of the user must not keep the code of the tracer.
  "opcache.enable_cli": "0",
};

/** Returns the arguments of `php` for settings. */
export function phpArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([key, value]) => ["-d", `${key}=${value}`]);
}

/** How to get what runs PHP. */
export const INSTALL_PHP = "Install PHP 7.4 or later.";

/**
 * Returns the URL of one of our PHP files, such as `core/boot.php`. It is next to this module, or below `sources/php` when the
 * build moved this module to a shared chunk.
 */
export function phpFile(name: string): URL {
  const beside = new URL(`./${name}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../sources/php/${name}`, import.meta.url);
}

/**
 * Lets PHP ask Linux for memory in large pages. A run that loads WordPress then takes less than half the time: it would
 * spend most of it on 9,300 small pages.
 */
const HUGE_PAGES = { USE_ZEND_ALLOC_HUGE_PAGES: "1" };

const MEGABYTE = 1024 * 1024;
const LIMIT = 32 * MEGABYTE;

interface PhpRun {
  readonly cwd: string;
  readonly stdin: string;
  readonly seconds: number;
  readonly signal?: AbortSignal | undefined;
  /** The only folder that it knows. Default: the environment of the user, which `wp-config.php`, Docker and WP-CLI read. */
  readonly home?: string;
}

/** Runs a command that prints an answer: `php`, WP-CLI or Playground. Returns a failure for one that prints none. */
export async function runPhp(
  command: readonly string[],
  { home, ...options }: PhpRun,
  nameOf: NameOf,
): Promise<PhpAnswer | SiteFailure> {
  const { PATH, Path, SystemRoot, PATHEXT } = process.env;
  const folders = { HOME: home, TMPDIR: home, TEMP: home, TMP: home };
  const base =
    home === undefined ? process.env : { PATH, Path, SystemRoot, PATHEXT, ...folders, LC_ALL: "C" };
  const end = await runProgram(command, { ...options, env: { ...HUGE_PAGES, ...base }, limit: LIMIT });
  options.signal?.throwIfAborted();
  switch (end.kind) {
    case "ended":
      return readPhpAnswer(end.stdout, nameOf) ?? readOutput(end, nameOf);
    case "not-found":
      return { ...NOWHERE, kind: end.kind, message: command[0] ?? "" };
    case "timed-out":
      return { ...NOWHERE, kind: end.kind, message: `did not answer within ${options.seconds} s` };
    case "too-long":
      return { ...NOWHERE, kind: end.kind, message: `printed more than ${LIMIT / MEGABYTE} MB` };
    default:
      return end satisfies never;
  }
}

const NOWHERE = { message: "", file: "", line: 0, hook: "", missing: "" } as const;

/** PHP prints the place of an uncaught error as `in file:line`, of others as `in file on line 1`. */
const FATAL = /(?:Fatal|Parse) error:\s*(\S.{0,499}?) in (\/[^\s:]{1,400})(?::| on line )(\d{1,7})/;

/** Returns the failure that WP-CLI, Docker or PHP printed instead of an answer. */
function readOutput({ code, stdout, stderr }: EndedProgram, nameOf: NameOf): SiteFailure {
  const output = `${stderr}\n${stdout}`;
  if (/PDO Driver for SQLite is missing/i.test(output))
    return { ...NOWHERE, kind: "requirements", message: "pdo_sqlite" };
  if (/establishing a database connection/i.test(output)) return { ...NOWHERE, kind: "database" };
  const [, message, file = "", line] = FATAL.exec(output) ?? [];
  if (message !== undefined) {
    const place = describePlace({ file: nameOf(file), line: Number(line) });
    return { ...NOWHERE, kind: "fatal", message: `${place}: ${redact(message)}` };
  }
  const lines = output.split(/\r?\n/).map((text) => text.trim());
  const printed = lines.find((text) => text.startsWith("Error:")) ?? lines.find((text) => text !== "");
  const how = code === null ? "was killed by a signal" : `exited with code ${code}`;
  const and = printed === undefined ? "" : ` and printed ${JSON.stringify(redact(printed))}`;
  return { ...NOWHERE, kind: "silent", message: `the command ${how}${and}` };
}
