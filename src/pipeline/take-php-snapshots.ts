import type { ListRule } from "../core/diagnostic.js";
import { type Config, type PhpConfig, type ServerConfig, getServer, hasEndpoint } from "../config/config.js";
import type { LoadedConfig } from "../config/load-config.js";
import { type Change, type PhpSpot, keyOfTool } from "../core/change.js";
import { currentTool } from "../core/rename.js";
import { quoteFirst } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { getOwn, mapEntries } from "../core/json.js";
import type { LockedServer, Lockfile } from "../core/lockfile.js";
import type { ServerSnapshot } from "../core/snapshot.js";
import { diffServer } from "../drift/diff-server.js";
import type { PhpLines, PhpPlace, PhpReading, ReadPhpOptions } from "../sources/php/php-answer.js";
import { locateChange } from "../sources/php/locate-change.js";
import { readPhp } from "../sources/php/read-php.js";
import { assertRegistered, describeOld, snapshotOfPhp } from "../sources/php/snapshot-of-php.js";
import type { Finding, PhpNotes } from "../core/finding.js";
import type { Outcome, SnapshotServersOptions } from "../sources/snapshot-servers.js";
import { toolNameOf, type WordPressListing } from "../core/ability.js";
import { lockServer } from "../core/lock-server.js";
import { NOT_VERIFIED } from "../core/findings.js";

/** The snapshots of servers according to their PHP. */
export interface PhpTaken {
  readonly outcomes: readonly Outcome[];
  /** Abilities that could not be determined. */
  readonly unverified: readonly Finding[];
  readonly notes: readonly PhpNotes[];
  /** Adds the places in PHP to changes. Runs PHP once more if there are changes. */
  readonly locate: (changes: readonly Change[]) => Promise<readonly Change[]>;
}

/**
 * Reads the PHP of the servers, one after the other.
 *
 * @param servers names of configured servers; those with PHP by default
 * @throws McpCodegenError `SERVER_UNKNOWN` for a server that is not configured, or has no PHP; `CONFIG_INVALID` if no
 * server has PHP
 */
export async function takePhpSnapshots(
  { config, dir }: LoadedConfig,
  lock: Lockfile,
  servers: readonly string[] | undefined,
  { onProgress, lookup, signal }: SnapshotServersOptions,
): Promise<PhpTaken> {
  const outcomes: Outcome[] = [];
  const results: ReturnType<typeof takeServer>[] = [];
  for (const [server, settings] of withPhp(config.servers, servers)) {
    onProgress?.({ server, stage: "connecting" });
    try {
      const locked = getOwn(lock.servers, server);
      const reading = await readPhp(server, settings.php, {
        dir,
        lookup,
        signal,
        ...abilitiesOf(server, locked, settings),
        answers: locked?.wordpress?.answers,
      });
      if (locked === undefined) assertRegistered(server, reading);
      const result = takeServer(server, reading, locked, settings);
      outcomes.push({ server, snapshot: result.snapshot });
      results.push(result);
      onProgress?.({ server, stage: "done", tools: result.snapshot.tools.length });
    } catch (error) {
      if (!(error instanceof McpCodegenError) || error.exitCode === 2) throw error;
      outcomes.push({ server, error });
      onProgress?.({ server, stage: "failed", message: error.message });
    }
  }
  return {
    outcomes,
    unverified: results.flatMap(({ unverified }) => unverified),
    notes: results.map(({ notes }) => notes),
    locate: async (changes) => {
      let located = changes;
      for (const server of results) located = await server.locate(located);
      return located;
    },
  };
}

/**
 * Adds the PHP files that register the abilities of a listed server, and the answers of its site. If reading PHP fails, those of the
 * lock are kept, since the server's answer does not depend on PHP.
 */
export async function withPhpFiles(
  { config, dir }: LoadedConfig,
  lock: Lockfile,
  outcome: Outcome,
  { onProgress, lookup, signal }: SnapshotServersOptions,
): Promise<Outcome> {
  const { server } = outcome;
  const settings = getOwn(config.servers, server);
  if (settings?.php === undefined || "error" in outcome || outcome.snapshot.abilities === undefined)
    return outcome;
  const { snapshot } = outcome;
  const before = getOwn(lock.servers, server);
  const answersBefore = before?.wordpress?.answers;
  try {
    const listed = lockServer(snapshot, undefined, { contract: "", categoryOf: () => undefined });
    const reading = await readPhp(server, settings.php, {
      dir,
      lookup,
      signal,
      ...abilitiesOf(server, listed, settings),
      answers: answersBefore,
      isOtherSite: true,
    });
    const files = new Map(reading.abilities.map(({ ability, file }) => [ability.name, file]));
    const abilities = mapEntries(snapshot.abilities ?? {}, (ability) => {
      const file = files.get(ability.definition.name);
      return file === undefined ? ability : { ...ability, file };
    });
    // A lock without answers stays unchanged if the list does.
    const isKept =
      before !== undefined &&
      answersBefore === undefined &&
      diffServer(server, before, snapshot).length === 0;
    const answers = isKept ? undefined : (reading.answers ?? answersBefore);
    return { ...outcome, snapshot: withAnswers({ ...snapshot, abilities }, answers) };
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    onProgress?.({ server, stage: "failed", message: error.message });
    return { ...outcome, snapshot: withAnswers(snapshot, answersBefore) };
  }
}

function withAnswers(snapshot: ServerSnapshot, answers: WordPressListing["answers"]): ServerSnapshot {
  const { wordpress } = snapshot;
  return wordpress === undefined || answers === undefined
    ? snapshot
    : { ...snapshot, wordpress: { ...wordpress, answers } };
}

/** The locked abilities of a server, and how those are found that differ. */
function abilitiesOf(
  server: string,
  locked: LockedServer | undefined,
  config: ServerConfig,
): Pick<ReadPhpOptions, "locked" | "differing" | "isOnlySource"> {
  return {
    isOnlySource: !hasEndpoint(config),
    locked: locked && Object.values(locked.tools).flatMap(({ ability }) => ability ?? []),
    differing: (reading) => findDiffering(server, reading, locked, config),
  };
}

/** Returns the tools that differ from the lock, were this the PHP of the site; all without a lock. */
function findDiffering(
  server: string,
  reading: PhpReading,
  locked: LockedServer | undefined,
  config: ServerConfig,
): ReadonlySet<string> {
  if (locked === undefined) return new Set(reading.abilities.map(({ ability }) => toolNameOf(ability.name)));
  const { snapshot } = snapshotOfPhp(server, reading, locked, config);
  const changes = diffServer(server, locked, snapshot, { counterexamples: false });
  return new Set(
    changes.flatMap((change) => [change.tool, currentTool(change)]).filter((tool) => tool !== undefined),
  );
}

function takeServer(
  server: string,
  reading: PhpReading,
  locked: LockedServer | undefined,
  config: ServerConfig,
) {
  const compared = snapshotOfPhp(server, reading, locked, config);
  const { snapshot, others, hidden, unresolved, unlisted, unread } = compared;
  const { by, abilities, refused, hint, uncalled } = reading;
  const said = [...reading.old.map(describeOld), ...reading.notes];
  const find = (rule: string, message: string, help: string | undefined, place?: PhpPlace): Finding => {
    return { ...(place && spotOf(place)), rule, server, message, hint: help };
  };
  const made = uncalled.slice(0, 1).map(({ file, line }) => ` ${file}:${line} makes a server of it.`);
  return {
    snapshot: keepListing(server, snapshot, locked),
    notes: { server, by, abilities: abilities.length, hidden, others, refused, notes: said },
    unverified: [
      ...Array.from(unresolved, ([tool, doubt]) =>
        find(UNRESOLVED, `The definition of ${JSON.stringify(tool)} is not known. ${doubt}.`, hint),
      ),
      ...(unlisted.length === 0
        ? []
        : [
            find(
              UNRESOLVED,
              `Not compared, since the list of the server is not known without the MCP adapter: ${quoteFirst(unlisted, SHOWN_TOOLS)}.${made.join("")}`,
              "Put the adapter's plugin mcp-adapter beside the plugin, or name its folder in php.paths.",
            ),
          ]),
      ...Array.from(unread, ([code, tools]) =>
        find(
          reading.gaps.includes(code) ? UNRESOLVED : NOT_VERIFIED,
          `${code.reason}${tools.length === 0 ? "" : ` Not checked: ${quoteFirst(tools, SHOWN_TOOLS)}.`}`,
          code.hint,
          code.place,
        ),
      ),
      ...reading.outputs.map(({ file, line, hook, text }) =>
        find(
          "php-output" satisfies ListRule,
          `${file}:${line} prints ${JSON.stringify(text.slice(0, 60))} ${hook === "" ? "when it is loaded" : `in the hook "${hook}"`}: a site sends it before its JSON.`,
          "Remove the output, or print it in a hook of a page, such as wp_footer.",
          { file, line },
        ),
      ),
    ],
    locate: async (changes: readonly Change[]) => {
      const names = new Map(abilities.map(({ ability }) => [toolNameOf(ability.name), ability.name]));
      const ofServer = changes.filter((change) => change.server === server);
      const wanted = new Set(ofServer.flatMap((change) => names.get(currentTool(change) ?? "") ?? []));
      const lines = wanted.size === 0 ? NO_LINES : await traceOrSay(reading, [...wanted], said);
      const located = changes.map((change) =>
        change.server === server ? locate(change, reading, locked, lines, hidden) : change,
      );
      return pairValues(located, server);
    },
  };
}

const UNRESOLVED = "php-unresolved" satisfies ListRule;

const NO_LINES: PhpLines = new Map();

/** Returns the lines of abilities. If the run that finds them fails, that is said, and places are those of registrations. */
async function traceOrSay(reading: PhpReading, names: readonly string[], said: string[]): Promise<PhpLines> {
  try {
    return await reading.trace(names);
  } catch (error) {
    if (!(error instanceof McpCodegenError)) throw error;
    said.push(`the lines inside abilities are not known: ${error.message}`);
    return NO_LINES;
  }
}

const SHOWN_TOOLS = 5;

/** A tool that was listed by a server and equals its PHP is not marked as projected. */
function keepListing(
  server: string,
  snapshot: ServerSnapshot,
  locked: LockedServer | undefined,
): ServerSnapshot {
  if (locked === undefined || snapshot.wordpress === undefined) return snapshot;
  if (diffServer(server, locked, snapshot).length > 0) return snapshot;
  const { profile, route } = snapshot.wordpress;
  return { ...snapshot, wordpress: locked.wordpress ?? { profile, route } };
}

function locate(
  change: Change,
  { abilities, refused, elsewhere }: PhpReading,
  locked: LockedServer | undefined,
  lines: PhpLines,
  hidden: PhpNotes["hidden"],
): Change {
  const tool = currentTool(change);
  if (tool === undefined) return change;
  if (elsewhere?.tools.has(tool) === true) {
    const reason = `It is as locked if ${elsewhere.answers}: if the site has that, ${elsewhere.how}`;
    return { ...change, php: spotOf(elsewhere.place), reason };
  }
  const registered = abilities.find(({ ability }) => toolNameOf(ability.name) === tool);
  if (registered !== undefined) {
    const { ability } = registered;
    const ofAbility = lines.get(ability.name) ?? new Map<string, PhpPlace>();
    const registration = { ...spotOf(registered), isRegistration: true } as const;
    if (change.rule === "tool-renamed") return { ...change, php: registration };
    if (change.rule === "tool-removed" && hidden?.abilities.includes(ability.name) === true) {
      // The place of the value that hides the ability, or else of what it is missing in.
      const pointers = [`/${hidden.key.replaceAll(".", "/")}`, "/meta/public", "/meta/mcp", "/meta"];
      const [place] = pointers.flatMap((pointer) => ofAbility.get(pointer) ?? []);
      const reason = `It is registered, but ${hidden.key} is not true`;
      return { ...change, php: place ?? registration, reason };
    }
    return { ...change, php: locateChange(change, ability, ofAbility) ?? registration };
  }
  const refusal = refused.find(({ kind, name }) => kind === "ability" && toolNameOf(name) === tool);
  if (refusal !== undefined)
    return { ...change, php: spotOf(refusal), reason: `WordPress would not register it: ${refusal.reason}` };
  const file = getOwn(locked?.tools ?? {}, tool)?.ability?.file;
  return file === undefined ? change : { ...change, php: { file } };
}

/** A removed value has no line: it gets the line of the value that replaced it. */
function pairValues(changes: readonly Change[], server: string): readonly Change[] {
  return changes.map((change) => {
    if (change.server !== server || !change.rule.endsWith("enum-value-removed")) return change;
    const added = changes.find(
      ({ rule, path, ...other }) =>
        rule.endsWith("enum-value-added") && path === change.path && keyOfTool(other) === keyOfTool(change),
    );
    return added?.php === undefined ? change : { ...change, php: added.php };
  });
}

function spotOf({ file, line }: { readonly file: string; readonly line: number }): PhpSpot {
  return { file, ...(line > 0 && { line }) };
}

type PhpServer = ServerConfig & { readonly php: PhpConfig };

function withPhp(
  servers: Config["servers"],
  wanted: readonly string[] | undefined,
): readonly (readonly [string, PhpServer])[] {
  const targets = (wanted ?? Object.keys(servers)).flatMap((name) => {
    const { php, ...settings } = getServer(servers, name);
    if (php !== undefined) return [[name, { ...settings, php }] as const];
    if (wanted === undefined) return [];
    throw new McpCodegenError("SERVER_UNKNOWN", `Server "${name}" has no PHP to read.`, {
      hint: `Set the path of its plugins in servers.${name}.php.paths, or its WordPress under servers.${name}.php.wordpress.`,
    });
  });
  if (targets.length > 0) return targets;
  throw new McpCodegenError("CONFIG_INVALID", "No server has PHP to read.", {
    hint: "Set the path of a server's plugins in servers.<name>.php.paths.",
  });
}
