import { byCodeUnit } from "../../contract/json.js";
import { oneLine } from "../../contract/one-line.js";
import { type RegisteredTool, categoryOf } from "../registry/registered-tool.js";
import { serverNameOf } from "../registry/tool-names.js";
import type { WantedTools } from "./find-tools.js";
import { nearestName } from "../../vocabulary/edit-distance.js";

/** A category or a server of a search that no visible tool has. */
export interface UnknownFilter {
  readonly key: "category" | "server";
  readonly message: string;
  /** The nearest name, if there is one, and the known names. */
  readonly suggestion: string;
}

/** Names are a server's words, of any length and number. */
const LONGEST = 80;
const MOST_NAMES = 20;

/**
 * The filter that makes a search empty, because no visible tool has the category or the server. Undefined when each filter
 * fits a tool, and when there are no tools.
 *
 * @param servers Names of servers that are known although they have no visible tools.
 */
export function findUnknownFilter(
  { category, server }: WantedTools,
  visible: readonly RegisteredTool[],
  servers: readonly string[] = [],
): UnknownFilter | undefined {
  if (visible.length === 0) return undefined;
  if (server !== undefined && !servers.includes(server)) {
    const unknown = explainUnknown("server", server, visible.map(serverNameOf));
    if (unknown !== undefined) return unknown;
  }
  return category === undefined ? undefined : explainUnknown("category", category, visible.map(categoryOf));
}

function explainUnknown(
  key: UnknownFilter["key"],
  name: string,
  names: readonly string[],
): UnknownFilter | undefined {
  const known = [...new Set(names)].sort(byCodeUnit);
  if (known.includes(name)) return undefined;
  const near = nearest(name, known);
  const rest = known.length - MOST_NAMES;
  const list = [...known.slice(0, MOST_NAMES).map(quote), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  const many = key === "category" ? "Categories" : "Servers";
  return {
    key,
    message: `There is no ${key} ${quote(name)}.`,
    suggestion: `${near === undefined ? "" : `Did you mean ${quote(near)}? `}${many}: ${list}.`,
  };
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const byForm = new Map(known.map((one) => [normalize(one), one]));
  const near = nearestName(normalize(name), byForm.keys());
  return near === undefined ? undefined : byForm.get(near);
}

function normalize(name: string): string {
  return name.slice(0, LONGEST).toLowerCase();
}

function quote(name: string): string {
  return JSON.stringify(oneLine(name, LONGEST));
}
