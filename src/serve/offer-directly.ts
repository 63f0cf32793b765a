import {
  type HandlerResultTypeMap,
  McpServer,
  ProtocolError,
  type RequestMethod,
  type RequestTypeMap,
  type ServerCapabilities,
} from "@modelcontextprotocol/server";
import { isContent } from "../agent/adapters/model-parts.js";
import { DEEPEST_USABLE } from "../core/limits.js";
import { readPolicy } from "../core/policy.js";
import type { RegisteredTool } from "../core/tool.js";
import { createToolNames, type ToolNameTable } from "../agent/registry/tool-names.js";
import { approvalsOf } from "../agent/registry/approval.js";
import type { ToolView } from "../agent/registry/registry.js";
import { openView } from "../agent/registry/tool-view.js";
import { checkPrefix } from "../agent/toolset/assemble-toolset.js";
import { readSchemas } from "../agent/toolset/describe-tool-data.js";
import { runTool } from "../agent/toolset/execute-tool.js";
import {
  answerWith,
  answerWithError,
  type MetaNames,
  readCallResult,
  refuseName,
  replaceBroken,
} from "../agent/toolset/toolset-error.js";
import {
  judge,
  type PolicyView,
  policyView,
  type Resolution,
  resolveName,
} from "../agent/toolset/toolset-catalog.js";
import type { Toolset, ToolAnswer } from "../agent/toolset/toolset.js";
import { omitUndefined } from "../core/collections.js";
import { McpCodegenError } from "../core/errors.js";
import { spellNumbers, writeExactly } from "../core/exact-json.js";
import { getOwn, isJsonObject, type JsonObject, objectOrEmpty } from "../core/json.js";
import { toModelSchema } from "../core/model-schema.js";
import type { RawSource } from "../core/snapshot.js";
import { mapSubschemas } from "../core/subschemas.js";
import { createWarner } from "../runtime/events.js";
import { rpcDataOf, rpcErrorOf } from "../runtime/fail-call.js";
import type { ContentBlock } from "../core/call.js";
import { reportRounded } from "../runtime/validate-call.js";
import type { DirectOptions, Offer, OfferedTool, Servable, ServeOptions } from "./offer.js";

/** Returns the served form of a toolset or a registry. Throws `CONFIG_INVALID` for a prefix that providers reject. */
export function offerOf(source: Exclude<Servable, RawSource>, options: DirectOptions): Offer {
  const { policy: rules = {} } = options;
  const policy = readPolicy("serve", rules);
  if (!isToolset(source)) return offerDirectly(openView(source), { ...options, policy });
  const tools = source.metaTools.map(({ name, description, inputSchema, annotations }) => ({
    name,
    description,
    annotations,
    inputSchema: { ...inputSchema, type: "object" as const },
  }));
  return { list: () => Promise.resolve(tools), answer: (...args) => source.answer(...args) };
}

function isToolset(source: Exclude<Servable, RawSource>): source is Toolset {
  // A session is served as the tools that it shows.
  return "metaTools" in source && !("found" in source);
}

/**
 * Returns the tools of a source under a policy. Tools that a mode or a role hides are neither listed nor called.
 *
 * Output schemas are not published: a client that validates results would refuse keys that a server has added since the
 * lock, which the runtime accepts.
 *
 * @throws McpCodegenError `CONFIG_INVALID` for a prefix that providers reject
 */
export function offerDirectly(
  source: ToolView,
  { policy = {}, prefix = "", writesHint, onWarning }: DirectOptions,
): Offer {
  checkPrefix(prefix);
  const warn = createWarner(onWarning);
  const under = (roles?: readonly string[]): PolicyView => policyView(source, { policy, warn }, roles);
  /** The names of all tools of the last list, also of hidden ones. */
  let listed: ToolNameTable | undefined;
  const resolve = async (name: string, view: PolicyView): Promise<Resolution> => {
    const ownName = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    // A listed tool is looked up by name, so that only its own server has to answer.
    const [match, other] = listed?.find(ownName) ?? [];
    const tool = match === undefined || other !== undefined ? undefined : await source.getTool(match.name);
    return tool === undefined ? resolveName(ownName, view, source) : judge(tool, view.policy);
  };
  const { approval, approve } = approvalsOf(source, {});
  const answer: Offer["answer"] = async (name, args, { roles, ...options } = {}) => {
    const names = namesFor(name);
    const view = under(roles);
    const resolution = await resolve(name, view);
    if (resolution.kind !== "tool")
      return answerWithError(refuseName(name, resolution, names, source.servers));
    const { tool } = resolution;
    const call = { ...options, approve: options.approve ?? approve };
    const context = { names, view, writesHint, approval, options: call };
    return runTool({ tool, name, args: objectOrEmpty(args) }, context, (value, beside) =>
      answerOf(tool, value, beside),
    );
  };
  return {
    list: async (roles) => {
      const catalog = await under(roles).open();
      listed = createToolNames(catalog.tools);
      return catalog.visible.map((tool) => describe(tool, `${prefix}${catalog.nameOf(tool)}`));
    },
    answer: async (...args) => {
      const { isError, content, ...data } = await answer(...args);
      // Structured content has the tool's own schema, which errors do not match.
      return isError ? { isError, content } : { isError, content, ...data };
    },
    onChange: source.onChange?.bind(source),
  };
}

/** The names that errors suggest to a model instead of the meta-tools. */
function namesFor(tool: string): MetaNames {
  const listing = "tools/list";
  return { introspect: listing, search: listing, describe: listing, execute: tool, context: listing };
}

function describe(tool: RegisteredTool, name: string): OfferedTool {
  const { title, description = title, annotations = {} } = tool;
  const { input } = readSchemas(tool);
  const dialect = findOlderDialect(input);
  return omitUndefined({
    name,
    title,
    description: description === "" ? undefined : description,
    inputSchema: { ...(dialect === undefined ? {} : { $schema: dialect }), ...toModelSchema(input) },
    annotations,
  });
}

/** Returns the answer in the form of the tool's own server. */
function answerOf(tool: RegisteredTool, value: unknown, beside: readonly ContentBlock[]): ToolAnswer {
  if (tool.output === undefined && isContent(value)) {
    const { content } = value;
    const structuredContent = spellNumbers(value.structuredContent);
    return {
      isError: false,
      ...(isJsonObject(structuredContent) && { structuredContent }),
      content: replaceBroken(content),
    };
  }
  const { result, blocks } = readCallResult(tool, value, beside);
  if (typeof result === "object" && result !== null) return answerWith(result, blocks);
  const text = typeof result === "string" ? result : writeExactly(result);
  return { isError: false, content: [{ type: "text", text }, ...blocks] };
}

const DRAFTS: { readonly [schema: string]: number } = {
  "json-schema.org/draft-03/schema": 3,
  "json-schema.org/draft-04/schema": 4,
  "json-schema.org/draft-06/schema": 6,
  "json-schema.org/draft-07/schema": 7,
  "json-schema.org/draft/2019-09/schema": 8,
};

/** The last draft that treats a keyword differently from 2020-12, the default dialect of MCP. */
const DIFFERENT_UNTIL: { readonly [keyword: string]: number } = {
  id: 4, const: 4, contains: 4, propertyNames: 4, if: 6,
  dependencies: 7, dependentRequired: 7, dependentSchemas: 7, minContains: 7, maxContains: 7,
  unevaluatedItems: 7, unevaluatedProperties: 7, $anchor: 7,
  additionalItems: 8, prefixItems: 8, $recursiveRef: 8, $recursiveAnchor: 8, $dynamicRef: 8, $dynamicAnchor: 8,
}; // prettier-ignore

/** Keywords without a check: beside `$ref` they may be ignored. */
const UNCHECKED = ["$ref", "$schema", "$id", "$comment", "title", "description", "default", "examples", "$defs", "definitions"]; // prettier-ignore

/**
 * Returns the `$schema` of a schema if its meaning depends on it: it declares a draft before 2020-12 and has a keyword that
 * this draft treats differently.
 */
export function findOlderDialect(schema: JsonObject): string | undefined {
  const declared = getOwn(schema, "$schema");
  if (typeof declared !== "string") return undefined;
  const draft = getOwn(DRAFTS, declared.replace(/^https?:\/\//, "").replace(/#$/, ""));
  return draft !== undefined && isDifferent(schema, draft, 0) ? declared : undefined;
}

function isDifferent(schema: JsonObject, draft: number, depth: number): boolean {
  if (depth > DEEPEST_USABLE) return true;
  let isFound = Object.entries(schema).some(
    ([key, value]) =>
      draft <= (getOwn(DIFFERENT_UNTIL, key) ?? 0) ||
      (key === "items" && Array.isArray(value)) ||
      (typeof value === "boolean" && (key === "exclusiveMinimum" || key === "exclusiveMaximum")) ||
      // Up to draft-07, keywords beside "$ref" have no effect.
      (draft <= 7 && Object.hasOwn(schema, "$ref") && !UNCHECKED.includes(key)),
  );
  mapSubschemas(schema, (subschema) => {
    isFound ||= isDifferent(subschema, draft, depth + 1);
    return subschema;
  });
  return isFound;
}

/** Creates a server that sends its list and results unchanged. */
export function createRawServer(source: RawSource, { identity, onError }: ServeOptions): McpServer {
  const { instructions, serverInfo } = source.identity;
  const info = { name: "mcp-codegen", version: "0.0.0", ...identity, ...serverInfo };
  // Recorded declarations, lists and answers may not match the SDK's types.
  const capabilities: unknown = source.identity.capabilities;
  const mcp = new McpServer(info, instructions === undefined ? {} : { instructions });
  const { server } = mcp;
  // The constructor would declare `listChanged` too.
  server.registerCapabilities(capabilities as ServerCapabilities);
  if (onError !== undefined) server.onerror = onError;
  const handle = <M extends RequestMethod>(
    method: M,
    respond: (request: RequestTypeMap[M]) => unknown,
  ): void => {
    server.setRequestHandler(method, async (request) => {
      try {
        return (await respond(request)) as HandlerResultTypeMap[M];
      } catch (error) {
        throw toProtocolError(error);
      }
    });
  };
  handle("tools/list", () => ({ tools: source.tools() }));
  handle("tools/call", async ({ params: { name, arguments: args } }) => {
    const result = await source.call(name, objectOrEmpty(args));
    // The SDK writes the numbers of JavaScript.
    reportRounded(
      { name },
      result,
      (message) => onError?.(new Error(message)),
      () => undefined,
    );
    return result;
  });
  const { prompts, resources } = source.identity.capabilities;
  if (prompts !== undefined) {
    handle("prompts/list", () => ({ prompts: source.entries("prompts") }));
    handle("prompts/get", ({ params: { name, arguments: args = {} } }) =>
      source.read({ method: "prompts/get", name, arguments: args }),
    );
  }
  if (resources !== undefined) {
    handle("resources/list", () => ({ resources: source.entries("resources") }));
    handle("resources/templates/list", () => ({ resourceTemplates: source.entries("resourceTemplates") }));
    handle("resources/read", ({ params: { uri } }) => source.read({ method: "resources/read", uri }));
  }
  return mcp;
}

function toProtocolError(error: unknown): unknown {
  const rpc = rpcErrorOf(error);
  if (rpc !== undefined) return new ProtocolError(rpc.code, rpc.message, rpcDataOf(error));
  // The user can fix it, such as a broken cassette.
  return error instanceof McpCodegenError ? new ProtocolError(INTERNAL_ERROR, error.message) : error;
}

const INTERNAL_ERROR = -32603;
