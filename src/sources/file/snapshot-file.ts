import type { Buffer } from "node:buffer";
import type { WordPressListing } from "../../core/ability.js";
import { type ProjectedAbilities, projectAbilities } from "../../client/listing/wordpress/project-ability.js";
import { readFoundAbility } from "../../client/listing/wordpress/read-abilities.js";
import { codeOf, McpCodegenError } from "../../core/errors.js";
import {
  findText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import { readIdentity, type ServerSnapshot } from "../../core/snapshot.js";
import { findInexactByEntry } from "../../client/listing/inexact-numbers.js";
import { validateTools, type ListPage } from "../../client/listing/validate-tools.js";
import { parseJson } from "../../files/parse-json.js";
import { readBounded } from "../../files/read-files.js";
import { type ReadList, splitList, type SplitList } from "./split-list.js";

/**
 * Returns a snapshot of a saved `tools/list`.
 *
 * @throws McpCodegenError `FILE_FAILED` when the file cannot be read, and the errors of {@link parseList}
 */
export async function snapshotFile(server: string, path: string, limit?: number): Promise<ServerSnapshot> {
  return parseList(server, await readFile(path, limit), path).snapshot;
}

export interface ParsedList {
  readonly snapshot: ServerSnapshot;
  /** As in the file; `null` for those that an earlier list has too. */
  readonly entries: readonly JsonValue[];
}

/**
 * Returns a snapshot of a saved `tools/list`: `{ tools: […] }` with more keys, the JSON-RPC answer around it, or only the
 * array. An array of WordPress abilities, as its REST API and `getAbilities()` return it, becomes the tools of the MCP
 * adapter. Errors name the path. Tools that `earlier` has too are not read again.
 *
 * @throws McpCodegenError `PROTOCOL_INVALID` for bytes without a list, `LIST_INCOMPLETE` for the first of several pages
 */
export function parseList(server: string, bytes: Buffer, path: string, earlier?: ReadList): ParsedList {
  const split = splitList(bytes, earlier);
  try {
    if (split !== undefined) return readList(server, split.text, path, split);
  } catch {
    // A list with an error is read whole, so that its place is correct.
  }
  return readList(server, bytes.toString("utf8"), path);
}

function readList(server: string, text: string, path: string, split?: SplitList): ParsedList {
  const list = findList(parse(text, path), path);
  if (findText(list.around, "nextCursor") !== undefined) {
    throw new McpCodegenError(
      "LIST_INCOMPLETE",
      `${JSON.stringify(path)} has only one page of a longer list.`,
      {
        hint: "Save all pages of the list: the last one has no nextCursor.",
      },
    );
  }
  const { entries, inexact } = split ?? { ...list, inexact: findInexactByEntry(text, list.at) };
  const listing = { clientCapabilities: {}, pages: 1 };
  if (areAbilities(entries)) {
    const projected = projectSavedAbilities(server, { entries, inexact });
    return { snapshot: { server, identity: readIdentity({}, ""), listing, ...projected }, entries };
  }
  const identity = readIdentity(list.around, findText(list.around, "protocolVersion") ?? "");
  const validated = validateTools(server, [{ entries, inexact, known: split?.known }]);
  return { snapshot: { server, identity, listing, ...validated }, entries };
}

/** Whether all entries are abilities. An ability requires `label`, which tools do not have. */
function areAbilities(entries: readonly JsonValue[]): boolean {
  return entries.length > 0 && entries.every((entry) => findText(entry, "label") !== undefined);
}

/** The profile that keeps all keys of an ability. */
const PROFILE = "0.4";

function projectSavedAbilities(
  server: string,
  { entries, inexact }: ListPage,
): ProjectedAbilities & { readonly wordpress: WordPressListing } {
  const abilities = entries.flatMap((entry, index) => readFoundAbility(entry, inexact?.get(index)) ?? []);
  return {
    wordpress: { profile: PROFILE, route: "execute" },
    ...projectAbilities(server, abilities, PROFILE),
  };
}

async function readFile(path: string, limit: number | undefined): Promise<Buffer> {
  const explain = (cause: unknown): McpCodegenError => {
    const message = `${JSON.stringify(path)} cannot be read (${codeOf(cause) ?? "unknown error"}).`;
    return new McpCodegenError("FILE_FAILED", message, { hint: "Check the file key of this server.", cause });
  };
  return readBounded(path, { limit, explain });
}

function parse(text: string, path: string): JsonValue {
  const parsed = parseJson(text);
  if ("value" in parsed) return parsed.value;
  const { line, column, reason } = parsed.problem;
  throw new McpCodegenError(
    "PROTOCOL_INVALID",
    `${JSON.stringify(path)} is not JSON at line ${line}, column ${column}: ${reason}.`,
    { hint: 'Save the list with "npx mcp-codegen list <server> --live --raw".' },
  );
}

interface FoundList {
  readonly entries: readonly JsonValue[];
  readonly at: readonly string[];
  /** The object that holds the list. */
  readonly around: JsonObject;
}

function findList(value: JsonValue, path: string): FoundList {
  if (isJsonArray(value)) return { entries: value, at: [], around: {} };
  if (isJsonObject(value)) {
    const tools = getOwn(value, "tools");
    if (isJsonArray(tools)) return { entries: tools, at: ["tools"], around: value };
    const result = getOwn(value, "result");
    const inner = isJsonObject(result) ? getOwn(result, "tools") : undefined;
    if (isJsonObject(result) && isJsonArray(inner))
      return { entries: inner, at: ["result", "tools"], around: result };
  }
  throw new McpCodegenError("PROTOCOL_INVALID", `${JSON.stringify(path)} has no list of tools.`, {
    hint: 'Save the list with "npx mcp-codegen list <server> --live --raw".',
  });
}
