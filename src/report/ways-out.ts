import type { LoadedConfig } from "../config/load-config.js";
import type { ServerConfig } from "../config/config.js";
import { findStartedPackage, findUnpinned } from "../config/package-pins.js";
import type { Change } from "../core/change.js";
import { groupBy } from "../core/collections.js";
import { getOwn } from "../core/json.js";
import { printable } from "../core/printable.js";
import { withOtherNames } from "../core/changed-names.js";
import { quoteForShell } from "./layout.js";
import { levelOf } from "./fold-changes.js";
import { pullOf, type Repair } from "./report-content.js";
import { findVersions } from "./report-head.js";

/**
 * Returns what can be done about changes besides taking all of them: take those of one tool, stay with the version that is
 * locked, or let the worst one pass.
 *
 * @param check the command that was run, without options of its report
 * @param until the last day of a proposed waiver
 */
export async function waysOut(
  changes: readonly Change[],
  { config, dir }: Pick<LoadedConfig, "config" | "dir">,
  {
    check,
    until,
    isPullable,
    php = [],
    npxCache,
  }: {
    readonly check: string;
    readonly until: string;
    readonly isPullable: boolean;
    /** The servers whose tools were read from PHP. */
    readonly php?: readonly string[] | undefined;
    readonly npxCache?: string | undefined;
  },
): Promise<readonly Repair[]> {
  const sitesOf = ({ callSites = [] }: Change): number => callSites.length;
  const failing = changes
    .filter(({ fails, waiver }) => fails === true && waiver === undefined)
    .sort((a, b) => levelOf(a) - levelOf(b) || sitesOf(b) - sitesOf(a));
  const [worst] = failing;
  if (worst === undefined) return [];
  // To take the removal of a tool removes its code: a tool that is there, and that the code uses, comes first.
  const [kept] = failing
    .filter(({ tool, rule }) => tool !== undefined && rule !== "tool-removed")
    .sort((a, b) => sitesOf(b) - sitesOf(a));
  const isAll = failing.every(
    ({ server, rule, tool }) => server === worst.server && rule === worst.rule && tool === worst.tool,
  );
  const pass = {
    // With others left, the check fails as before.
    does: isAll ? "let it pass" : "let one pass",
    command: `${check} --waive ${worst.rule}${nameOf(worst)} --until ${until} --reason "…"`,
  };
  const pins = await Promise.all(
    [...groupBy(changes, ({ server }) => server)].map(async ([server, those]) => ({
      server,
      pin: await findPin(those, server, { settings: getOwn(config.servers, server) ?? {}, dir, npxCache }),
    })),
  );
  return [
    ...(isPullable && kept !== undefined ? takeTool(kept, changes, php.includes(kept.server)) : []),
    ...pins.flatMap(({ server, pin }) =>
      pin === undefined
        ? []
        : [{ does: "stay", command: `write "${pin}" into servers.${server} of the configuration` }],
    ),
    pass,
  ];
}

/** Returns how to take the changes of one tool, which `pull` takes under both names if it was renamed; nothing without others. */
function takeTool(kept: Change, changes: readonly Change[], isFromPhp: boolean): readonly Repair[] {
  const ofServer = changes.filter(({ server, tool }) => server === kept.server && tool !== undefined);
  const names = withOtherNames([kept.tool ?? ""], ofServer);
  const ofTool = ofServer.filter(({ tool = "" }) => names.has(tool));
  if (ofTool.length === ofServer.length) return [];
  const command = pullOf(ofTool, isFromPhp ? ["--php"] : [], [`--tools${nameOf(kept)}`]);
  return [{ does: "one tool of it", command: `npx mcp-codegen ${command}` }];
}

function nameOf({ tool }: Change): string {
  return tool === undefined ? "" : ` ${quoteForShell(printable(tool, 80))}`;
}

interface PinContext {
  readonly settings: ServerConfig;
  readonly dir: string;
  readonly npxCache: string | undefined;
}

/**
 * The package of a server with the version that is locked. Undefined where it is not known that the server reports the version of
 * its package: the one that was started now is either written in the command or in the cache of npx.
 */
async function findPin(
  changes: readonly Change[],
  server: string,
  { settings, dir, npxCache }: PinContext,
): Promise<string | undefined> {
  const versions = findVersions(changes);
  const started = findStartedPackage(settings);
  if (started === undefined || versions === undefined) return undefined;
  const [before, after] = versions;
  const [unpinned] = await findUnpinned({ [server]: settings }, dir, npxCache);
  return (started.version ?? unpinned?.installed) === after ? `${started.name}@${before}` : undefined;
}
