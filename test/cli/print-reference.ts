import type { CommandHelp } from "../../src/cli/command-spec.js";
import { COMMAND_GROUPS, type CommandName, isCommandName } from "../../src/cli/command-table.js";
import { allFlagsOf, GLOBAL_OPTIONS, type OptionTable, printOption } from "../../src/cli/options.js";

/** The commands and options of `docs/cli.md`, from the tables that the parser reads. */
export function printReference(): string {
  const shared = findShared();
  return [
    ...Object.entries<{ readonly [name: string]: CommandHelp }>(COMMAND_GROUPS).flatMap(([title, group]) => [
      `### ${title}`,
      "",
      ...Object.entries(group).flatMap(([name, spec]) => printCommand(name, spec, shared)),
    ]),
    "## Options of several commands",
    "",
    ...HEAD,
    ...shared,
    "",
    "## Options of every command",
    "",
    ...printOptions(GLOBAL_OPTIONS),
    "",
    "## Exit codes",
    "",
    "| code | meaning |",
    "|---|---|",
    "| 0 | nothing found |",
    "| 1 | findings: drift at or above `--fail-on`, stale or edited files, names and recorded calls that the lock contradicts; with `pull --frozen`, anything to write |",
    "| 2 | wrong input: flags, configuration, a missing or corrupt lock |",
    "| 3 | something could not be checked: unreachable, refused, an incomplete list |",
    "| 70 | a bug in mcp-codegen, with its stack |",
    "| 130, 143 | interrupted by SIGINT or SIGTERM; every file is whole |",
    "",
    "Where several apply, the order is 70, 2, 1, 3: an outage never hides drift.",
    "",
    "## `--version`",
    "",
    "With `--json`, it prints what a bug report or a script needs: `name`, `version`, `node`, `platform`, `emitRevision` (changes when the",
    "same lock gives other generated code), `lockfileVersion`, and `protocolVersions`, the revisions of MCP that it accepts from servers.",
    "",
    "## `--json`",
    "",
    "Prints exactly one object on stdout, and everything for people on stderr. Its key `report` names its part of",
    "`docs/schemas/reports.schema.json`; a command that fails prints the report `error`.",
  ].join("\n");
}

const HEAD = ["| option | meaning |", "|---|---|"];

/** The rows of options that several commands have. An option with several meanings has its most frequent one. */
function findShared(): ReadonlySet<string> {
  const commands = Object.values<{ readonly [name: string]: CommandHelp }>(COMMAND_GROUPS).flatMap(
    Object.values,
  );
  const rows = commands.flatMap(({ options }: CommandHelp) => printRows(options));
  const flagOf = (row: string): string | undefined => row.split("`")[1];
  const countOf = (row: string): number => rows.filter((other) => other === row).length;
  const isMostFrequent = (row: string): boolean =>
    rows.every((other) => other === row || flagOf(other) !== flagOf(row) || countOf(other) < countOf(row));
  return new Set(rows.filter((row) => countOf(row) > 1 && isMostFrequent(row)));
}

/** Where the documentation says what `--help` says, and more. */
const PAGES: { readonly [Name in CommandName]?: string } = {
  pull: "[Held back](daily.md#a-secret-a-false-alarm)",
  generate: "[Generated code](generated-code.md), [types of answers](testing.md#types-of-answers)",
  check: "[Drift](drift.md), [CI](ci.md)",
  watch: "[An ordinary day](daily.md)",
  fix: "[A server renamed something](daily.md#a-server-renamed-something)",
  explain: "[The rules](drift.md#the-rules)",
  list: "[What a server lists now](#what-a-server-lists-now)",
  search: "[Search](toolsets.md#search)",
  call: "[Call tools](#call-tools), [testing](testing.md)",
  replay: "[Replay](replay.md)",
  run: "[Scripts](scripts.md)",
  serve: "[Serve](serve.md)",
  mock: "[Mock a server](testing.md#mock-a-server-for-any-client)",
  login: "[Login](servers.md#login)",
};

/** The arguments of most commands, explained once. */
const SERVERS = "names of configured servers (default: all)";

function printCommand(name: string, spec: CommandHelp, shared: ReadonlySet<string>): readonly string[] {
  const usage = [name, ...Object.keys(spec.arguments ?? {})].join(" ");
  const page = isCommandName(name) ? PAGES[name] : undefined;
  const examples = Object.entries(spec.examples);
  return [
    `#### \`${usage}\``,
    "",
    `${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.${page === undefined ? "" : ` ${page}.`}`,
    "",
    ...Object.entries(spec.arguments ?? {})
      .filter(([, help]) => help !== SERVERS)
      .flatMap(([argument, help]) => [`\`${argument}\`: ${help}.`, ""]),
    ...printOwn(spec.options, shared),
    ...(examples.length === 0
      ? []
      : ["```sh", ...examples.map(([line, does]) => `npx ${line}   # ${does}`), "```", ""]),
  ];
}

/** The options that only this command has, and the names of the others. */
function printOwn(table: OptionTable, shared: ReadonlySet<string>): readonly string[] {
  const rows = printRows(table);
  const own = rows.filter((row) => !shared.has(row));
  const others = rows
    .filter((row) => shared.has(row))
    .map((row) => /`[^` ]+/.exec(row)?.[0].concat("`") ?? "");
  return [
    ...(own.length > 0 ? [...HEAD, ...own, ""] : []),
    ...(others.length > 0 ? [`${own.length > 0 ? "Also" : "Options:"} ${others.join(", ")}.`, ""] : []),
  ];
}

function printOptions(table: OptionTable): readonly string[] {
  return [...HEAD, ...printRows(table)];
}

function printRows(table: OptionTable): readonly string[] {
  return Object.entries(table).map(([name, spec]) => {
    const [, negation] = allFlagsOf(name, spec);
    const opposite = negation === undefined ? "" : `, \`${negation}\``;
    const choices =
      spec.choices === undefined
        ? ""
        : `; one of ${spec.choices.map((choice) => `\`${choice}\``).join(", ")}`;
    return `| \`${printOption(name, spec)}\`${opposite} | ${spec.help}${spec.more ?? ""}${choices} |`;
  });
}
