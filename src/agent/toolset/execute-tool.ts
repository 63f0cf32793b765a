import { messageOf } from "../../core/errors.js";
import { findOwn, isJsonObject, type JsonObject, type JsonValue, objectOrEmpty } from "../../core/json.js";
import { type PartOfResult, printShape, takePart } from "../../core/json-part.js";
import { readJsonText, spellNumbers } from "../../core/exact-json.js";
import type { ContentBlock, ToolError } from "../../core/call.js";
import { contentBeside } from "../../runtime/result.js";
import { findIssues } from "../../schema/validation/schema.js";
import { explainUnwritable } from "../adapters/model-parts.js";
import { decide, effectOf, toolUnder } from "../../core/decide.js";
import { askPerson, needsApproval } from "../registry/approval.js";
import type { ToolView } from "../registry/registry.js";
import type { CallTarget, RegisteredTool } from "../../core/tool.js";
import { serverNameOf } from "../../core/tool-name.js";
import { failInput, failTool } from "../registry/tool-names.js";
import { type ExecuteContext, objectOf, type MetaToolDefinition } from "./meta-tool.js";
import {
  answerWith,
  answerWithError,
  explainPolicyWrites,
  failedCall,
  NOT_CALLED,
  notAllowed,
  quoteName,
  readCallResult,
  refuseName,
  toolsetError,
} from "./toolset-error.js";
import { judge, resolveName, type PolicyView, type Resolution } from "./toolset-catalog.js";
import type { ToolAnswer } from "./toolset.js";

/** Calls a tool by its name. The result is in an envelope. */
export const execute: MetaToolDefinition = {
  name: "execute",
  describe: () => "Call a tool by name, with args that match its schema. Errors say what to fix.",
  inputSchema: objectOf(
    {
      tool: { type: "string" },
      args: { type: "object", description: "The tool's arguments" },
      fields: {
        type: "array",
        items: { type: "string" },
        description: 'Only these parts of the result, such as "items.title"',
      },
      page: { type: "integer", minimum: 1, description: "Of a long result" },
    },
    ["tool"],
  ),
  normalize: readRequest,
  // While writes are off, only tools that read can be called.
  annotate: ({ writes = false }) =>
    writes === false ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: true },
  answer: async ({ tool: wanted, args, fields, page }, call) => {
    const { names, source, view, maxResult } = call;
    const name = typeof wanted === "string" ? wanted : "";
    const resolution = await findTool(name, view, source);
    if (resolution.kind !== "tool")
      return answerWithError(refuseName(name, resolution, names, source.servers));
    const { tool } = resolution;
    return runTool({ tool, name, args: objectOrEmpty(args) }, call, (value, beside) => {
      const { result: whole, blocks } = readCallResult(tool, value, beside);
      const json = readJsonText(JSON.parse(JSON.stringify(spellNumbers(whole ?? null))) as JsonValue);
      const { result, part, missing } = takePart(json, {
        fields: Array.isArray(fields) ? fields.map(String) : undefined,
        page: typeof page === "number" ? page : undefined,
        most: maxResult,
      });
      const reads = effectOf(tool, view.policy) === "reads";
      const suggestion =
        missing === undefined
          ? part && explainPart(part, reads)
          : `The result has no ${missing.map(quoteName).join(", ")}. Its shape: ${printShape(json)}.`;
      return answerWith({ success: true, tool: name, result, ...part, suggestion }, blocks);
    });
  },
};

/** Some models write the arguments as JSON text, or name them as other protocols do. */
function readRequest(request: unknown): unknown {
  if (!isJsonObject(request)) return request;
  const { arguments: named, ...rest } = request;
  const args = rest["args"] ?? named;
  if (args === undefined) return request;
  const read = args === "" ? {} : readJsonText(args);
  return { ...rest, args: read };
}

function explainPart({ page, pages }: PartOfResult, reads: boolean): string {
  const again = reads
    ? `Call again with ${pages > 1 ? 'another "page", or with ' : ""}"fields" from its shape.`
    : "The tool may have changed data: do not repeat the call. Read the rest with a tool that reads.";
  if (page > pages) return `There ${pages === 1 ? "is 1 page" : `are ${pages} pages`}. ${again}`;
  return pages > 1
    ? `The result is long: this is page ${page} of ${pages}. ${again}`
    : `The result is too long to show. ${again}`;
}

/** Finds a tool by a name in a request. A registered name needs only its own server, not the lists of all servers. */
async function findTool(name: string, view: PolicyView, source: ToolView): Promise<Resolution> {
  const exact = await source.getTool(name);
  return exact === undefined ? resolveName(name, view, source) : judge(exact, view.policy);
}

/** Returns the tool that `execute` would call, with the annotations that count, and its arguments; undefined if it would refuse. */
export async function findTargetTool(
  input: unknown,
  view: PolicyView,
  source: ToolView,
): Promise<CallTarget | undefined> {
  const request = readRequest(input);
  const name = findOwn(request, "tool");
  const resolution = typeof name === "string" ? await findTool(name, view, source) : undefined;
  if (resolution?.kind !== "tool") return undefined;
  const { tool } = resolution;
  if (!decide(tool, view.policy).isAllowed) return undefined;
  return { tool: toolUnder(tool, view.policy), args: objectOrEmpty(findOwn(request, "args")) };
}

/**
 * Calls a tool, under the name in the request, unless the policy forbids it or a person declines.
 *
 * @param answer makes the answer to a successful call from its value and the other content blocks
 */
export async function runTool(
  { tool, name, args }: { readonly tool: RegisteredTool; readonly name: string; readonly args: JsonObject },
  { names, view: { policy }, environment, writesHint, approval, options }: ExecuteContext,
  answer: (value: unknown, beside: readonly ContentBlock[]) => ToolAnswer,
): Promise<ToolAnswer> {
  const [reason] = decide(tool, policy).reasons;
  if (reason !== undefined) {
    const server = serverNameOf(tool);
    const hasNoHints = reason.because === undefined && (reason.effect ?? "unstated") === "unstated";
    const hint = writesHint?.(server, hasNoHints) ?? explainPolicyWrites(server, environment);
    return answerWithError(notAllowed(name, reason, hint));
  }
  const { approve, ...callOptions } = options;
  const failed = (error: ToolError): ToolAnswer =>
    answerWithError(failedCall(error, tool, name, { meta: names, args, environment }));
  // Do not ask about a call that will not be made, by the arguments or by the policy of the registry.
  const isMade = tool.findTarget === undefined || (await tool.findTarget(args)) !== undefined;
  if (approve !== undefined && isMade && needsApproval(toolUnder(tool, policy), approval)) {
    const issues = await findIssues(tool.input, args);
    if (issues.length > 0) return failed(failInput(tool, issues).error);
    const why = await askPerson(approve, { tool, input: args });
    if (why !== undefined) {
      const suggestion = `${NOT_CALLED} Do not call it again unless the user asks for it.`;
      const more = { tool: name, mode: "confirmation" };
      return answerWithError(toolsetError("TOOL_NOT_ALLOWED", why, suggestion, more));
    }
  }
  try {
    const called = await tool.call(args, callOptions);
    if (!called.ok) return failed(called.error);
    const message = explainUnwritable(tool.name, called.value);
    if (message === undefined) return answer(called.value, contentBeside(called));
    return failed(failTool(tool, "TOOL_INVALID_OUTPUT", message).error);
  } catch (thrown) {
    // A hand-written tool may throw.
    const message = `Tool ${JSON.stringify(tool.name)} failed: ${messageOf(thrown)}`;
    return failed(failTool(tool, "TOOL_EXECUTION_FAILED", message).error);
  }
}
