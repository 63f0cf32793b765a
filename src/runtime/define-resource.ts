import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { CallOptions } from "./call-options.js";
import type { Caller } from "./client/caller.js";
import { findSharedCaller } from "./client/find-shared-caller.js";
import { makeConnectable } from "./connectable.js";
import { bindEntry, readArguments, toFunction, type Entry, type PreparedRequest } from "./request-entry.js";
import type {
  RequestOptions,
  RequestParameters,
  Resource,
  ResourceContent,
  ResourceDefinition,
  ResourceResult,
  ResourceTemplate,
  ResourceTemplateDefinition,
} from "./server-entry.js";

type FindCaller = (options: CallOptions) => Caller;

/** A resource that can be read as it is: requests share one connection per server with calls of tools. */
export function defineResource(definition: ResourceDefinition): Resource {
  return bindResource(definition, {}, (options) => findSharedCaller(definition.server, options));
}

function bindResource(definition: ResourceDefinition, bound: CallOptions, findCaller: FindCaller): Resource {
  const { server, uri } = definition;
  const prepare = (): Promise<PreparedRequest> =>
    Promise.resolve({ name: uri, params: { uri }, arguments: {} });
  const send = bindEntry(entryOf(server, uri, prepare), bound, findCaller);
  const read = toFunction(definition, (options?: RequestOptions) => send({}, options));
  return makeConnectable(read, (...binding) => bindResource(definition, ...binding));
}

/** The resources of a URI template: the URI is expanded from the variables (RFC 6570). */
export function defineResourceTemplate<A>(definition: ResourceTemplateDefinition): ResourceTemplate<A> {
  return bindTemplate(definition, {}, (options) => findSharedCaller(definition.server, options));
}

function bindTemplate<A>(
  definition: ResourceTemplateDefinition,
  bound: CallOptions,
  findCaller: FindCaller,
): ResourceTemplate<A> {
  const { server, uriTemplate } = definition;
  const prepare = (input: unknown): Promise<PreparedRequest> => expand(definition, input);
  const send = bindEntry(entryOf(server, uriTemplate, prepare), bound, findCaller);
  const read = toFunction(definition, (...[given, options]: RequestParameters<A>) =>
    send(given ?? {}, options),
  );
  return makeConnectable(read, (...binding) => bindTemplate(definition, ...binding));
}

async function expand(
  { uriTemplate, arguments: known }: ResourceTemplateDefinition,
  input: unknown,
): Promise<PreparedRequest> {
  // The expansion would silently leave out what the template does not name.
  const read = readArguments(input, known, { isClosed: true });
  if ("issues" in read) return read;
  const malformed = Object.entries(read.values).find(([, value]) => !isWellFormed([value].flat().join("")));
  if (malformed !== undefined)
    return { issues: [{ message: "holds half of a surrogate pair", path: [malformed[0]] }] };
  const { parseTemplate } = await import("url-template");
  // Without a prototype, since a variable may be called "constructor".
  const values: Record<string, string | string[]> = Object.create(null) as Record<string, never>;
  for (const [name, value] of Object.entries(read.values))
    values[name] = typeof value === "string" ? value : [...value];
  const uri = parseTemplate(uriTemplate).expand(values);
  return { name: uri, params: { uri }, arguments: read.values };
}

/** `String.prototype.isWellFormed`, which Node 20 has and the types of ES2022 have not. */
function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

function entryOf(
  server: ResourceDefinition["server"],
  name: string,
  prepare: Entry<ResourceResult>["prepare"],
): Entry<ResourceResult> {
  return { kind: "resource", server, name, method: "resources/read", prepare, read: readContents };
}

function readContents(result: JsonObject): ReturnType<Entry<ResourceResult>["read"]> {
  const contents = getOwn(result, "contents");
  if (!isJsonArray(contents)) return { fault: "it has no list of contents" };
  const unfit = contents.findIndex((content) => !isContent(content));
  if (unfit !== -1) return { fault: `contents[${unfit}] needs a uri and either text or blob` };
  return { value: { contents: contents.filter(isContent) } };
}

function isContent(value: JsonValue): value is JsonObject & ResourceContent {
  if (!isJsonObject(value) || typeof getOwn(value, "uri") !== "string") return false;
  return typeof getOwn(value, "text") === "string" || typeof getOwn(value, "blob") === "string";
}
