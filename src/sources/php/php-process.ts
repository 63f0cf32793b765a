import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { McpCodegenError } from "../../core/errors.js";

/** Functions that start other programs or send mail. Registration does not need them. */
export const DISABLED_PROGRAMS: readonly string[] = [
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

/** The time limit of a run. PHP's own limit, in CPU seconds, names the line of a loop; this one ends code that waits. */
const MOST_SECONDS = 45;
const CPU_SECONDS = 15;

/** The network, links, waiting, and more time. */
const DISABLED: readonly string[] = [
  ...DISABLED_PROGRAMS,
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

const SETTINGS: Readonly<Record<string, string>> = {
  allow_url_fopen: "0",
  allow_url_include: "0",
  auto_append_file: "",
  auto_prepend_file: "",
  default_charset: "UTF-8",
  disable_classes: "FFI,PDO,SoapClient,mysqli",
  disable_functions: DISABLED.join(","),
  display_errors: "0",
  error_log: "",
  "ffi.enable": "0",
  html_errors: "0",
  log_errors: "0",
  max_execution_time: String(CPU_SECONDS),
  memory_limit: "512M",
  open_basedir: "",
  // A cache of the user must not keep the code of the tracer.
  "opcache.enable_cli": "0",
  "xdebug.mode": "off",
};

/** Settings with which PHP keeps compiled code in files. */
const CACHED: Readonly<Record<string, string>> = {
  "opcache.enable_cli": "1",
  "opcache.file_cache_only": "1",
};

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

interface PhpRun {
  /** The server, for messages. */
  readonly server: string;
  /** The folder in which PHP keeps compiled code. */
  readonly codeCache: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Runs `php` from the PATH with a minimal environment. Returns how it ended. */
export async function runPhp(
  job: string,
  dir: string,
  { server, codeCache, signal }: PhpRun,
): Promise<string> {
  const cached: typeof CACHED = codeCache === undefined ? {} : { ...CACHED, "opcache.file_cache": codeCache };
  const settings = Object.entries({ ...SETTINGS, ...cached }).flatMap(([key, value]) => [
    "-d",
    `${key}=${value}`,
  ]);
  const kept = ["PATH", "Path", "SystemRoot", "PATHEXT"];
  const env = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const options = {
    cwd: dir,
    env: { ...env, HOME: dir, TMPDIR: dir, TEMP: dir, TMP: dir, LC_ALL: "C" },
    timeout: MOST_SECONDS * 1_000,
    killSignal: "SIGKILL",
    windowsHide: true,
    signal,
  } as const;
  return new Promise((resolve, reject) => {
    const boot = fileURLToPath(phpFile("core/boot.php"));
    const child = execFile("php", [...settings, boot, job], options, (error) => {
      if (error === null) resolve("It ended without an answer.");
      else if (error.code === "ENOENT")
        reject(
          new McpCodegenError(
            "PHP_FAILED",
            `The PHP of ${JSON.stringify(server)} cannot be read: PHP is not installed.`,
            { hint: INSTALL_PHP },
          ),
        );
      else if (signal?.aborted === true) resolve("It was stopped.");
      else if (error.killed === true) resolve(STALLED);
      else if (typeof error.signal === "string") resolve(`It was ended by ${error.signal}.`);
      else resolve(`It ended with code ${String(error.code)}.`);
    });
    child.stdin?.end();
  });
}

/** How a run ends that waits for something. */
const STALLED = `It was stopped after ${MOST_SECONDS} s.`;
