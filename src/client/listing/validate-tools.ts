import type { Diagnostic } from "../../core/diagnostic.js";
import {
  byCodeUnit,
  findOwn,
  getOwn,
  isJsonObject,
  isNamedObject,
  type JsonObject,
  type JsonValue,
  objectOrEmpty,
  withoutKeys,
} from "../../core/json.js";
import { joinPointer } from "../../core/json-pointer.js";
import {
  DEEPEST_LOCKABLE,
  DEEPEST_USABLE,
  formatLimit,
  LARGEST_LOCKABLE,
  measureDepth,
  measureInLock,
} from "../../core/limits.js";
import type { InexactNumber } from "../../core/exact-json.js";
import type { ToolSnapshot } from "../../core/snapshot.js";
import { keepNumbers } from "./inexact-numbers.js";

/** One page of `tools/list`. */
export interface ListPage {
  readonly entries: readonly JsonValue[];
  /** The inexact numbers of each entry, by place and with their paths in it. When absent, numbers are not checked. */
  readonly inexact?: ReadonlyMap<number, readonly InexactNumber[]> | undefined;
  /** The tools of entries that need no second look, by place: `null` is in the list instead. */
  readonly known?: ReadonlyMap<number, ToolSnapshot> | undefined;
  /** Milliseconds for which the server calls the page fresh (specification 2026-07-28, "Caching"). */
  readonly ttlMs?: number;
  /** Whether the server marks the page as one of this account. */
  readonly isPrivate?: boolean;
}

export interface ValidatedTools {
  /** Sorted by name, with unique names. */
  readonly tools: readonly ToolSnapshot[];
  /** Later definitions with the name of one of `tools`, in the order of the list. */
  readonly repeated: readonly ToolSnapshot[];
  /** Why a locked tool gets no generated code, by name. */
  readonly unusable: { readonly [tool: string]: string };
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Validates a list tool by tool, so that one invalid tool does not affect the others. An unusable tool is
 * kept, with a diagnostic. Numbers that JavaScript cannot hold are kept as texts, see {@link keepNumbers}. An entry
 * without a name, or too deep or too large to be locked, is omitted.
 */
export function validateTools(server: string, pages: readonly ListPage[]): ValidatedTools {
  const tools = new Map<string, ToolSnapshot>();
  const repeated: ToolSnapshot[] = [];
  const unusable = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  const report = (code: Diagnostic["code"], tool: string, path: string, message: string): void => {
    diagnostics.push({ code, server, tool, path, message });
  };
  let index = -1;
  for (const page of pages) {
    for (const [position, listed] of page.entries.entries()) {
      index += 1;
      const earlier = listed === null ? page.known?.get(position) : undefined;
      if (earlier !== undefined && !tools.has(earlier.name)) {
        tools.set(earlier.name, earlier);
        continue;
      }
      const { value: sent, fault: numberFault } = keepNumbers(earlier ?? listed, page.inexact?.get(position));
      const entry = withoutNullOutput(sent);
      if (!isNamedObject(entry)) {
        const what = isJsonObject(entry) ? "has no name" : "is not an object";
        report("TOOL_UNUSABLE", "", "", `Entry ${index} of the list ${what}.`);
        continue;
      }
      const depth = measureDepth(entry, DEEPEST_LOCKABLE);
      const obstacle = findObstacle(entry, depth);
      if (obstacle !== undefined) {
        report("TOOL_UNUSABLE", entry.name, "", obstacle);
        continue;
      }
      const first = tools.get(entry.name);
      if (first !== undefined) {
        report("TOOL_DUPLICATE", entry.name, "", describeDuplicate(first, entry));
        repeated.push(entry);
        continue;
      }
      tools.set(entry.name, entry);
      const fault = findFault(entry, depth, numberFault);
      if (fault === undefined) {
        const demand = findDemand(entry);
        if (demand !== undefined) report("CALL_UNSUPPORTED", entry.name, demand.path, demand.message);
        continue;
      }
      unusable.set(entry.name, fault.message);
      report("TOOL_UNUSABLE", entry.name, fault.path, fault.message);
    }
  }
  return {
    tools: [...tools.values()].sort((a, b) => byCodeUnit(a.name, b.name)),
    repeated,
    unusable: Object.fromEntries([...unusable].sort(([a], [b]) => byCodeUnit(a, b))),
    diagnostics,
  };
}

function findObstacle(tool: ToolSnapshot, depth: number): string | undefined {
  if (depth > DEEPEST_LOCKABLE)
    return `The definition is nested too deeply (over ${DEEPEST_LOCKABLE} levels) to be locked.`;
  return measureInLock(tool, LARGEST_LOCKABLE) > LARGEST_LOCKABLE
    ? `The definition is too large to be locked: it would take over ${formatLimit(LARGEST_LOCKABLE)} in the lock.`
    : undefined;
}

/** Some serializers write `null` for a member that is absent. */
function withoutNullOutput(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry) || getOwn(entry, "outputSchema") !== null) return entry;
  return withoutKeys(entry, "outputSchema");
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

function describeDuplicate(first: ToolSnapshot, second: ToolSnapshot): string {
  return JSON.stringify(first) === JSON.stringify(second)
    ? "The server lists this tool twice."
    : "The server lists two tools of this name; the first gets the code.";
}

function findFault(tool: ToolSnapshot, depth: number, inexact: Fault | undefined): Fault | undefined {
  if (depth > DEEPEST_USABLE) {
    return { path: "", message: `The definition is nested too deeply (over ${DEEPEST_USABLE} levels).` };
  }
  return (
    inexact ??
    findSchemaFault(tool, "inputSchema", "input schema", true) ??
    findSchemaFault(tool, "outputSchema", "output schema", false)
  );
}

/**
 * Checks a schema by the specification, "Tool". Arguments are always objects, so an input schema without a
 * type, or with more types than `object`, is accepted. An output schema is optional and may describe any
 * value (since 2026-07-28).
 */
function findSchemaFault(
  tool: JsonObject,
  key: string,
  what: string,
  isRequired: boolean,
): Fault | undefined {
  const schema = getOwn(tool, key);
  const path = `/${key}`;
  if (schema === undefined) return isRequired ? { path: "", message: `The tool has no ${what}.` } : undefined;
  if (!isJsonObject(schema)) {
    return { path, message: `The ${what} is ${nameKind(schema)}, not an object schema.` };
  }
  if (!isRequired) return undefined;
  const type = getOwn(schema, "type");
  if (type === undefined || type === "object") return undefined;
  if (Array.isArray(type) && type.includes("object")) return undefined;
  const shown = JSON.stringify(type).slice(0, 100);
  return { path: `${path}/type`, message: `The ${what} has the type ${shown}, not "object".` };
}

/** Returns a part of the protocol that calls of a tool need, and that they do not have here. */
function findDemand(tool: JsonObject): Fault | undefined {
  if (findOwn(getOwn(tool, "execution"), "taskSupport") === "required") {
    const message = "The server refuses calls of the tool: they must run as tasks, which is not supported.";
    return { path: "/execution/taskSupport", message };
  }
  const path = findHeader(getOwn(tool, "inputSchema"), "/inputSchema");
  const message =
    "Over HTTP, the server may refuse calls of the tool: it demands a parameter in an HTTP header, which is not supported.";
  return path === undefined ? undefined : { path, message };
}

/** Returns the JSON Pointer of the first marked parameter: only properties, of properties too, can be marked. */
function findHeader(schema: JsonValue | undefined, at: string): string | undefined {
  if (findOwn(schema, HEADER_KEYWORD) !== undefined) return joinPointer(at, HEADER_KEYWORD);
  for (const [name, property] of Object.entries(objectOrEmpty(findOwn(schema, "properties")))) {
    const header = findHeader(property, joinPointer(at, "properties", name));
    if (header !== undefined) return header;
  }
  return undefined;
}

/** Marks a parameter that is also sent in an HTTP header (specification 2026-07-28, "Custom Headers from Tool Parameters"). */
const HEADER_KEYWORD = "x-mcp-header";

function nameKind(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
