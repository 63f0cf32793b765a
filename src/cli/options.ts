/** An option of a command. Its key in a table of options is its flag in camel case. */
export interface OptionSpec {
  /** The name of its value in help; absent for a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The range of a value that is a number; by default a whole one. */
  readonly range?: { readonly from: number; readonly to: number; readonly hasParts?: true };
  /** A switch that also has a `--no-` form. */
  readonly negatable?: true;
  /** A switch that has only a `--no-` form. */
  readonly isNegative?: true;
  /** Whether the option can be repeated; its value is then a list. */
  readonly repeatable?: true;
  /** Its meaning in help, at best on one line of 80 columns. */
  readonly help: string;
  /** What `docs/cli.md` says besides, right behind it. */
  readonly more?: string;
}

export interface OptionTable {
  readonly [name: string]: OptionSpec;
}

type OptionValue<O> = O extends { readonly choices: readonly (infer C)[] }
  ? C
  : O extends { readonly range: unknown }
    ? number
    : O extends { readonly repeatable: true }
      ? readonly string[]
      : O extends { readonly value: string }
        ? string
        : boolean;

/** Parsed options of a table; an option that is not on the command line is absent. */
export type OptionValues<T extends OptionTable> = {
  readonly [K in keyof T]?: OptionValue<T[K]> | undefined;
};

/** Options of every command. */
export const GLOBAL_OPTIONS = {
  config: { value: "file", help: "use this configuration file instead of searching for one" },
  envFile: { value: "file", help: "read variables from this file; they override .env.local and .env" },
  json: { help: "print one JSON object to stdout and all other output to stderr" },
  verbose: { help: "print the stderr of started servers, each line with the server's name" },
  color: { isNegative: true, help: "disable colours (same as NO_COLOR)" },
} as const satisfies OptionTable;

export type GlobalOptions = OptionValues<typeof GLOBAL_OPTIONS>;

/** The ports that a program may listen on; 0 picks a free one. */
export const PORTS = { from: 0, to: 65_535 } as const;

/** The options that name a server on the command line. */
export const SERVER_FLAGS = {
  server: {
    value: "command or URL",
    help: "a server's command or URL, for which no file is written; or the name of a configured server",
  },
  header: {
    value: "name: value",
    repeatable: true,
    help: "with --server and a URL: a header to send, with ${NAME} for a variable (repeatable)",
  },
  bearer: {
    value: "token",
    help: "with --server and a URL: the bearer token to send, with ${NAME} for a variable",
  },
} as const satisfies OptionTable;

/** The options of commands that report changes. */
export const REPORT_FLAGS = {
  failOn: {
    value: "class",
    choices: ["any", "dangerous", "breaking", "never"],
    help: "exit 1 for changes of this class or worse",
    more: " (unproved ones count as breaking; default: check.failOn, else any)",
  },
  format: {
    value: "format",
    choices: ["text", "json", "markdown", "github", "sarif", "junit", "html"],
    help: "the report format on stdout",
    more: " (default: text; json is the same as --json)",
  },
  report: { value: "format=file", repeatable: true, help: "also write a report to a file (repeatable)" },
  all: { help: "print every finding with its details", more: ", not at most 60 lines" },
} as const satisfies OptionTable;

/** Options of several commands. */
export const SHARED = {
  dryRun: { help: "print the planned changes without making them" },
  reason: {
    value: "text",
    help: "why the findings are accepted or waived",
    more: "; saved in mcp-codegen.waivers.json",
  },
  force: { help: "overwrite generated files that were edited by hand" },
  env: { value: "name", help: "use this environment of the servers" },
  project: {
    value: "tsconfig",
    help: "the TypeScript project that calls the tools",
    more: " (default: the nearest to the output folder)",
  },
  allowUnresolved: { help: "exit 0 even if code of some abilities is missing" },
  http: {
    value: "port",
    range: PORTS,
    help: "serve Streamable HTTP on this port instead of stdio; 0 picks a free port",
  },
  allowUnlocked: {
    help: "for development: also use tools that the lock lacks or that differ from it",
  },
} as const satisfies OptionTable;

/** Returns an option's flag: `--dry-run`. */
export function flagOf(name: string, { isNegative }: OptionSpec): string {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return isNegative === true ? `--no-${words}` : `--${words}`;
}

/** Returns the flag of an option, and its `--no-` form if there is one. */
export function allFlagsOf(name: string, spec: OptionSpec): readonly string[] {
  const flag = flagOf(name, spec);
  return spec.negatable === true ? [flag, flag.replace("--", "--no-")] : [flag];
}

/** Returns an option as help prints it: `--config <file>`. */
export function printOption(name: string, spec: OptionSpec): string {
  return spec.value === undefined ? flagOf(name, spec) : `${flagOf(name, spec)} <${spec.value}>`;
}
