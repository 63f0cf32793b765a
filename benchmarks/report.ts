/**
 * `npm run report` lists the reports, `npm run report <name> -- <arguments>` prints one. Reports measure and compare; unlike
 * tests, they do not fail when a figure changes.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";

interface Report {
  readonly file: string;
  readonly about: string;
  /** It runs the program, so `dist/` must be current. */
  readonly needsBuild?: true;
}

const REPORTS: Readonly<Record<string, Report>> = {
  frames: {
    file: "frames.ts",
    about: "the roads from pull to a request, from a call to a request, and to SARIF, frame by frame",
  },
  house: { file: "house.ts", about: "files, lines, exports, circles and rooms of src" },
  mutants: {
    file: "mutants/mutants.ts",
    about: "which planted mistakes the tests catch, by folder; `--number`, `--seed`, `--folder`, `--minutes`",
    needsBuild: true,
  },
  bytes: { file: "bytes.ts", about: "digests of locks and generated code for all public tool lists" },
  speed: {
    file: "speed/speed.ts",
    about: "processor time over a process that does nothing; `record` adds it to benchmarks/history.json",
    needsBuild: true,
  },
  types: {
    file: "speed/types-report.ts",
    about: "what generated code costs a user's own type check and editor",
    needsBuild: true,
  },
  oracle: { file: "oracle/oracle.ts", about: "the drift engine on the histories of real servers" },
  conformance: {
    file: "conformance/conformance.ts",
    about: "the official JSON Schema test suite, for our Zod and for other converters",
  },
  tokens: { file: "tokens/tokens-report.ts", about: "what tools cost a model, listed and behind a toolset" },
  tasks: {
    file: "tokens/task-tokens.ts",
    about: "what twelve tasks cost a model, by the way in which it sees its tools",
    needsBuild: true,
  },
  "search-quality": { file: "search/search-quality.ts", about: "how much the search finds" },
  "learn-quality": {
    file: "learn-quality.ts",
    about: "how well learned schemas fit the answers of tools",
    needsBuild: true,
  },
  "php-lines": {
    file: "php-lines/lines-report.ts",
    about: "how often `check --php` names the correct line, for one-line changes of plugins",
  },
  "php-plugins": {
    file: "wordpress/plugins-report.ts",
    about: "what the core of WordPress finds in public plugins, compared with what WordPress registered",
  },
  "php-speed": {
    file: "wordpress/speed-report.ts",
    about: "how long `check --php` takes for 50 and 500 abilities, and the requests of a pull",
    needsBuild: true,
  },
  "hostile-grid": {
    file: "hostile-grid.ts",
    about: "every command with every hostile tool of the tests, which run a part of them",
    needsBuild: true,
  },
  hosts: {
    file: "host-rules.ts",
    about: "how many tools of how many public servers each host refuses or changes, by rule",
  },
  runtimes: {
    file: "try-hosts.ts",
    about: "the package under Node 22 and 24, Bun and Deno, installed in a temporary folder",
    needsBuild: true,
  },
  servers: {
    file: "real-servers.ts",
    about: "servers from npm that start without an account: pulled, generated and compiled",
    needsBuild: true,
  },
};

const [name, ...args] = process.argv.slice(2);
const report = name === undefined ? undefined : REPORTS[name];
if (report === undefined) {
  const width = Math.max(...Object.keys(REPORTS).map((each) => each.length));
  const rows = Object.entries(REPORTS).map(([each, { about }]) => `  ${each.padEnd(width)}  ${about}`);
  process.stdout.write(`npm run report <name>\n\n${rows.join("\n")}\n`);
  if (name !== undefined) {
    process.stderr.write(`There is no report "${name}".\n`);
    process.exitCode = 2;
  }
} else {
  const built = report.needsBuild === true ? run(["src/build.js"]) : 0;
  process.exitCode =
    built === 0
      ? run(["--import", "jiti/register", fileURLToPath(new URL(report.file, import.meta.url)), ...args])
      : built;
}

function run(argv: readonly string[]): number {
  return spawnSync(process.execPath, argv, { stdio: "inherit" }).status ?? 1;
}
