import type { CallSite, Change } from "../../core/change.js";
import { describeRenamed, successorsOf } from "../../core/rename.js";
import { McpCodegenError } from "../../core/errors.js";
import type { LockedServers, Lockfile } from "../../core/lockfile.js";
import { splitPointer } from "../../core/json-pointer.js";
import { createLocator } from "../../core/json-text.js";
import type { Finding } from "../../core/finding.js";
import { MENTION_RULE } from "../../core/findings.js";
import {
  type NameInText,
  findSpelledNames,
  formOf,
  normalize,
  squash,
} from "../../impact/mentions/find-names.js";
import { findToolMentions, mayBeOther, tableOf } from "../../impact/mentions/resolve-names.js";
import { nearestName } from "../../core/nearest-name.js";
import { findChangesSince } from "../diff/diff.js";
import { addConfigNames, findConfigNames, placeConfigNames } from "./find-config-names.js";
import { log } from "../log/log.js";
import type { CheckOptions } from "../options.js";
import type { Project } from "../../project/project.js";
import { findUnmatchedInPolicy } from "../../project/tool-policy.js";
import type { CheckReport } from "./check-report.js";
import type { AgentFiles } from "./read-agent-files.js";
import type { ContractVersion } from "../log/log.js";

/** Finds names of tools in agents' files and in the configuration: those that no tool has, and those that changes make wrong. */
export async function findNames(
  project: Project,
  lock: Lockfile,
  files: AgentFiles,
  { changes, notes, servers }: Pick<CheckReport, "changes" | "notes"> & Pick<CheckOptions, "servers">,
): Promise<Pick<CheckReport, "changes" | "names" | "notes">> {
  const { config } = project;
  const unknown = await findUnknownMentions(project, lock, files);
  const named = new Set(findConfigNames(project, lock).map(({ text }) => text));
  const unmatched = config.policy === undefined ? [] : findUnmatchedInPolicy(config, lock);
  return {
    notes: [
      ...notes,
      ...unmatched
        .filter(({ pattern }) => !named.has(pattern))
        .map(({ message }) => ({ rule: "POLICY_UNMATCHED", server: "policy", tool: "", path: "", message })),
    ],
    changes: await addConfigNames(addMentions(changes, lock, files), project, lock),
    names: unknown.filter(({ server = "" }) => servers?.includes(server) ?? true),
  };
}

/**
 * Returns the names of tools in these files, and in the policy and annotations of the configuration, that the lock does not
 * have. Reads git only if there are any.
 */
async function findUnknownMentions(
  project: Project,
  lock: LockedServers<unknown>,
  { files, aliases }: AgentFiles,
): Promise<readonly Finding[]> {
  const table = tableOf(lock, aliases);
  const inFiles = files.flatMap((file) => {
    if (!mayName(file.text, [...table.servers.keys()])) return [];
    const mentions = findToolMentions(file.text, formOf(file.path), table);
    const locate = createLocator(file.text);
    return mentions
      .filter(({ known: lockedName }) => lockedName === undefined)
      .map((mention) => ({
        path: file.path,
        place: locate(startOf(mention)),
        tool: mention.tool,
        text: mention.text,
        servers: [mention.server],
        verb: mention.verb ?? "names",
      }));
  });
  const inConfig = findConfigNames(project, lock);
  if (inFiles.length + inConfig.length === 0) return [];
  const placed = inConfig.length === 0 ? [] : await placeConfigNames(project, inConfig);
  const allMentions = [...inFiles, ...placed];
  const history = new Map<string, readonly LockVersion[]>();
  for (const server of new Set(allMentions.flatMap(({ servers }) => servers)))
    history.set(server, await readHistory(project, server));
  return allMentions.flatMap(({ path, place, servers, tool, text, verb }): readonly Finding[] => {
    const goneFrom = servers.find((server) => findGone(tool, history.get(server) ?? []) !== undefined);
    const server = goneFrom ?? servers[0] ?? "";
    const gone = findGone(tool, history.get(server) ?? []);
    // A suggestion could deny another tool than was meant.
    const nearest =
      verb === "denies" ? undefined : nearestName(tool, Object.keys(lock.servers[server]?.tools ?? {}));
    if (verb === "names" && mayBeOther(text) && gone === undefined && nearest === undefined) return [];
    const message = `${verb} \`${text}\`, which ${gone ?? describeUnknown(servers, nearest)}`;
    return [{ rule: MENTION_RULE, file: path, ...place, server, tool, message }];
  });
}

/** A cheap look at a file before it is searched. */
function mayName(text: string, names: readonly string[]): boolean {
  const all = squash(text);
  return names.some((name) => all.includes(squash(name)));
}

type LockVersion = Pick<ContractVersion, "contract" | "changes">;

/** The versions of a server's contract, the latest first: that of the lock, and those that were committed. */
async function readHistory(project: Project, server: string): Promise<readonly LockVersion[]> {
  try {
    const lock = (await project.lock()).lock();
    const { changes } = await findChangesSince(project, lock, {
      against: "HEAD",
      servers: [server],
      counterexamples: false,
    });
    const { versions } = await log(project.dir, server, { limit: 100 });
    return [{ contract: lock.servers[server]?.contract ?? null, changes }, ...versions];
  } catch (error) {
    // Without git, or before the lock was committed, nothing is known about earlier tools.
    if (error instanceof McpCodegenError) return [];
    throw error;
  }
}

/** Since when a tool is gone, and its successor; undefined for a name that the lock never had. */
function findGone(tool: string, versions: readonly LockVersion[]): string | undefined {
  for (const { contract, changes } of versions) {
    for (const change of changes) {
      if (change.tool === undefined || normalize(change.tool) !== normalize(tool)) continue;
      if (change.rule !== "tool-removed" && change.rule !== "tool-renamed") continue;
      const since = contract === null ? "is gone" : `is gone since ${contract}`;
      const names = successorsOf(change).map((name) => `\`${name}\``);
      return names.length === 0 ? since : `${since}; now ${names.join(" and ")}`;
    }
  }
  return undefined;
}

function describeUnknown(servers: readonly string[], nearest: string | undefined): string {
  const hint = nearest === undefined ? "" : `; did you mean \`${nearest}\`?`;
  const [server = ""] = servers;
  return servers.length === 1 ? `server "${server}" does not list${hint}` : "no locked server lists";
}

/** Returns where a name begins, with the prefix that its text has. */
function startOf({ offset, tool, text }: Pick<NameInText, "offset" | "tool" | "text">): number {
  return offset + tool.length - text.length;
}

function addMentions(
  changes: readonly Change[],
  lock: LockedServers<unknown>,
  { files, aliases }: AgentFiles,
): readonly Change[] {
  const changed = changes.flatMap(({ server, tool }) => (tool === undefined ? [] : [{ server, tool }]));
  const tools = changed.map(({ tool }) => tool);
  const table = tableOf(lock, aliases, changed);
  const named = files
    .filter(({ text }) => mayName(text, tools))
    .map(({ path, text }) => {
      const form = formOf(path);
      const mentions = findToolMentions(text, form, table);
      const names = findSpelledNames(text, form, new Map([["", ""]]));
      return { path, mentions, names, locate: createLocator(text) };
    });
  return changes.map((change) => {
    const isRenamed = change.rule.endsWith("-renamed");
    const [, subject] = /^(tool|(?:in|out)put-property)-re(?:moved|named)$/.exec(change.rule) ?? [];
    if (subject === undefined) return change;
    const says = isRenamed ? describeRenamed(change, String) : "removed";
    // The path has the new name of a property; files were written for the old one.
    const property = isRenamed ? change.before : splitPointer(change.path).at(-1);
    const sites = named.flatMap(({ path, mentions, names, locate }) => {
      const ofTool = mentions.filter(
        ({ server, known: lockedName }) => server === change.server && lockedName === change.tool,
      );
      // A parameter belongs to the tool that is named last before it, or else first.
      const ofProperty =
        ofTool.length === 0
          ? []
          : names.filter(({ tool, kind, offset }) => {
              const owner = mentions.findLast((mention) => mention.offset < offset) ?? mentions[0];
              return tool === property && kind === "code" && owner !== undefined && ofTool.includes(owner);
            });
      return (subject === "tool" ? ofTool : ofProperty).map((name): CallSite => ({
        file: path,
        ...locate(startOf(name)),
        effect: "names-it",
        says: `names \`${name.text}\`, ${says}`,
      }));
    });
    return sites.length === 0 ? change : { ...change, callSites: [...(change.callSites ?? []), ...sites] };
  });
}
