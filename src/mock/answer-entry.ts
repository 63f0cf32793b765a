import { getOwn, isJsonArray, isJsonObject, type JsonObject } from "../contract/json.js";
import type { LockedServer } from "../contract/lockfile.js";
import { openCassetteFolder } from "../cassette/cassette-folder.js";
import { RpcError } from "../transport/server-errors.js";
import { answerFromCassette } from "./answer-source.js";

/** A request for what a prompt or a resource contains. */
export type EntryRequest =
  | { readonly method: "prompts/get"; readonly name: string; readonly arguments: JsonObject }
  | { readonly method: "resources/read"; readonly uri: string };

interface MockedEntries {
  readonly server: string;
  readonly locked: LockedServer;
  /** A folder of recorded calls. The lock has no contents to answer with, and none are made up. */
  readonly cassette: string | undefined;
}

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/**
 * Returns the recorded answer to a request.
 *
 * @throws RpcError for an unknown prompt or resource, for a missing argument, for a request that is not recorded, and a
 *   recorded error
 */
export function answerEntry(mocked: MockedEntries, request: EntryRequest): Promise<JsonObject> {
  return request.method === "prompts/get" ? getPrompt(mocked, request) : readResource(mocked, request);
}

async function getPrompt(
  { server, locked, cassette }: MockedEntries,
  { method, name, arguments: args }: Extract<EntryRequest, { readonly method: "prompts/get" }>,
): Promise<JsonObject> {
  const prompt = getOwn(locked.prompts ?? {}, name)?.definition;
  if (prompt === undefined) throw refusal(method, `Unknown prompt: ${name}`);
  const known = getOwn(prompt, "arguments");
  for (const argument of isJsonArray(known) ? known : []) {
    const key = isJsonObject(argument) && getOwn(argument, "required") === true && getOwn(argument, "name");
    if (typeof key === "string" && !Object.hasOwn(args, key))
      throw refusal(method, `Prompt "${name}" requires the argument "${key}".`);
  }
  const call = { server, kind: "prompt", tool: name, arguments: args } as const;
  const found = cassette === undefined ? undefined : await answerFromCassette(cassette)(call);
  return found ?? notRecorded(method, `prompt "${name}" with these arguments`);
}

async function readResource(
  { server, locked, cassette }: MockedEntries,
  { method, uri }: Extract<EntryRequest, { readonly method: "resources/read" }>,
): Promise<JsonObject> {
  const templates = Object.keys(locked.resourceTemplates ?? {});
  const isListed = getOwn(locked.resources ?? {}, uri) !== undefined;
  if (!isListed && templates.length === 0)
    throw new RpcError(method, { code: INVALID_PARAMS, message: "Resource not found", data: { uri } });
  if (cassette === undefined) return notRecorded(method, `resource "${uri}"`);
  const answer = answerFromCassette(cassette);
  const found = await answer({ server, kind: "resource", tool: uri, arguments: {} });
  if (found !== undefined) return found;
  for (const tool of templates) {
    const args = await findVariables(cassette, { server, tool }, uri);
    const recorded = args && (await answer({ server, kind: "resource", tool, arguments: args }));
    if (recorded !== undefined) return recorded;
  }
  return notRecorded(method, `resource "${uri}"`);
}

/** Returns the recorded variables of a template that lead to a URI. */
async function findVariables(
  cassette: string,
  { server, tool }: { readonly server: string; readonly tool: string },
  uri: string,
): Promise<JsonObject | undefined> {
  const calls = await openCassetteFolder(cassette).read({ server, kind: "resource", tool });
  if (calls.size === 0) return undefined;
  const { parseTemplate } = await import("url-template");
  const template = parseTemplate(tool);
  return [...calls.values()]
    .flatMap(([call]) => (call === undefined ? [] : [call.arguments]))
    .find((args) => template.expand(JSON.parse(JSON.stringify(args)) as Record<string, string>) === uri);
}

function notRecorded(method: string, what: string): never {
  throw new RpcError(method, {
    code: INTERNAL_ERROR,
    message: `The mock has no answer: ${what} is not recorded. Record it with connect({ record }), and pass its folder with --cassette.`,
  });
}

function refusal(method: string, message: string): RpcError {
  return new RpcError(method, { code: INVALID_PARAMS, message });
}
