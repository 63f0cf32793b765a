import { findFileText } from "../../files/read-files.js";
import { INSTALL_PEER } from "../../core/packages.js";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";

/**
 * Runs the harness with a job. Returns how it ended, for a run without an answer; undefined when this kind of PHP is not
 * installed.
 */
export type RunPhp = (run: PhpRun) => Promise<string | undefined>;

interface PhpRun {
  readonly harness: string;
  readonly job: string;
  /** The file for the answer. The harness writes its current step to this path with `.trail`. */
  readonly out: string;
  /** An empty folder to work in. */
  readonly dir: string;
  /** All folders that are read or written. */
  readonly folders: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** The time limit of a run in WebAssembly. */
export const WALL_SECONDS = 20;

/** The time limit of one callback: a plugin that takes longer loops or waits forever. */
const STALL_SECONDS = 10;

/** The time limit of all plugins together. */
const MOST_SECONDS = 60;

/** Functions that start other programs or send mail. Registration does not need them. */
export const DISABLED_PROGRAMS: readonly string[] = [
  ...["exec", "shell_exec", "system", "passthru", "proc_open", "popen", "pcntl_exec", "pcntl_fork", "mail"],
];

/** Functions that the stub replaces: other programs, the network, more time or memory. */
export const DISABLED_FUNCTIONS: readonly string[] = [
  ...DISABLED_PROGRAMS,
  ...["fsockopen", "pfsockopen", "stream_socket_client", "stream_socket_server", "stream_socket_pair"],
  ...["socket_create", "socket_connect", "curl_init", "curl_exec", "curl_multi_exec", "ftp_connect"],
  ...["ftp_ssl_connect", "gethostbyname", "gethostbynamel", "dns_get_record", "dns_check_record"],
  ...["checkdnsrr", "dns_get_mx", "getmxrr", "mysqli_connect", "mysqli_init", "mysqli_real_connect"],
  ...["dl", "ini_set", "ini_alter", "ini_restore", "set_time_limit", "ignore_user_abort", "link", "symlink"],
];

export const SETTINGS: Readonly<Record<string, string>> = {
  allow_url_fopen: "0",
  allow_url_include: "0",
  auto_append_file: "",
  auto_prepend_file: "",
  default_charset: "UTF-8",
  disable_classes: "FFI,PDO,SoapClient,mysqli",
  disable_functions: DISABLED_FUNCTIONS.join(","),
  display_errors: "0",
  error_log: "",
  "ffi.enable": "0",
  html_errors: "0",
  log_errors: "0",
  // CPU seconds of all plugins.
  max_execution_time: "30",
  memory_limit: "512M",
  "opcache.enable_cli": "0",
  open_basedir: "",
  short_open_tag: "0",
  "xdebug.mode": "off",
  // The stub reads there which unknown value was passed.
  "zend.exception_ignore_args": "0",
};

/** How to get what runs PHP. */
export const INSTALL_PHP = `Install PHP 7.4 or later, or run "${INSTALL_PEER["@php-wasm/node"]}".`;

/** Runs `php` from the PATH with a minimal environment. */
export const runPhpFromPath: RunPhp = async ({ harness, job, out, dir, signal }) => {
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ["-d", `${key}=${value}`]);
  const env = { ...pick(process.env, ["PATH", "Path", "SystemRoot", "PATHEXT"]), HOME: dir, TMPDIR: dir };
  const options = {
    cwd: dir,
    env: { ...env, TEMP: dir, TMP: dir, LC_ALL: "C" },
    timeout: MOST_SECONDS * 1_000,
    killSignal: "SIGKILL",
    windowsHide: true,
    signal,
  } as const;
  let isStalled = false;
  return new Promise<string | undefined>((done) => {
    const child = execFile("php", [...settings, harness, job], options, (error) => {
      clearInterval(watch);
      if (error === null) done("It ended without an answer.");
      else if (error.code === "ENOENT") done(undefined);
      else if (isStalled) done(`It was stopped after ${STALL_SECONDS} s without progress.`);
      else if (error.killed === true) done(`It was stopped after ${MOST_SECONDS} s.`);
      else if (typeof error.signal === "string") done(`It was ended by ${error.signal}.`);
      else done(`It ended with code ${String(error.code)}.`);
    });
    child.stdin?.end();
    let [last, seconds]: [string | undefined, number] = [undefined, 0];
    const watch = setInterval(() => {
      const reading = findFileText(`${out}.trail`).catch(() => undefined);
      void reading.then((trail) => {
        seconds = trail === last ? seconds + 1 : 0;
        last = trail;
        isStalled = seconds >= STALL_SECONDS;
        if (isStalled) child.kill("SIGKILL");
      });
    }, 1_000);
  });
};

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/**
 * Returns the URL of one of our PHP files, such as `stub/harness.php`. It is next to this module, or below
 * `sources/php` when the build moved this module to a shared chunk.
 */
export function phpFile(name: string): URL {
  const beside = new URL(`./${name}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../sources/php/${name}`, import.meta.url);
}
