import type { Change } from "../../contract/change.js";
import { digestOf } from "../../contract/digest.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import type { Lockfile } from "../../contract/lockfile.js";
import type { Waiver } from "../../contract/waivers.js";
import { digestsOf } from "../apply-waivers.js";
import { findRule } from "../rules.js";
import { diffIdentityPoison, diffToolPoison } from "./diff-poison.js";
import { shadowing } from "./judge-security.js";
import { indexToolNames, type ToolNameIndex } from "./tool-name-index.js";

/**
 * Returns what is suspicious in a lock, as if all its tools were new: misleading texts, and names that resemble those of
 * another server. `scanned`, where given, limits whose texts are read. A waiver marks the tool that may shadow another; the
 * other one is then the original.
 */
export function scanLock(
  lock: Lockfile,
  waivers: readonly Waiver[],
  scanned?: readonly { readonly server: string; readonly tool: string }[],
): readonly Change[] {
  const neighbourhood = neighbourhoodOf(lock);
  const keys = scanned && new Set(scanned.map(({ server, tool }) => JSON.stringify([server, tool])));
  const isScanned = (server: string, tool: string): boolean =>
    keys === undefined || keys.has(JSON.stringify([server, tool]));
  return Object.entries(lock.servers).flatMap(([server, { tools }]) => {
    const surroundings = { server, own: new Set(Object.keys(tools)), others: neighbourhood.othersOf(server) };
    return [
      ...scanIdentity(server, lock),
      ...Object.entries(tools).flatMap(([tool, { definition, repeated = [] }]) =>
        isScanned(server, tool) ? diffToolPoison(undefined, [definition, ...repeated], surroundings) : [],
      ),
      ...findShadows(server, lock, neighbourhood, waivers),
    ];
  });
}

/** What is suspicious in what a locked server says of itself. Its tools need not be known but by name. */
export function scanIdentity(server: string, lock: Lockfile<unknown>): readonly Change[] {
  const locked = getOwn(lock.servers, server);
  if (locked === undefined) return [];
  const others = Object.entries(lock.servers).flatMap(([name, { tools }]) =>
    name === server ? [] : Object.keys(tools),
  );
  const surroundings = { server, own: new Set(Object.keys(locked.tools)), others: new Set(others) };
  return diffIdentityPoison(undefined, locked.identity, surroundings);
}

/** The servers of a lock beside each other. */
export function neighbourhoodOf(lock: Lockfile): ToolNameIndex {
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

function findShadows(
  server: string,
  lock: Lockfile,
  neighbourhood: ToolNameIndex,
  waivers: readonly Waiver[],
): readonly Change[] {
  return Object.values(lock.servers[server]?.tools ?? {}).flatMap(({ definition }) => {
    const alike = neighbourhood.alike(server, definition);
    const findings = alike.map((other) => shadowing(server, definition.name, other));
    const accepted = findings.filter((finding) => isAccepted(finding, waivers));
    if (accepted.length > 0) return accepted.slice(0, 1);
    // Where no waiver decides, the first counts as the original.
    const [original] = alike.filter(
      (other) =>
        other.server < server &&
        !isAccepted(shadowing(other.server, other.tool.name, { server, tool: definition }), waivers),
    );
    return original === undefined ? [] : [shadowing(server, definition.name, original)];
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
 * Whether a waiver records what the lock holds: a security finding that was accepted, and that only the difference to
 * the lock before showed.
 */
export function isRecord({ rule, server, tool, path, digests }: Waiver, lock: Lockfile): boolean {
  const locked = getOwn(lock.servers, server);
  const owner: JsonValue | undefined =
    tool === undefined
      ? locked && { ...locked.identity }
      : getOwn<{ readonly definition: JsonValue }>(locked?.tools ?? {}, tool)?.definition;
  if (owner === undefined || (findRule(rule)?.security !== true && rule !== "icons-changed")) return false;
  const steps = path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const value = steps.reduce<JsonValue | undefined>((at, step) => {
    if (Array.isArray(at)) return (at as readonly JsonValue[])[Number(step)];
    return isJsonObject(at) ? getOwn(at, step) : undefined;
  }, owner);
  const held = [value, ...(value === undefined ? [] : [steps.at(-1)])];
  return held.some((each) => (each === undefined ? undefined : digestOf(each)) === digests.after);
}
