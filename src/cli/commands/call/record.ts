import type { Runner } from "../../command-spec.js";
import type { recordOptions } from "./spec.js";
import { join, relative, resolve } from "node:path";
import type { RegisteredTool } from "../../../agent/registry/registered-tool.js";
import { ownNameOf } from "../../../agent/registry/tool-names.js";
import { fileNameOf } from "../../../cassette/cassette-folder.js";
import { DEFAULT_CASSETTES } from "../../../config/config.js";
import { McpCodegenError } from "../../../contract/errors.js";
import type { CallOptions } from "../../../runtime/call-options.js";
import type { Logger } from "../../../runtime/events.js";
import type { Context } from "../../context.js";
import { type OpenedTools, withTools } from "../../open-tools.js";
import { callIn } from "./run.js";

/** Calls one tool and records the call in a cassette. */
export const runRecord: Runner<typeof recordOptions> = (
  context,
  [server = "", wanted = "", ...words],
  before,
) =>
  withTools(
    context,
    { server },
    (opened) => callIn(context, opened, { command: "record", wanted, words, before }),
    {
      onInput: () => ({ action: "cancel" }),
    },
  );

/** What a call needs to be recorded. */
export interface CallRecording {
  readonly options: Pick<CallOptions, "record" | "onWarning">;
  readonly onEvent: Logger;
}

/**
 * Runs a call of a server's tool that is recorded, and prints the file that has it.
 *
 * @param call Returns the exit code.
 * @throws McpCodegenError `USAGE` for a tool of the program, `FILE_FAILED` if the answer cannot be recorded
 */
export async function recordIn(
  context: Context,
  { project }: Pick<OpenedTools, "project">,
  { tool, cassette }: { readonly tool: RegisteredTool; readonly cassette: string | undefined },
  call: (recording: CallRecording) => Promise<number>,
): Promise<number> {
  const { io } = context;
  if (tool.server === undefined)
    throw new McpCodegenError(
      "USAGE",
      `Tool ${JSON.stringify(tool.name)} has no server, and its calls are not recorded.`,
    );
  const [first = ""] = project.config.cassettes ?? DEFAULT_CASSETTES;
  const folder = cassette === undefined ? resolve(project.dir, first) : resolve(io.cwd, cassette);
  const seen: { refusal?: string; isRecorded?: true } = {};
  const exitCode = await call({
    options: { record: folder, onWarning: () => undefined },
    onEvent: (event, { reason }) => {
      if (event === "tool.call.not_recorded") seen.refusal = String(reason);
      if (event === "tool.call.recorded") seen.isRecorded = true;
    },
  });
  const file = relative(io.cwd, join(folder, fileNameOf({ server: tool.server, tool: ownNameOf(tool) })));
  if (seen.refusal !== undefined)
    throw new McpCodegenError("FILE_FAILED", `The call is not recorded: ${seen.refusal}.`);
  if (seen.isRecorded) io.stderr.write(`Recorded in ${JSON.stringify(file)}.\n`);
  return exitCode;
}
