import { join, relative, resolve } from "node:path";
import { decide, effectOf } from "../../../core/decide.js";
import { commandToCheck, ownNameOf, serverNameOf } from "../../../core/tool-name.js";
import { DEFAULT_CASSETTES } from "../../../config/config.js";
import { McpCodegenError } from "../../../core/errors.js";
import type { JsonObject } from "../../../core/json.js";
import type { RegisteredTool } from "../../../core/tool.js";
import { printable } from "../../../core/printable.js";
import { explainForbiddenWrites } from "../../../project/tool-policy.js";
import { isUnsent } from "../../../runtime/client/caller.js";
import type { OnInput } from "../../../core/input-question.js";
import type { Result, CallOptions, Logger } from "../../../core/call.js";
import { loadCassette } from "../../../runtime/request.js";
import { contentBeside } from "../../../runtime/result.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, createCommandContext, redirectConsole, printWarning } from "../../context.js";
import { findTool, type OpenedTools, withOpenedTools, withTool } from "../../open-tools.js";
import { GLOBAL_OPTIONS, type OptionValues } from "../../options.js";
import { showCallProgress } from "../../show-progress.js";
import { describeForPeople, toDocument } from "../tools/describe.js";
import { deliverResult } from "./deliver-result.js";
import { type ArgumentSchema, readArgumentSchema } from "./flags/argument-schema.js";
import { extractOptions } from "../../parse-options.js";
import {
  callAddress,
  mayCall,
  readCallArguments,
  reportCallFailure,
  type RequestedCall,
} from "./prepare-call.js";
import { createAnswerer } from "./questions.js";
import { CALL_FLAGS } from "./spec.js";

/** Calls one tool. Nothing is sent before its arguments are validated. */
export const runCall: Runner<typeof CALL_FLAGS> = async (outer, [wanted = "", ...rest], before) => {
  assertBefore(rest);
  // Read before the tool's parameters are known, since the server that lists them may be started for this.
  const isVerbose = rest.includes("--verbose");
  const context = isVerbose ? createCommandContext(outer.io, { ...outer.options, verbose: true }) : outer;
  return withOpenedTools(context, { ...before, tools: [wanted], onInput: answerLater }, (opened) => {
    const tool = findTool(opened, wanted);
    return withTool(tool, () => callIn(context, opened, { tool, words: rest, before }));
  });
};

/** A server may list other tools if the client answers questions. The call itself has its own handler. */
const answerLater: OnInput = () => ({ action: "cancel" });

interface RecordedLine {
  readonly tool: RegisteredTool;
  readonly words: readonly string[];
  readonly before: OptionValues<typeof CALL_FLAGS>;
}

/** Calls one of the tools, asks where the policy or the tool requires it, and prints the result. Returns the exit code. */
async function callIn(outer: Context, opened: OpenedTools, line: RecordedLine): Promise<number> {
  const { tool } = line;
  const schema = readArgumentSchema(tool);
  const { isHelp, options: behind, words } = extractTrailingOptions(line.words, schema);
  const context = createCommandContext(outer.io, { ...outer.options, ...behind });
  const call: RequestedCall = {
    name: opened.names.nameOf(tool),
    serverWords: opened.serverWords,
    tool,
    schema,
    words,
    options: { ...line.before, ...behind, answer: [...(line.before.answer ?? []), ...(behind.answer ?? [])] },
  };
  if (call.options.cassette !== undefined && call.options.record !== true)
    throw usageError("--cassette requires --record.", "Add --record.");
  if (call.options.env !== undefined && !opened.isLocked)
    throw usageError(
      "--env requires a configured server, and this one is not configured.",
      "Pass the URL or command of the environment as --server.",
    );
  const { isVisible, reasons } = decide(tool, opened.policy);
  const [reason] = reasons;
  if (isHelp && isVisible) return help(context, opened, call);
  const hint = explainForbiddenWrites(opened.project.config, opened.lookup, serverNameOf(tool));
  // Where writes are only not enabled, the person who typed the command decides.
  if (reason !== undefined && (!isVisible || hint !== undefined)) {
    const { code, message } = reason;
    const why = code === "WRITES_DISABLED" ? hint : undefined;
    return reportCallFailure(context, call, { code, message, retryable: false, hint: why });
  }
  const args = await readCallArguments(context, call);
  if (!(await mayCall(context, opened, call, args)))
    throw new McpCodegenError("CONFIRMATION_REQUIRED", `Tool ${JSON.stringify(call.name)} was not called.`);
  if (call.options.record !== true) return send(context, opened, call, args);
  return recordIn(context, opened, call, (recording) => send(context, opened, call, args, recording));
}

/** Options that must precede the tool's name, since they decide which tool it names. */
const BEFORE = ["--config", "--env-file", "--server", "--header", "--bearer"];

/** Throws `USAGE` for such an option after the tool's name. */
function assertBefore(words: readonly string[]): void {
  const early = BEFORE.find((flag) => words.some((word) => word === flag || word.startsWith(`${flag}=`)));
  if (early === undefined) return;
  throw usageError(
    `${early} must precede the name of the tool.`,
    `For example: npx mcp-codegen call ${early} … <tool>. For a parameter of the tool, write ${early.slice(2)}=….`,
  );
}

/**
 * Separates the options of the command from the tool's flags after the tool's name. A flag that is a parameter of the tool
 * is the tool's.
 *
 * @throws McpCodegenError `USAGE`
 */
function extractTrailingOptions(words: readonly string[], schema: ArgumentSchema) {
  const table = { ...GLOBAL_OPTIONS, ...CALL_FLAGS, help: { help: "print help" } };
  const { options, words: left } = extractOptions(words, table, schema.names);
  const { help, ...values } = options;
  const isHelp = help === true || (words.length === 1 && words[0] === "-h");
  return { isHelp, options: values, words: left };
}

async function help(
  context: Context,
  { policy }: OpenedTools,
  { name, serverWords, tool }: RequestedCall,
): Promise<number> {
  return context.report(
    { report: "describe", exitCode: 0, tools: [toDocument(tool, name)] },
    await describeForPeople(tool, { name, policy, serverWords, layout: context }),
  );
}

async function send(
  context: Context,
  opened: OpenedTools,
  call: RequestedCall,
  args: JsonObject,
  recording?: CallRecording,
): Promise<number> {
  const { name, tool, options } = call;
  const { env, save, timeout, validateInput } = options;
  const { signal } = context.io;
  const progress = await showCallProgress(context);
  const answerer = createAnswerer(context, options.answer ?? []);
  const connected = opened.connect(tool, env);
  let result: Result<unknown>;
  const unknownKeys: string[] = [];
  const warnings: string[] = [];
  let refusal: unknown;
  try {
    const callOptions: CallOptions = {
      environment: tool.server === undefined ? env : undefined,
      onProgress: progress.onProgress,
      onInput: answerer.onInput,
      record: recording?.folder,
      onWarning: (message) => {
        // A call that is not recorded ends the command with the same message.
        if (refusal === undefined) warnings.push(message);
      },
      logger: (event, fields) => {
        recording?.onEvent(event, fields);
        if (event === "tool.output.unknown_keys") unknownKeys.push(String(fields["keys"]));
        if (event === "tool.call.not_recorded") refusal = fields["reason"];
      },
      timeout: timeout && timeout * 1_000,
      validateInput,
      signal,
    };
    const sent = `${name} (was still running, and may have been made)`;
    if (effectOf(tool, opened.policy) !== "reads") context.io.made?.add(sent);
    result = await redirectConsole(context.io, () => connected.tool.call(args, callOptions));
    if (!result.ok && isUnsent(result.error.cause)) context.io.made?.delete(sent);
  } finally {
    progress.close();
    await connected.close();
  }
  signal?.throwIfAborted();
  answerer.warnUnused();
  if (!result.ok) return reportCallFailure(context, call, result.error);
  for (const keys of unknownKeys)
    printWarning(
      context,
      `The result has keys that the locked output schema does not allow: ${printable(keys)}. Run "${commandToCheck(serverNameOf(tool), env)}".`,
    );
  for (const warning of warnings) printWarning(context, warning);
  const answer = { tool: name, value: result.value, isContent: tool.output === undefined };
  const { lines, document } = await deliverResult(
    context,
    { ...answer, beside: contentBeside(result) },
    save,
  );
  // A result is not wrapped, so that it can be copied.
  context.printText(lines.map((line) => `${line}\n`).join(""));
  return context.report({ report: "call", exitCode: 0, ...callAddress(call), ...document });
}

interface CallRecording {
  readonly folder: string;
  readonly onEvent: Logger;
}

/**
 * Runs a call of a server's tool that is recorded, and prints the file that has it.
 *
 * @param send makes the call and returns the exit code
 * @throws McpCodegenError `USAGE` for a tool of the program, `FILE_FAILED` if the answer cannot be recorded
 */
async function recordIn(
  { io }: Context,
  { project }: OpenedTools,
  { tool, options: { cassette } }: RequestedCall,
  send: (recording: CallRecording) => Promise<number>,
): Promise<number> {
  if (tool.server === undefined)
    throw usageError(`Tool ${JSON.stringify(tool.name)} has no server, and its calls are not recorded.`);
  const [first = ""] = project.config.cassettes ?? DEFAULT_CASSETTES;
  const folder = cassette === undefined ? resolve(project.dir, first) : resolve(io.cwd, cassette);
  const { fileNameOf } = await loadCassette();
  const path = join(folder, fileNameOf({ server: tool.server, tool: ownNameOf(tool) }));
  const seen: { refusal?: string; isRecorded?: true } = {};
  const exitCode = await send({
    folder,
    onEvent: (event, { reason }) => {
      if (event === "tool.call.not_recorded") seen.refusal = String(reason);
      if (event === "tool.call.recorded") seen.isRecorded = true;
    },
  });
  if (seen.refusal !== undefined)
    throw new McpCodegenError("FILE_FAILED", `The call is not recorded: ${seen.refusal}.`);
  if (seen.isRecorded !== true) return exitCode;
  io.stderr.write(`Recorded in ${JSON.stringify(relative(io.cwd, path))}.\n`);
  return exitCode;
}
