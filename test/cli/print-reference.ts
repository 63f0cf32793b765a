import type { CommandHelp } from "../../src/cli/command-spec.js";
import { COMMAND_GROUPS } from "../../src/cli/command-table.js";
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
    "| 1 | drift at or above `--fail-on`; generated files that are stale or edited; names in files that agents read, and recorded calls, that the lock contradicts; with `pull --frozen`, anything that would be written |",
    "| 2 | wrong input: flags, configuration, a missing or corrupt lock |",
    "| 3 | something could not be checked: unreachable, refused, an incomplete list |",
    "| 70 | a bug in mcp-codegen, with its stack |",
    "| 130, 143 | interrupted by SIGINT or SIGTERM; every file is whole |",
    "",
    "Where several apply, the order is 70, 2, 1, 3: an outage never hides drift.",
    "",
    "## `--version`",
    "",
    "Prints the version. `mcp-codegen --version --json` prints what a bug report or a script needs: `name`, `version`, `node`, `platform`,",
    "`emitRevision` (changes when the same lock gives other generated code), `lockfileVersion`, and `protocolVersions`, the revisions of MCP that",
    "it accepts from servers.",
    "",
    "## `--json`",
    "",
    "Prints exactly one object on stdout; everything for people goes to stderr. Its key `report` names its schema in",
    "`docs/schemas/<report>-report.schema.json`; a command that could not do its work prints the report `error`.",
  ].join("\n");
}

const HEAD = ["| option | meaning |", "|---|---|"];

/** The rows of options that two commands or more have. */
function findShared(): ReadonlySet<string> {
  const commands = Object.values<{ readonly [name: string]: CommandHelp }>(COMMAND_GROUPS).flatMap(
    Object.values,
  );
  const rows = commands.flatMap(({ options }: CommandHelp) => printRows(options));
  const flagOf = (row: string): string | undefined => row.split("`")[1];
  // An option with two meanings is listed with each command.
  const isSame = (row: string): boolean =>
    rows.every((other) => other === row || flagOf(other) !== flagOf(row));
  return new Set(rows.filter((row, at) => rows.indexOf(row) < at && isSame(row)));
}

function printCommand(name: string, spec: CommandHelp, shared: ReadonlySet<string>): readonly string[] {
  const hasOptions = Object.keys(spec.options).length > 0;
  const usage = [
    "mcp-codegen",
    name,
    ...(hasOptions ? ["[options]"] : []),
    ...(spec.arguments ?? []).map((argument) => argument.name),
  ].join(" ");
  return [
    `#### \`${usage}\``,
    "",
    spec.description.join(" "),
    "",
    ...(spec.arguments ?? []).flatMap((argument) => [`\`${argument.name}\`: ${argument.help}.`, ""]),
    ...(hasOptions ? printOwn(spec.options, shared) : []),
    "```sh",
    ...spec.examples.map(({ line, does }) => `npx ${line}   # ${does}`),
    "```",
    "",
  ];
}

/** The options that only this command has, and the names of the others. */
function printOwn(table: OptionTable, shared: ReadonlySet<string>): readonly string[] {
  const rows = printRows(table);
  const own = rows.filter((row) => !shared.has(row));
  const others = rows.filter((row) => shared.has(row)).map((row) => /`[^`]+`/.exec(row)?.[0] ?? "");
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
    return `| \`${printOption(name, spec)}\`${opposite} | ${spec.help}${choices} |`;
  });
}
