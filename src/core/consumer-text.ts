import { omitUndefined } from "./collections.js";
import {
  type AnswerMode,
  type ConsumedCall,
  type ConsumedServer,
  type ConsumedTool,
  type Consumer,
  CONSUMER_VERSION,
  type PassedProperty,
  type ReadProperty,
} from "./consumer.js";
import { McpCodegenError } from "./errors.js";
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapEntries,
  mapSorted,
} from "./json.js";
import { formatKeyPath, type KeyPath } from "./json-pointer.js";
import { DEEPEST_USABLE, measureDepth } from "./limits.js";

/** The schema of the file, where editors find it in a project that has the package. */
const SCHEMA = "./node_modules/mcp-codegen/docs/schemas/consumer.schema.json";

/** Returns the text of a consumer's file: sorted, keys in a fixed order, two spaces, a final newline. */
export function formatConsumer({ consumer, servers }: Consumer): string {
  const server = ({ contract, serverName, answers, tools }: ConsumedServer): object => ({
    contract,
    serverName,
    answers,
    tools: mapSorted(tools, tool),
  });
  const document = {
    $schema: SCHEMA,
    consumerVersion: CONSUMER_VERSION,
    consumer,
    servers: mapSorted(servers, server),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function tool({ digest, schemas, ability, calls, reads, unknown, files }: ConsumedTool): object {
  return { digest, schemas, ability, calls, reads, unknown, files };
}

/**
 * Returns the consumer in a parsed file.
 *
 * @param file names the file in errors
 * @throws McpCodegenError `CONSUMER_INVALID`, in one line with the place
 */
export function parseConsumer(value: JsonValue, file: string): Consumer {
  return new ConsumerParser(file).parse(value);
}

/** The names of a file go to reports, which print them in one line. */
const LONGEST_NAME = 200;
const MODES: readonly AnswerMode[] = ["strict", "tolerant", "warn", "off"];

class ConsumerParser {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  parse(root: JsonValue): Consumer {
    if (!isJsonObject(root) || !Object.hasOwn(root, "consumerVersion"))
      throw this.#invalid('is not a consumer\'s file: it has no "consumerVersion"');
    const version = getOwn(root, "consumerVersion");
    if (typeof version === "number" && version > CONSUMER_VERSION)
      throw this.#invalid(
        `has consumerVersion ${version}; this mcp-codegen reads up to ${CONSUMER_VERSION}`,
        'Run "npm install --save-dev mcp-codegen@latest".',
      );
    if (version !== CONSUMER_VERSION) throw this.#at(["consumerVersion"], `expected ${CONSUMER_VERSION}`);
    if (measureDepth(root, DEEPEST_USABLE) > DEEPEST_USABLE)
      throw this.#invalid(`is nested too deeply (over ${DEEPEST_USABLE} levels)`);
    const servers = this.#object(getOwn(root, "servers"), ["servers"]);
    return {
      consumerVersion: CONSUMER_VERSION,
      consumer: this.#name(root, "consumer", []),
      servers: mapEntries(servers, (server, name) => this.#server(server, ["servers", name])),
    };
  }

  #server(value: JsonValue, path: KeyPath): ConsumedServer {
    const server = this.#object(value, path);
    const answers = MODES.find((mode) => mode === getOwn(server, "answers"));
    if (answers === undefined)
      throw this.#at([...path, "answers"], 'expected "strict", "tolerant", "warn" or "off"');
    const tools = this.#object(getOwn(server, "tools"), [...path, "tools"]);
    return omitUndefined({
      contract: this.#name(server, "contract", path),
      serverName: ifPresent(server, "serverName", (key) => this.#name(server, key, path)),
      answers,
      tools: mapEntries(tools, (tool, name) => this.#tool(tool, [...path, "tools", name])),
    });
  }

  #tool(value: JsonValue, path: KeyPath): ConsumedTool {
    const tool = this.#object(value, path);
    return omitUndefined({
      digest: this.#name(tool, "digest", path),
      schemas: this.#name(tool, "schemas", path),
      ability: ifPresent(tool, "ability", (key) => this.#name(tool, key, path)),
      calls: this.#list(tool, "calls", path, (call, at) => this.#call(call, at)),
      reads: this.#list(tool, "reads", path, (read, at) => this.#read(read, at)),
      unknown: ifPresent(tool, "unknown", (key) => this.#texts(tool, key, path)),
      files: ifPresent(tool, "files", (key) => this.#texts(tool, key, path)),
    });
  }

  #call(call: JsonObject, path: KeyPath): ConsumedCall {
    const places = this.#places(call, path);
    const input = getOwn(call, "input");
    if (input !== undefined) return { places, input };
    return { places, passes: this.#list(call, "passes", path, (passed, at) => this.#passed(passed, at)) };
  }

  #passed(passed: JsonObject, path: KeyPath): PassedProperty {
    return omitUndefined({
      path: this.#path(passed, path),
      values: ifPresent(passed, "values", (key) => this.#values(passed, key, path)),
      sometimes: getOwn(passed, "sometimes") === true ? (true as const) : undefined,
      unknown: ifPresent(passed, "unknown", (key) => this.#name(passed, key, path)),
    });
  }

  #read(read: JsonObject, path: KeyPath): ReadProperty {
    return omitUndefined({
      path: this.#path(read, path),
      places: this.#places(read, path),
      compares: ifPresent(read, "compares", (key) => this.#values(read, key, path)),
      unknown: ifPresent(read, "unknown", (key) => this.#name(read, key, path)),
    });
  }

  #values(from: JsonObject, key: string, path: KeyPath): readonly JsonValue[] {
    const values = getOwn(from, key);
    if (isJsonArray(values)) return values;
    throw this.#at([...path, key], "expected a list of values");
  }

  #path(from: JsonObject, path: KeyPath): string {
    const text = getOwn(from, "path");
    if (typeof text === "string" && (text === "" || text.startsWith("/"))) return text;
    throw this.#at([...path, "path"], 'expected a path such as "/items/*/price"');
  }

  #places(from: JsonObject, path: KeyPath): number {
    const places = getOwn(from, "places");
    if (typeof places === "number" && Number.isInteger(places) && places > 0) return places;
    throw this.#at([...path, "places"], "expected a whole number from 1");
  }

  #name(from: JsonObject, key: string, path: KeyPath): string {
    const text = getOwn(from, key);
    if (typeof text === "string" && text !== "" && text.length <= LONGEST_NAME) return text;
    throw this.#at([...path, key], `expected a text of 1 to ${LONGEST_NAME} characters`);
  }

  #texts(from: JsonObject, key: string, path: KeyPath): readonly string[] {
    const list = getOwn(from, key);
    const texts = isJsonArray(list) ? list.filter((text) => typeof text === "string") : [];
    if (isJsonArray(list) && texts.length === list.length) return texts;
    throw this.#at([...path, key], "expected a list of texts");
  }

  #list<T>(
    from: JsonObject,
    key: string,
    path: KeyPath,
    parse: (item: JsonObject, path: KeyPath) => T,
  ): readonly T[] {
    const list = getOwn(from, key);
    if (!isJsonArray(list)) throw this.#at([...path, key], "expected a list");
    return list.map((item, index) => {
      const at = [...path, key, index];
      return parse(this.#object(item, at), at);
    });
  }

  #object(value: JsonValue | undefined, path: KeyPath): JsonObject {
    if (isJsonObject(value)) return value;
    throw this.#at(path, "expected an object");
  }

  #at(path: KeyPath, problem: string): McpCodegenError {
    return this.#invalid(`is not valid at ${formatKeyPath(path)}: ${problem}`);
  }

  #invalid(problem: string, hint?: string): McpCodegenError {
    return new McpCodegenError("CONSUMER_INVALID", `"${this.#file}" ${problem}.`, {
      hint: hint ?? 'Get it from the consumer, who writes it with "npx mcp-codegen export".',
    });
  }
}

function ifPresent<T>(from: JsonObject, key: string, read: (key: string) => T): T | undefined {
  return Object.hasOwn(from, key) ? read(key) : undefined;
}
