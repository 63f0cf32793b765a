import { printable } from "./printable.js";

/** Programs that fetch what they start, with the words before its name. */
const RUNNERS: readonly string[] = [
  "npx",
  "pnpx",
  "bunx",
  "uvx",
  "npm exec",
  "npm x",
  "pnpm dlx",
  "pnpm exec",
  "pnpm x",
  "yarn dlx",
  "yarn exec",
  "bun x",
  "uv tool run",
  "uv x",
  "pipx run",
  "docker run",
  "podman run",
];

interface PackageRunner {
  /** The program with its subcommand, such as `npm exec`. */
  readonly name: string;
  readonly fetches: "package" | "image";
  /** The package or file that it starts; undefined if the arguments do not say it for certain. */
  readonly started: string | undefined;
}

/** Returns the program that fetches a server before it starts it: also with a path, `.cmd` or `cmd /c` before it. */
export function findPackageRunner(command: string, args: readonly string[]): PackageRunner | undefined {
  const program = command.replace(/^.*[/\\]/, "").replace(/\.(?:exe|cmd)$/i, "");
  const [first = "", second = "", ...others] = args;
  if (program === "cmd" && /^\/c$/i.test(first)) return findPackageRunner(second, others);
  const line = [program, ...args];
  const name = RUNNERS.find((runner) => runner.split(" ").every((word, at) => line[at] === word));
  if (name === undefined) return undefined;
  // Options of these have values, which look like the name of an image.
  if (/^(?:docker|podman) /.test(name)) return { name, fetches: "image", started: undefined };
  const rest = line.slice(name.split(" ").length);
  return { name, fetches: "package", started: rest.find((word) => !word.startsWith("-")) };
}

/** Says what a command may still fetch before its server starts; undefined for a command that fetches nothing. */
export function explainInstall(command: string, args: readonly string[]): string | undefined {
  const runner = findPackageRunner(command, args);
  if (runner === undefined) return undefined;
  const { name, fetches, started } = runner;
  const what = started === undefined ? `the ${fetches}` : printable(started);
  return `${name} may still be ${fetches === "image" ? "fetching" : "installing"} ${what}`;
}

/** The commands that install the optional peer dependencies. A test compares their versions with those of package.json. */
export const INSTALL_PEER = {
  "ts-morph": "npm install -D ts-morph@28",
  typescript: "npm install -D typescript@6",
  "quickjs-emscripten-core": "npm install -D quickjs-emscripten-core@0",
  "@jitl/quickjs-wasmfile-release-sync": "npm install -D @jitl/quickjs-wasmfile-release-sync@0",
  "gpt-tokenizer": "npm install -D gpt-tokenizer@4",
} as const;
