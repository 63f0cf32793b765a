import { getOwn, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../contract/json.js";
import type { CallOptions } from "./call-options.js";
import type { Caller } from "./client/caller.js";
import { findSharedCaller } from "./client/find-shared-caller.js";
import { makeConnectable } from "./connectable.js";
import { bindEntry, readArguments, toFunction, type Entry } from "./request-entry.js";
import type {
  Prompt,
  PromptDefinition,
  PromptMessage,
  PromptResult,
  RequestParameters,
} from "./server-entry.js";

/** A prompt that can be requested as it is: requests share one connection per server with calls of tools. */
export function definePrompt<A>(definition: PromptDefinition): Prompt<A> {
  return bindPrompt(definition, {}, (options) => findSharedCaller(definition.server, options));
}

function bindPrompt<A>(
  definition: PromptDefinition,
  bound: CallOptions,
  findCaller: (options: CallOptions) => Caller,
): Prompt<A> {
  const send = bindEntry(entryOf(definition), bound, findCaller);
  const get = toFunction(definition, (...[given, options]: RequestParameters<A>) =>
    send(given ?? {}, options),
  );
  return makeConnectable(get, (...binding) => bindPrompt(definition, ...binding));
}

function entryOf({ server, name, arguments: known }: PromptDefinition): Entry<PromptResult> {
  return {
    kind: "prompt",
    server,
    name,
    method: "prompts/get",
    prepare: (input) => {
      // Like the schemas of tools, a prompt is open: what the types refuse, the server may know.
      const read = readArguments(input, known, { isClosed: false });
      if ("issues" in read) return Promise.resolve(read);
      const { values } = read;
      return Promise.resolve({ name, params: { name, arguments: values }, arguments: values });
    },
    read: readPrompt,
  };
}

function readPrompt(result: JsonObject): ReturnType<Entry<PromptResult>["read"]> {
  const messages = getOwn(result, "messages");
  if (!isJsonArray(messages)) return { fault: "it has no list of messages" };
  const unfit = messages.findIndex((message) => !isMessage(message));
  if (unfit !== -1) return { fault: `messages[${unfit}] needs a role and a content with a type` };
  const description = getOwn(result, "description");
  return {
    value: {
      ...(typeof description === "string" && { description }),
      messages: messages.filter(isMessage),
    },
  };
}

function isMessage(value: JsonValue): value is JsonObject & PromptMessage {
  if (!isJsonObject(value)) return false;
  const role = getOwn(value, "role");
  const content = getOwn(value, "content");
  return (
    (role === "user" || role === "assistant") &&
    isJsonObject(content) &&
    typeof getOwn(content, "type") === "string"
  );
}
