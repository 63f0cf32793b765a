import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../core/json.js";
import type { Issue } from "../core/schema.js";
import type { CallOptions, RequestOptions } from "../core/call.js";
import { findSharedCaller } from "./client/pooled-client.js";
import { failCall, nounOf, type Subject } from "./fail-call.js";
import {
  bindRequest,
  makeConnectable,
  toFunction,
  type FindCaller,
  type PreparedRequest,
  type Request,
} from "./request.js";
import {
  ServerRequestError,
  toRequestError,
  type EntryArgument,
  type Prompt,
  type PromptDefinition,
  type PromptMessage,
  type PromptResult,
  type RequestError,
  type RequestParameters,
  type Resource,
  type ResourceContent,
  type ResourceDefinition,
  type ResourceResult,
  type ResourceTemplate,
  type ResourceTemplateDefinition,
} from "./server-entry.js";

/** Returns a prompt that can be requested at once: requests share one connection per server with calls of tools. */
export function definePrompt<A>(definition: PromptDefinition): Prompt<A> {
  const { server, name, arguments: parameters } = definition;
  const prepare = (input: unknown): Prepared => {
    // Like the schemas of tools, a prompt is open: the server may know arguments that the types do not.
    const read = readArguments(input, parameters, { isClosed: false });
    if ("issues" in read) return read;
    const { values } = read;
    return {
      method: "prompts/get",
      params: { name, arguments: values },
      arguments: values,
      isRepeatable: true,
    };
  };
  return connectable(
    definition,
    requestOf({ kind: "prompt", server, name }, prepare, readPrompt),
    (...[input, options]: RequestParameters<A>) => [input, options],
  );
}

/** Returns a resource that can be read at once: requests share one connection per server with calls of tools. */
export function defineResource(definition: ResourceDefinition): Resource {
  const { server, uri } = definition;
  const request = requestOf(
    { kind: "resource", server, name: uri },
    () => readRequest(uri, {}),
    readContents,
  );
  return connectable(definition, request, (options?: RequestOptions) => [undefined, options]);
}

/** Returns the resources of a URI template as a function of its variables, which expands the template (RFC 6570). */
export function defineResourceTemplate<A>(definition: ResourceTemplateDefinition): ResourceTemplate<A> {
  const { server, uriTemplate } = definition;
  const request = requestOf(
    { kind: "resource", server, name: uriTemplate },
    (input) => expand(definition, input),
    readContents,
  );
  return connectable(definition, request, (...[input, options]: RequestParameters<A>) => [input, options]);
}

/** Returns a wrapper on the shared connection, which `connect()` can bind to its own. */
function connectable<D, P extends readonly unknown[], T>(
  definition: D,
  request: Request<T, RequestError>,
  split: (...parameters: P) => readonly [input: unknown, options: RequestOptions | undefined],
): ReturnType<typeof toFunction<D, P, T, RequestError>> {
  const bind = (bound: CallOptions, findCaller: FindCaller): ReturnType<typeof connectable<D, P, T>> => {
    const send = bindRequest(request, bound, findCaller);
    const safe = (...parameters: P): ReturnType<typeof send> => {
      const [input, options] = split(...parameters);
      return send(input ?? {}, options);
    };
    return makeConnectable(toFunction(definition, safe, ServerRequestError), bind);
  };
  return bind({}, (options) => findSharedCaller(request.server, options));
}

type Prepared = PreparedRequest | { readonly issues: readonly Issue[] };

type Entry = Subject & { readonly kind: RequestError["kind"] };

/** @param read returns the value of a raw result, or the reason why it has none */
function requestOf<T>(
  entry: Entry,
  prepare: (input: unknown) => Prepared | Promise<Prepared>,
  read: (raw: JsonObject) => ReadResult<T>,
): Request<T, RequestError> {
  return {
    ...entry,
    prepare: async (input) => prepare(input),
    read: (raw) => {
      const result = isJsonObject(raw) ? read(raw) : { fault: "it is not an object" };
      if ("value" in result) return Promise.resolve({ ok: true, value: result.value });
      const message = `The answer of ${nounOf(entry)} is not valid: ${result.fault}.`;
      return Promise.resolve(failCall(entry, "TOOL_INVALID_OUTPUT", message, { cause: raw }));
    },
    toError: (error) => toRequestError(entry.kind, error),
  };
}

function readRequest(uri: string, values: JsonObject): PreparedRequest {
  return { name: uri, method: "resources/read", params: { uri }, arguments: values, isRepeatable: true };
}

async function expand(
  { uriTemplate, arguments: parameters }: ResourceTemplateDefinition,
  input: unknown,
): Promise<Prepared> {
  // The expansion would silently leave out variables that the template does not name.
  const read = readArguments(input, parameters, { isClosed: true });
  if ("issues" in read) return read;
  const malformed = Object.entries(read.values).find(([, value]) => !isWellFormed([value].flat().join("")));
  if (malformed !== undefined)
    return { issues: [{ message: "holds half of a surrogate pair", path: [malformed[0]] }] };
  const { parseTemplate } = await import("url-template");
  // Without a prototype, since a variable may be called "constructor".
  const values: Record<string, string | string[]> = Object.create(null) as Record<string, never>;
  for (const [name, value] of Object.entries(read.values))
    values[name] = typeof value === "string" ? value : [...value];
  return readRequest(parseTemplate(uriTemplate).expand(values), read.values);
}

/** `String.prototype.isWellFormed`, which Node 20 has, but not the types of ES2022. */
function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

type EntryValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * Validates the arguments of a prompt or the variables of a template. `undefined` and an empty list count as absent.
 *
 * @param isClosed whether other arguments are refused
 */
function readArguments(
  input: unknown,
  parameters: readonly EntryArgument[],
  { isClosed }: { readonly isClosed: boolean },
): { readonly values: EntryValues } | { readonly issues: readonly Issue[] } {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { issues: [{ message: "arguments are an object" }] };
  const values: [string, string | readonly string[]][] = [];
  const issues: Issue[] = [];
  for (const [name, value] of Object.entries(input) as readonly (readonly [string, unknown])[]) {
    const argument = parameters.find((each) => each.name === name);
    if (value === undefined) continue;
    if (argument === undefined && isClosed) issues.push({ message: "unknown argument", path: [name] });
    else if (typeof value === "string") values.push([name, value]);
    else if (isTexts(argument, value)) {
      if (value.length > 0) values.push([name, value]);
    } else {
      const message =
        argument?.isList === true ? "expected a string or a list of strings" : "expected a string";
      issues.push({ message, path: [name] });
    }
  }
  for (const { name, isRequired } of parameters) {
    const isNamed = [...values, ...issues.map(({ path }) => path ?? [])].some(([first]) => first === name);
    if (isRequired === true && !isNamed) issues.push({ message: "required", path: [name] });
  }
  return issues.length > 0 ? { issues } : { values: Object.fromEntries(values) };
}

function isTexts(argument: EntryArgument | undefined, value: unknown): value is readonly string[] {
  return argument?.isList === true && Array.isArray(value) && value.every((item) => typeof item === "string");
}

type ReadResult<T> = { readonly value: T } | { readonly fault: string };

function readList<T extends JsonValue>(
  result: JsonObject,
  key: string,
  isItem: (item: JsonValue) => item is T,
  needs: string,
): ReadResult<readonly T[]> {
  const items = getOwn(result, key);
  if (!isJsonArray(items)) return { fault: `it has no list of ${key}` };
  const unfit = items.findIndex((item) => !isItem(item));
  return unfit === -1 ? { value: items.filter(isItem) } : { fault: `${key}[${unfit}] needs ${needs}` };
}

function readPrompt(result: JsonObject): ReadResult<PromptResult> {
  const read = readList(result, "messages", isMessage, "a role and a content with a type");
  if ("fault" in read) return read;
  const description = getOwn(result, "description");
  const value = { messages: read.value };
  return { value: typeof description === "string" ? { description, ...value } : value };
}

function isMessage(value: JsonValue): value is JsonObject & PromptMessage {
  if (!isJsonObject(value)) return false;
  const role = getOwn(value, "role");
  const content = getOwn(value, "content");
  const isKnown = role === "user" || role === "assistant";
  return isKnown && isJsonObject(content) && typeof getOwn(content, "type") === "string";
}

function readContents(result: JsonObject): ReadResult<ResourceResult> {
  const read = readList(result, "contents", isContent, "a uri and either text or blob");
  return "fault" in read ? read : { value: { contents: read.value } };
}

function isContent(value: JsonValue): value is JsonObject & ResourceContent {
  if (!isJsonObject(value) || typeof getOwn(value, "uri") !== "string") return false;
  return typeof getOwn(value, "text") === "string" || typeof getOwn(value, "blob") === "string";
}
