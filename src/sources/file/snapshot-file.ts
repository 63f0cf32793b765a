import type { WordPressListing } from "../../core/ability.js";
import type { ProjectedAbilities } from "../../client/listing/wordpress/project-ability.js";
import { codeOf, McpCodegenError } from "../../core/errors.js";
import {
  findText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../core/json.js";
import { readIdentity, type ServerSnapshot, type ToolSnapshot } from "../../core/snapshot.js";
import { validateTools, type ListPage } from "../../client/listing/validate-tools.js";
import { parseJson } from "../../files/parse-json.js";
import { readTextBounded } from "../../files/read-files.js";

/**
 * Returns a snapshot of a saved `tools/list`.
 *
 * @throws McpCodegenError `FILE_FAILED` when the file cannot be read, and the errors of {@link parseList}
 */
export async function snapshotFile(server: string, path: string, limit?: number): Promise<ServerSnapshot> {
  return (await parseList(server, await readText(path, limit), path)).snapshot;
}

export interface ParsedList {
  readonly snapshot: ServerSnapshot;
  /** As in the file. */
  readonly entries: readonly JsonValue[];
}

/**
 * Returns a snapshot of the text of a saved `tools/list`: `{ tools: […] }` with more keys, the JSON-RPC
 * answer around it, or only the array. An array of WordPress abilities, as its REST API and `getAbilities()`
 * return it, becomes the tools of the MCP adapter. Errors name the path. `known` are the tools of entries that need no second
 * look, by place.
 *
 * @throws McpCodegenError `PROTOCOL_INVALID` for a text without a list, `LIST_INCOMPLETE` for the first of
 *   several pages
 */
export async function parseList(
  server: string,
  text: string,
  path: string,
  known?: ReadonlyMap<number, ToolSnapshot>,
): Promise<ParsedList> {
  const { entries, at, around } = findList(parse(text, path), path);
  if (findText(around, "nextCursor") !== undefined) {
    throw new McpCodegenError(
      "LIST_INCOMPLETE",
      `${JSON.stringify(path)} has only one page of a longer list.`,
      {
        hint: "Save all pages of the list: the last one has no nextCursor.",
      },
    );
  }
  const listing = { clientCapabilities: {}, pages: 1 };
  if (areAbilities(entries)) {
    const projected = await projectSavedAbilities(server, { entries, text, at });
    return { snapshot: { server, identity: readIdentity({}, ""), listing, ...projected }, entries };
  }
  const identity = readIdentity(around, findText(around, "protocolVersion") ?? "");
  const validated = validateTools(server, [{ entries, text, at, known }]);
  return { snapshot: { server, identity, listing, ...validated }, entries };
}

/** Whether all entries are abilities. An ability requires `label`, which tools do not have. */
function areAbilities(entries: readonly JsonValue[]): boolean {
  return entries.length > 0 && entries.every((entry) => findText(entry, "label") !== undefined);
}

/** The profile that keeps all keys of an ability. */
const PROFILE = "0.4";

async function projectSavedAbilities(
  server: string,
  { entries, text, at }: ListPage & { readonly text: string },
): Promise<ProjectedAbilities & { readonly wordpress: WordPressListing }> {
  // Loaded on demand: most saved lists have tools.
  const [{ findInexactByEntry }, { projectAbilities }, { readFoundAbility }] = await Promise.all([
    import("../../client/listing/inexact-numbers.js"),
    import("../../client/listing/wordpress/project-ability.js"),
    import("../../client/listing/wordpress/read-abilities.js"),
  ]);
  const inexact = findInexactByEntry(text, at);
  const found = entries.flatMap((entry, index) => readFoundAbility(entry, inexact.get(index)) ?? []);
  return { wordpress: { profile: PROFILE, route: "execute" }, ...projectAbilities(server, found, PROFILE) };
}

async function readText(path: string, limit: number | undefined): Promise<string> {
  const explain = (cause: unknown): McpCodegenError => {
    const message = `${JSON.stringify(path)} cannot be read (${codeOf(cause) ?? "unknown error"}).`;
    return new McpCodegenError("FILE_FAILED", message, { hint: "Check the file key of this server.", cause });
  };
  return (await readTextBounded(path, explain, limit)).replace(/^\ufeff/, "");
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
