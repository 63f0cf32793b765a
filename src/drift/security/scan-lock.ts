import type { Change } from "../../contract/change.js";
import { digestOf } from "../../contract/digest.js";
import { getOwn, type JsonValue } from "../../contract/json.js";
import { snapshotEntries } from "../../contract/lock-server.js";
import type { Lockfile } from "../../contract/lockfile.js";
import type { Waiver } from "../../contract/waivers.js";
import { digestsOf } from "../apply-policy.js";
import { findRule } from "../rules.js";
import { diffEntryPoison, diffIdentityPoison, diffToolPoison } from "./find-poison.js";
import { takenName } from "./judge-security.js";
import { indexToolNames, type ToolNameIndex } from "./tool-name-index.js";
import { findAt, splitPointer } from "../../contract/json-pointer.js";

/**
 * Finds misleading texts and similar names of tools in a lock, as if all its tools were new.
 *
 * @param waivers A tool whose similar name was accepted is the copy, so the other tool is not reported.
 * @param scanned The tools whose texts are read; all by default.
 */
export function scanLock(
  lock: Lockfile,
  waivers: readonly Waiver[],
  scanned?: readonly { readonly server: string; readonly tool: string }[],
): readonly Change[] {
  const toolNames = indexLockedTools(lock);
  const keys = scanned && new Set(scanned.map(({ server, tool }) => JSON.stringify([server, tool])));
  const isScanned = (server: string, tool: string): boolean =>
    keys === undefined || keys.has(JSON.stringify([server, tool]));
  return Object.entries(lock.servers).flatMap(([server, locked]) => {
    const { tools } = locked;
    const scanContext = { server, own: new Set(Object.keys(tools)), others: toolNames.othersOf(server) };
    return [
      ...scanIdentity(server, lock),
      ...diffEntryPoison(undefined, snapshotEntries(locked), scanContext),
      ...Object.entries(tools).flatMap(([tool, { definition, repeated = [] }]) =>
        isScanned(server, tool) ? diffToolPoison(undefined, [definition, ...repeated], scanContext) : [],
      ),
      ...findTakenNames(server, lock, toolNames, waivers),
    ];
  });
}

/** Finds misleading texts in the metadata of a locked server. Needs only the names of the tools. */
export function scanIdentity(server: string, lock: Lockfile<unknown>): readonly Change[] {
  const locked = getOwn(lock.servers, server);
  if (locked === undefined) return [];
  const others = Object.entries(lock.servers).flatMap(([name, { tools }]) =>
    name === server ? [] : Object.keys(tools),
  );
  const scanContext = { server, own: new Set(Object.keys(locked.tools)), others: new Set(others) };
  return diffIdentityPoison(undefined, locked.identity, scanContext);
}

/** Returns the index of the tools of all servers in a lock. */
export function indexLockedTools(lock: Lockfile): ToolNameIndex {
  return indexToolNames(
    Object.entries(lock.servers).map(([server, { tools, wordpress }]) => ({
      server,
      tools: Object.values(tools).map(({ definition }) => definition),
      ...(wordpress !== undefined && {
        abilities: Object.fromEntries(
          Object.entries(tools).flatMap(([name, { ability }]) =>
            ability === undefined ? [] : [[name, ability]],
          ),
        ),
      }),
    })),
  );
}

function findTakenNames(
  server: string,
  lock: Lockfile,
  toolNames: ToolNameIndex,
  waivers: readonly Waiver[],
): readonly Change[] {
  return Object.values(lock.servers[server]?.tools ?? {}).flatMap(({ definition }) => {
    const alike = toolNames.alike(server, definition);
    const findings = alike.map((other) => takenName(server, definition.name, other));
    const accepted = findings.filter((finding) => isAccepted(finding, waivers));
    if (accepted.length > 0) return accepted.slice(0, 1);
    // Without a waiver, the first server has the original.
    const [original] = alike.filter(
      (other) =>
        other.server < server &&
        !isAccepted(takenName(other.server, other.tool.name, { server, tool: definition }), waivers),
    );
    return original === undefined ? [] : [takenName(server, definition.name, original)];
  });
}

function isAccepted(finding: Change, waivers: readonly Waiver[]): boolean {
  const { after } = digestsOf(finding);
  return waivers.some(
    ({ rule, server, tool, digests }) =>
      rule === finding.rule && server === finding.server && tool === finding.tool && digests.after === after,
  );
}

/**
 * Whether a waiver records an accepted security finding whose value is in the lock. Only a comparison with the previous
 * lock would find it again.
 */
export function isRecord({ rule, server, tool, path, digests }: Waiver, lock: Lockfile): boolean {
  const locked = getOwn(lock.servers, server);
  const owner: JsonValue | undefined =
    tool === undefined
      ? locked && { ...locked.identity, ...snapshotEntries(locked) }
      : getOwn<{ readonly definition: JsonValue }>(locked?.tools ?? {}, tool)?.definition;
  if (owner === undefined || (findRule(rule)?.security !== true && rule !== "icons-changed")) return false;
  const value = findAt(owner, path);
  const held = [value, ...(value === undefined ? [] : [splitPointer(path).at(-1)])];
  return held.some((each) => (each === undefined ? undefined : digestOf(each)) === digests.after);
}
