import { SHARED } from "../../options.js";
import type { Runner } from "../../command-spec.js";
import type { callOptions } from "./spec.js";
import { decide } from "../../../agent/policy/decide.js";
import { serverNameOf } from "../../../agent/registry/tool-names.js";
import { McpCodegenError } from "../../../contract/errors.js";
import type { JsonObject } from "../../../contract/json.js";
import { printable } from "../../../contract/printable.js";
import { explainForbiddenWrites } from "../../../project/tool-policy-of.js";
import type { CallOptions } from "../../../runtime/call-options.js";
import type { ContentBlock, Result } from "../../../runtime/result.js";
import { readServerOptions, type ServerOptions } from "../../ad-hoc-server.js";
import { type Context, createContext, redirectConsole } from "../../context.js";
import { findTool, type OpenedTools, withTools } from "../../open-tools.js";
import { showCallProgress } from "../../show-progress.js";
import { describeForPeople } from "../describe/describe-for-people.js";
import { toDocument } from "../describe/run.js";
import { mayCall } from "./confirm-call.js";
import { deliverResult } from "./deliver-result.js";
import { readArgumentSchema } from "./flags/argument-schema.js";
import { readFlags } from "./flags/read-flags.js";
import { type CallCommandOptions, extractOptions, extractOwnOptions } from "./own-options.js";
import { createAnswerer } from "./questions.js";
import { readInput, readPiped } from "./read-arguments.js";
import type { CallRecording } from "./record.js";
import { addressOf, helpHint, reportCallFailure, type RequestedCall } from "./report-call-failure.js";

/** Calls one tool. Nothing is sent before its arguments are validated. */
export const runCall: Runner<typeof callOptions> = async (given, [wanted = "", ...rest], before) => {
  // Read before the tool's parameters are known, since the server that lists them may be started for this.
  const isVerbose = rest.includes("--verbose");
  const context = isVerbose ? createContext(given.io, { ...given.options, verbose: true }) : given;
  const { options, words } = await findServerOptions(context, wanted, rest, before);
  const work = (opened: OpenedTools): Promise<number> =>
    callIn(context, opened, { command: "call", wanted, words, before });
  // What an unconfigured server lists may depend on whether questions are answered. The call has its own handler.
  return withTools(context, options, work, { onInput: () => ({ action: "cancel" }) });
};

/**
 * Returns the options that name a server, from before and after the tool's name. After it, `--server` is an argument
 * if the locked tool has a parameter with that name.
 */
async function findServerOptions(
  context: Context,
  wanted: string,
  words: readonly string[],
  { server, header, bearer }: ServerOptions,
): Promise<{ readonly options: ServerOptions; readonly words: readonly string[] }> {
  const given = { options: { server, header, bearer }, words };
  if (server !== undefined) {
    if ((await readServerOptions(context, { server }))?.kind === "configured") return given;
    const { header: takesHeader, bearer: takesBearer } = SHARED;
    const taken = extractOptions(words, { header: takesHeader, bearer: takesBearer });
    const headers = [...(header ?? []), ...(taken.options.header ?? [])];
    return {
      options: {
        server,
        header: headers.length > 0 ? headers : undefined,
        bearer: taken.options.bearer ?? bearer,
      },
      words: taken.words,
    };
  }
  const { server: takesServer, header: takesHeader, bearer: takesBearer } = SHARED;
  const taken = extractOptions(words, { server: takesServer, header: takesHeader, bearer: takesBearer });
  if (taken.options.server === undefined) return given;
  const isArgument = await withTools(context, {}, async (opened) => {
    const schema = readArgumentSchema(await findTool(opened, wanted));
    return schema.members(schema.root).has("server");
  }).catch((error: unknown) => {
    // Without a configuration, or without such a tool, no tool can claim the option.
    if (error instanceof McpCodegenError) return false;
    throw error;
  });
  return isArgument ? given : { words: taken.words, options: { header, bearer, ...taken.options } };
}

/** A command line that calls a tool. */
interface CallLine {
  readonly command: "call" | "record";
  /** The tool's name as it was given. */
  readonly wanted: string;
  readonly words: readonly string[];
  readonly before: CallCommandOptions;
}

/** Calls one of the tools, asks where the policy or the tool requires it, and prints the result. Returns the exit code. */
export async function callIn(given: Context, opened: OpenedTools, line: CallLine): Promise<number> {
  const tool = await findTool(opened, line.wanted);
  const schema = readArgumentSchema(tool);
  const { isHelp, options: behind, words } = extractOwnOptions(line.command, line.words, schema);
  const context = createContext(given.io, { ...given.options, ...behind });
  const call: RequestedCall = {
    name: opened.names.nameOf(tool),
    serverWords: opened.serverWords,
    tool,
    schema,
    words,
    options: { ...line.before, ...behind, answer: [...(line.before.answer ?? []), ...(behind.answer ?? [])] },
  };
  if (call.options.env !== undefined && opened.serverWords.length > 0) {
    throw new McpCodegenError(
      "USAGE",
      "--env requires a configured server, and --server names an unconfigured one.",
      {
        hint: "Pass the URL or command of the environment as --server.",
      },
    );
  }
  const { isVisible, reasons } = decide(tool, opened.policy);
  const [reason] = reasons;
  if (isHelp && isVisible) return help(context, opened, call);
  const hint = explainForbiddenWrites(opened.project.config, opened.lookup, serverNameOf(tool));
  // Where writes are only not enabled, the person who typed the command decides.
  if (reason !== undefined && (!isVisible || hint !== undefined)) {
    const { code, message } = reason;
    return reportCallFailure(context, call, {
      ...{ code, message, retryable: false },
      ...(code === "WRITES_DISABLED" && hint !== undefined && { hint }),
    });
  }
  const args = await readArguments(context, call);
  if (!(await mayCall(context, opened, call, args))) return 0;
  if (line.command === "call") return send(context, opened, call, args);
  const { recordIn } = await import("./record.js");
  return recordIn(context, opened, { tool, cassette: behind.cassette ?? line.before.cassette }, (record) =>
    send(context, opened, call, args, record),
  );
}

async function help(
  context: Context,
  { policy }: OpenedTools,
  { name, serverWords, tool }: RequestedCall,
): Promise<number> {
  context.print(await describeForPeople(tool, { name, policy, serverWords, layout: context }));
  context.printDocument({ report: "describe", exitCode: 0, tools: [toDocument(tool, name)] });
  return 0;
}

async function readArguments(context: Context, call: RequestedCall): Promise<JsonObject> {
  const { schema, words, options } = call;
  const takesNone = schema.members(schema.root).size === 0;
  const base =
    options.input !== undefined
      ? await readInput(context, options.input)
      : words.length > 0 || takesNone
        ? {}
        : await readPiped(context);
  const read = readFlags(words, schema, base);
  if ("args" in read) return read.args;
  const problems = read.problems.map(({ flag, message }) => `${flag} ${message}`.replace(/(?<!\?)$/, "."));
  throw new McpCodegenError("USAGE", problems.join("\n"), { hint: helpHint(call) });
}

async function send(
  context: Context,
  opened: OpenedTools,
  call: RequestedCall,
  args: JsonObject,
  record?: CallRecording,
): Promise<number> {
  const { name, tool, options } = call;
  const { env, save } = options;
  const { signal } = context.io;
  const timeout = parseTimeout(options.timeout);
  const progress = await showCallProgress(context);
  const answerer = createAnswerer(context, options.answer ?? []);
  const connected = opened.connect(tool, env);
  let result: Result<unknown>;
  const beside: ContentBlock[] = [];
  const unknownKeys: string[] = [];
  try {
    const callOptions: CallOptions = {
      ...(tool.server === undefined && env !== undefined && { environment: env }),
      onProgress: progress.onProgress,
      onInput: answerer.onInput,
      onContent: (content) => void beside.push(...content),
      ...record?.options,
      logger: (event, fields) => {
        record?.onEvent(event, fields);
        if (event === "tool.output.unknown_keys") unknownKeys.push(String(fields["keys"]));
      },
      ...(timeout !== undefined && { timeout }),
      ...(signal !== undefined && { signal }),
    };
    result = await redirectConsole(context.io, () => connected.tool.call(args, callOptions));
  } finally {
    progress.close();
    await connected.close();
  }
  signal?.throwIfAborted();
  answerer.warnUnused();
  if (!result.ok) return reportCallFailure(context, call, result.error);
  for (const keys of unknownKeys)
    context.io.stderr.write(
      `The result has keys that the locked output schema does not allow: ${printable(keys)}. Run "npx mcp-codegen check ${tool.server ?? ""}".\n`,
    );
  const { lines, document } = await deliverResult(
    context,
    { tool: name, value: result.value, isContent: tool.output === undefined, beside },
    save,
  );
  // A result is not wrapped, so that it can be copied.
  context.printText(lines.map((line) => `${line}\n`).join(""));
  context.printDocument({ report: "call", exitCode: 0, ...addressOf(call), ...document });
  return 0;
}

function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,6}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0) return seconds * 1_000;
  throw new McpCodegenError("USAGE", `--timeout takes seconds, not ${JSON.stringify(text)}.`, {
    hint: "For example: --timeout 120.",
  });
}
