import { describeValue } from "../../core/check-options.js";
import { EFFECT_WORDS } from "../../core/snapshot.js";
import { findOwn, isJsonObject, type JsonObject } from "../../core/json.js";
import type { ContentBlock, ToolError, ToolErrorCode } from "../../core/call.js";
import { spellNumbers, writeExactly } from "../../core/exact-json.js";
import { isContent, keepMedia } from "../adapters/model-parts.js";
import { NOT_LOCKED, type PolicyReason } from "../../core/decide.js";
import type { RegisteredTool } from "../../core/tool.js";
import type { RefusedTool, ServerState } from "../registry/registry.js";
import { commandToCheck, serverNameOf } from "../../core/tool-name.js";
import { findNameError, LONGEST_NAME } from "../registry/tool-names.js";
import { describeToolData, explainArguments } from "./describe-tool-data.js";
import type { Resolution } from "./toolset-catalog.js";
import type { ToolAnswer } from "./toolset.js";

/**
 * Codes of errors for models.
 *
 * - `TOOL_NOT_FOUND`: no tool has the name, several have it, or the server no longer has the tool.
 * - `VALIDATION_ERROR`: the arguments do not fit. The tool was not called.
 * - `WRITES_DISABLED`: the tool does not only read, and writes are switched off. The tool was not called.
 * - `TOOL_NOT_ALLOWED`: a focus mode, a role or a person forbids the call. The tool was not called.
 * - `CONTRACT_DRIFT`: the live tool or its answer no longer fits the lock.
 * - `TOOL_UNAVAILABLE`: the server could not be reached or did not answer.
 * - `TOOL_EXECUTION_FAILED`: the tool ran and reported a failure.
 * - `INPUT_REQUIRED`: the tool asked a question that only the user can answer.
 * - `SCRIPT_INVALID`: the script does not fit the tools. No tool was called.
 * - `SCRIPT_FAILED`: the script threw an error, or a call that it did not catch failed.
 * - `SCRIPT_STOPPED`: the script hit a limit, or was cancelled.
 */
export type ToolsetErrorCode =
  | "TOOL_NOT_FOUND"
  | "VALIDATION_ERROR"
  | "WRITES_DISABLED"
  | "TOOL_NOT_ALLOWED"
  | "CONTRACT_DRIFT"
  | "TOOL_UNAVAILABLE"
  | "TOOL_EXECUTION_FAILED"
  | "INPUT_REQUIRED"
  | "SCRIPT_INVALID"
  | "SCRIPT_FAILED"
  | "SCRIPT_STOPPED";

/** An error for a model. Every error says what to do next. */
export interface ToolsetError extends JsonObject {
  readonly error: ToolsetErrorCode;
  readonly message: string;
  readonly suggestion: string;
}

/** Longer messages of a server do not help a model. */
const LONGEST_MESSAGE = 4_000;

export interface MetaNames {
  readonly introspect: string;
  readonly search: string;
  readonly describe: string;
  readonly execute: string;
  readonly context: string;
}

export function toolsetError(
  error: ToolsetErrorCode,
  message: string,
  suggestion: string,
  more: JsonObject = {},
): ToolsetError {
  const isLong = message.length > LONGEST_MESSAGE;
  return { error, message: isLong ? `${message.slice(0, LONGEST_MESSAGE)}…` : message, suggestion, ...more };
}

/** Quotes a name of any length, cut. Programs without types pass other values, too. */
export function quoteName(name: unknown): string {
  if (typeof name !== "string") return describeValue(name);
  return JSON.stringify(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
}

/** The beginning of a suggestion after a call that was not made. */
export const NOT_CALLED = "The tool was not called.";

const HOW_TO_LOCK =
  'lock it with "npx mcp-codegen pull", or trust the hints of its server ("trust" in its configuration)';

const ONLY_A_PERSON = "Only the person who runs this program can change that. Tell them; do not try again.";

/** Explains how to switch writes on in a program that calls `createToolset`. */
export function explainPolicyWrites(server: string, environment: string | undefined): string {
  const key = /^[a-z_]\w*$/i.test(server) ? server : JSON.stringify(server);
  const place = environment === undefined ? "" : ` The call goes to environment "${environment}".`;
  return `To switch writes on, pass policy: { writes: { ${key}: true } } to the toolset, or { writes: true } for all servers.${place}`;
}

/** The error for a call that a policy forbids. `writesHint` says how to switch writes on. */
export function notAllowed(
  tool: string,
  { code, by, rule, because, effect = "unstated" }: PolicyReason,
  writesHint = "",
): ToolsetError {
  const why = because === undefined ? EFFECT_WORDS[effect] : NOT_LOCKED;
  const reason = because === undefined ? {} : { reason: because };
  if (code === "WRITES_DISABLED") {
    const locking = because === undefined ? "" : ` If the tool only reads data, ${HOW_TO_LOCK}.`;
    const hint = `${writesHint}${locking} This is a setting of this program, not of the server.`.trimStart();
    const message = `Tool ${quoteName(tool)} (${why}) may not be called: writes are switched off.`;
    return toolsetError(code, message, ONLY_A_PERSON, { tool, hint, ...reason });
  }
  const suggestion = `Continue without it: the person who runs this program sets ${by}.`;
  const cause = because === undefined ? "" : `: it is ${why}`;
  return toolsetError(code, `Tool ${quoteName(tool)} is not allowed by ${by}${cause}.`, suggestion, {
    tool,
    mode: by,
    ...reason,
    ...(rule && { rule: JSON.parse(JSON.stringify(rule)) as JsonObject }),
  });
}

/** Converts the error of a call to one for models. */
export function failedCall(
  error: ToolError,
  tool: RegisteredTool,
  name: string,
  {
    meta,
    args,
    environment,
  }: { readonly meta: MetaNames; readonly args: JsonObject; readonly environment?: string | undefined },
): ToolsetError {
  const { code, message, retryable } = error;
  const command = commandToCheck(serverNameOf(tool), environment);
  const drifted = `Ask the user to run "${command}" and review the changes.`;
  const contract = { contract: tool.contract ?? null, command };
  const ran = `${TOOL_RAN} Do not repeat a call that changes data.`;
  const told = (as: ToolsetErrorCode, suggestion: string, more: JsonObject = {}): ToolsetError =>
    toolsetError(as, message, suggestion, { tool: name, ...more });
  switch (code) {
    case "TOOL_INVALID_INPUT": {
      const issues = error.issues ?? [];
      const explained = explainArguments(describeToolData(tool).inputSchema, issues, args);
      const suggestion = `${NOT_CALLED} Fix the issues and call ${meta.execute} again.`;
      const about = `The arguments of tool ${quoteName(name)} are invalid.`;
      return toolsetError("VALIDATION_ERROR", about, suggestion, { tool: name, ...explained });
    }
    case "TOOL_NOT_FOUND":
      return told(code, `The server no longer has this tool. Find another with ${meta.search}.`, {
        nearest: [],
      });
    case "WRITES_DISABLED":
    case "TOOL_NOT_ALLOWED":
      return told(code, "Continue without this tool.");
    case "CONTRACT_DRIFT":
      return told(code, drifted, contract);
    case "TOOL_INVALID_OUTPUT":
      return tool.contract === undefined
        ? told("TOOL_EXECUTION_FAILED", ran, { retryable })
        : told("CONTRACT_DRIFT", `${ran} ${drifted}`, contract);
    case "TOOL_UNAVAILABLE":
      return told(code, retryable ? WAIT : REPORT, { retryable });
    case "TOOL_NOT_IMPLEMENTED":
    case "CALL_NOT_RECORDED":
      return told("TOOL_UNAVAILABLE", "Continue without this tool.", { retryable });
    case "INPUT_REQUIRED":
      return told(code, "Report the questions to the user. The tool cannot be answered from here.", {
        questions: (error.questions ?? []).map(({ message, ...question }) =>
          question.kind === "url" ? { message, url: question.url } : { message, schema: question.schema },
        ),
      });
    case "TOOL_EXECUTION_FAILED":
      return told(code, retryable ? WAIT : "Read the tool's message and change the call before you repeat it.", { retryable }); // prettier-ignore
    default:
      return code satisfies never;
  }
}

/** The beginning of a suggestion after a call whose answer does not fit. */
export const TOOL_RAN = "The tool ran.";
const REPORT = "Retrying will not help. Report this to the user.";
const WAIT = "The same call may succeed later. If the tool changes data, check first whether it did.";

export function toolErrorCodeOf(error: ToolsetErrorCode): ToolErrorCode {
  if (error === "VALIDATION_ERROR" || error === "SCRIPT_INVALID") return "TOOL_INVALID_INPUT";
  return error === "SCRIPT_FAILED" || error === "SCRIPT_STOPPED" ? "TOOL_EXECUTION_FAILED" : error;
}

/** The error for a name that no callable tool has. */
export function refuseName(
  name: string,
  resolution: Exclude<Resolution, { readonly kind: "tool" }>,
  meta: MetaNames,
  servers: readonly ServerState[] = [],
): ToolsetError {
  switch (resolution.kind) {
    case "hidden":
      return notAllowed(name, resolution.reason);
    case "several": {
      const nearest = resolution.names.slice(0, 10);
      const suggestion = `Use one of: ${nearest.map(quoteName).join(", ")}.`;
      const message = `Several tools are called ${quoteName(name)}.`;
      return toolsetError("TOOL_NOT_FOUND", message, suggestion, { nearest });
    }
    case "none": {
      const { nearest } = resolution;
      const refused = findRefused(name, servers);
      if (refused !== undefined) {
        const message = `Tool ${quoteName(name)} is not offered. ${refused.reason}`;
        return toolsetError("TOOL_NOT_ALLOWED", message, ONLY_A_PERSON, { tool: name, reason: refused.code });
      }
      const near = nearest.length === 0 ? "" : `Nearest names: ${nearest.map(quoteName).join(", ")}. `;
      const find = `${near}Find tools with ${meta.search}.`;
      const error = findNameError(name, servers);
      if (error?.code === "TOOL_INVALID_INPUT")
        return toolsetError("VALIDATION_ERROR", error.message, `${NOT_CALLED} ${find}`, { nearest });
      if (error !== undefined) {
        const { message, retryable } = error;
        const suggestion = `${NOT_CALLED} ${retryable ? "The same call may succeed later." : REPORT}`;
        return toolsetError("TOOL_UNAVAILABLE", message, suggestion, { tool: name, retryable, nearest });
      }
      return toolsetError("TOOL_NOT_FOUND", `There is no tool ${quoteName(name)}.`, find, { nearest });
    }
    default:
      return resolution satisfies never;
  }
}

function findRefused(name: string, servers: readonly ServerState[]): RefusedTool | undefined {
  const all = servers.flatMap(({ name: server, refused = [] }) =>
    refused.map((tool) => [server, tool] as const),
  );
  const exact = all.find(([server, { tool }]) => name === `${server}__${tool}`);
  return (exact ?? all.find(([, { tool }]) => name === tool))?.[1];
}

/**
 * Creates an answer with an object as structured content and as JSON text, and with other content blocks.
 *
 * @throws TypeError for a value that cannot be written as JSON
 */
export function answerWith(value: object, blocks: readonly ContentBlock[] = []): ToolAnswer {
  const text = writeExactly(value);
  const structuredContent: unknown = JSON.parse(JSON.stringify(spellNumbers(value)));
  return {
    isError: false,
    ...(isJsonObject(structuredContent) && { structuredContent }),
    content: [{ type: "text", text }, ...blocks],
  };
}

export function answerWithText(text: string): ToolAnswer {
  return { isError: false, content: [{ type: "text", text }] };
}

export function answerWithError(error: ToolsetError): ToolAnswer {
  const structuredContent: JsonObject = error;
  return { isError: true, structuredContent, content: [{ type: "text", text: JSON.stringify(error) }] };
}

/**
 * Reads a tool's value for a model. Without an output schema, that is the structured content if the server sent any, else the
 * text, which is never parsed; `null` if the tool answered only with blocks, or not at all.
 *
 * @param beside the content blocks that accompanied structured content
 */
export function readCallResult(
  tool: RegisteredTool,
  value: unknown,
  beside: readonly ContentBlock[],
): { readonly result: unknown; readonly blocks: readonly ContentBlock[] } {
  if (tool.output !== undefined || !isContent(value)) return { result: value ?? null, blocks: keepBlocks(beside) }; // prettier-ignore
  const { text, content, structuredContent } = value;
  const isText = content.some(({ type }) => type === "text");
  return { result: structuredContent ?? (isText ? text : null), blocks: keepBlocks(content) };
}

function keepBlocks(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return replaceBroken(keepMedia(content));
}

/** Replaces blocks for which clients would refuse the whole answer by texts. */
export function replaceBroken(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.map((block) =>
    isWhole(block) ? block : { type: "text", text: `[${block.type.slice(0, 40)}: cannot be shown]` },
  );
}

/** Whether a block has all members that the specification requires ("Tool Result"). */
function isWhole(block: ContentBlock): boolean {
  const { type, text, data, mimeType, uri, name, resource } = block as Partial<Record<string, unknown>>;
  switch (type) {
    case "text":
      return isText(text);
    case "image":
    case "audio":
      return isText(data) && isText(mimeType);
    case "resource_link":
      return isText(uri) && isText(name);
    case "resource":
      return (
        isText(findOwn(resource, "uri")) &&
        [findOwn(resource, "text"), findOwn(resource, "blob")].some(isText)
      );
    default:
      return false;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
