import { deprecationOf } from "../core/ability.js";
import type { Change } from "../core/change.js";
import { isModernVersion } from "../core/connection.js";
import { hasSameWords, isSameJson, joinPointer, keysOfBoth } from "../core/json-pointer.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import { isUnknownIdentity, type ServerIdentity } from "../core/snapshot.js";
import { diffValue, fateOf, makeChange } from "./unconfirmed-change.js";
import type { ListedAbilities } from "./renames/find-tool-renames.js";
import { judgeIcons } from "./security/scan-lock.js";

/** Returns the deprecations that were added, changed or removed between two lists. */
export function diffDeprecations(
  server: string,
  abilitiesBefore: ListedAbilities,
  abilitiesAfter: ListedAbilities,
): readonly Change[] {
  return Object.entries(abilitiesAfter).flatMap(([tool, ability]) => {
    const locked = getOwn(abilitiesBefore, tool);
    if (locked === undefined || ability === undefined) return [];
    const before = deprecationOf(locked.definition);
    const after = deprecationOf(ability.definition);
    const isSame = (["since", "replacement", "message"] as const).every((key) =>
      hasSameWords(before?.[key], after?.[key]),
    );
    if ((before === undefined) === (after === undefined) && isSame) return [];
    const rule = after === undefined ? "tool-undeprecated" : "tool-deprecated";
    return [makeChange(rule, { server, tool, path: "/meta/deprecated" }, { before, after })];
  });
}

/** Compares the scopes of two lists. A list without OAuth has none to compare. */
export function diffScopes(
  server: string,
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): readonly Change[] {
  if (before === undefined || after === undefined) return [];
  const place = { server, path: "/listing/scopes" };
  const added = after.filter((scope) => !before.includes(scope));
  const removed = before.filter((scope) => !after.includes(scope));
  return [
    ...added.map((scope) => makeChange("server-scope-added", place, { after: scope })),
    ...removed.map((scope) => makeChange("server-scope-removed", place, { before: scope })),
  ];
}

/** Returns the changes of a server's information about itself; its capabilities may be those of another era. */
export function diffIdentity(
  server: string,
  before: ServerIdentity,
  after: ServerIdentity,
): readonly Change[] {
  // Saved lists often have no identity but instructions, or nothing of a handshake but the server's name.
  const isUnknown = isUnknownIdentity(before) && !isUnknownIdentity(after);
  const at = (path: string): { readonly server: string; readonly path: string } => ({ server, path });
  const info = keysOfBoth(before.serverInfo, after.serverInfo).flatMap((key) => {
    const noun = key === "name" || key === "version" ? key : "info";
    return diffValue(
      `server-${noun}-changed`,
      at(joinPointer("/serverInfo", key)),
      getOwn(before.serverInfo, key),
      getOwn(after.serverInfo, key),
      key === "title" || key === "description" ? hasSameWords : isSameJson,
    );
  });
  const instructions = diffValue(
    "server-instructions-changed",
    at("/instructions"),
    before.instructions?.trim() ?? "",
    after.instructions?.trim() ?? "",
    hasSameWords,
  );
  // What was unknown did not change.
  if (isUnknown) return before.instructions === undefined ? [] : instructions;
  const isStated = [before, after].every(
    ({ protocolVersion, capabilities }) => protocolVersion !== "" || Object.keys(capabilities).length > 0,
  );
  const changes = [
    ...info,
    ...diffValue(
      "server-protocol-changed",
      at("/protocolVersion"),
      before.protocolVersion,
      after.protocolVersion,
    ),
    ...(isStated ? diffCapabilities(server, "/capabilities", ...comparableCapabilities(before, after)) : []),
    ...instructions,
  ];
  return changes.map(judgeIcons);
}

/** The capabilities that only one era of the protocol has. */
const OF_ONE_ERA: readonly string[] = ["logging", "tasks", "extensions"];

/** Returns the capabilities of two identities. Between eras, those that only one era has say nothing. */
function comparableCapabilities(
  before: ServerIdentity,
  after: ServerIdentity,
): readonly [JsonObject, JsonObject] {
  if (isModernVersion(before.protocolVersion) === isModernVersion(after.protocolVersion)) {
    return [before.capabilities, after.capabilities];
  }
  const ofBoth = ({ capabilities }: ServerIdentity): JsonObject =>
    Object.fromEntries(Object.entries(capabilities).filter(([key]) => !OF_ONE_ERA.includes(key)));
  return [ofBoth(before), ofBoth(after)];
}

/**
 * Compares capabilities, in which a switch that is absent equals one that is `false`, or extensions (specification
 * 2026-07-28, "Extensions"), each as a whole: only the extension defines its settings.
 */
function diffCapabilities(
  server: string,
  path: string,
  before: JsonObject,
  after: JsonObject,
  noun: "capability" | "extension" = "capability",
): readonly Change[] {
  return keysOfBoth(before, after).flatMap((key) => {
    const values = { before: getOwn(before, key), after: getOwn(after, key) };
    const isExtension = noun === "extension";
    const switchOf = (value: JsonValue | undefined): JsonValue | undefined =>
      value === false && !isExtension ? undefined : value;
    const valueBefore = switchOf(values.before);
    const valueAfter = switchOf(values.after);
    if (isSameJson(valueBefore, valueAfter)) return [];
    const place = { server, path: joinPointer(path, key) };
    const hasExtensions = place.path === "/capabilities/extensions";
    const none = hasExtensions ? {} : undefined;
    const setBefore = valueBefore ?? none;
    const setAfter = valueAfter ?? none;
    if (!isExtension && isJsonObject(setBefore) && isJsonObject(setAfter))
      return diffCapabilities(server, place.path, setBefore, setAfter, hasExtensions ? "extension" : noun);
    return [makeChange(`server-${noun}-${fateOf(valueBefore, valueAfter)}`, place, values)];
  });
}
