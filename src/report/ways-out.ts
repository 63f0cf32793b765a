import type { LoadedConfig } from "../config/load-config.js";
import { findStartedPackage } from "../config/package-pins.js";
import type { Change } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { getOwn } from "../core/json.js";
import { printable } from "../core/printable.js";
import { quoteForShell } from "./layout.js";
import { levelOf } from "./fold-changes.js";
import type { Repair } from "./report-content.js";

/**
 * Returns what can be done about changes besides taking all of them: take those of one tool, stay with the version that is
 * locked, or let the worst one pass.
 *
 * @param check the command that was run, without options of its report
 * @param until the last day of a proposed waiver
 */
export function waysOut(
  changes: readonly Change[],
  { config }: Pick<LoadedConfig, "config">,
  {
    check,
    until,
    isPullable,
  }: { readonly check: string; readonly until: string; readonly isPullable: boolean },
): readonly Repair[] {
  const [worst] = changes
    .filter(({ fails, waiver }) => fails === true && waiver === undefined)
    .sort((a, b) => levelOf(a) - levelOf(b) || (b.callSites?.length ?? 0) - (a.callSites?.length ?? 0));
  if (worst === undefined) return [];
  const tools = new Set(changes.flatMap(({ server, tool }) => (server === worst.server ? (tool ?? []) : [])));
  const name = worst.tool === undefined ? "" : ` ${quoteForShell(printable(worst.tool, 80))}`;
  const ofTool = { does: "one tool of it", command: `npx mcp-codegen pull ${worst.server} --tools${name}` };
  const pass = {
    does: "let it pass",
    command: `${check} --waive ${worst.rule}${name} --until ${until} --reason "…"`,
  };
  return [
    ...(isPullable && name !== "" && tools.size > 1 ? [ofTool] : []),
    ...[...groupBy(changes, ({ server }) => server)].flatMap(([server, those]) => {
      const pin = findPin(those, getOwn(config.servers, server) ?? {});
      return pin === undefined
        ? []
        : [{ does: "stay", command: `write "${pin}" into servers.${server} of the configuration` }];
    }),
    pass,
  ];
}

/** The package of a server with the version that is locked; undefined if the server reports another version than its package. */
function findPin(
  changes: readonly Change[],
  settings: Parameters<typeof findStartedPackage>[0],
): string | undefined {
  const { before, after } = changes.find((change) => change.path === "/serverInfo/version") ?? {};
  const started = findStartedPackage(settings);
  if (started === undefined || typeof before !== "string" || before === after) return undefined;
  const isPackageVersion =
    started.version === undefined ? /^\d+\.\d+\.\d+$/.test(before) : started.version === after;
  return isPackageVersion ? `${started.name}@${before}` : undefined;
}
