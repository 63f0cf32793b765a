import { decide, effectOf } from "../../../agent/policy/decide.js";
import type { RegisteredTool } from "../../../agent/registry/registered-tool.js";
import { joinToolName } from "../../../agent/registry/tool-names.js";
import { type CassetteCall, keyOf, positionIn } from "../../../cassette/cassette-file.js";
import { REDACTED } from "../../../cassette/redact.js";
import type { LoadedConfig } from "../../../config/load-config.js";
import type { CassetteFinding } from "../../../contract/cassette-finding.js";
import type { Unverified } from "../../../contract/diagnostic.js";
import { McpCodegenError } from "../../../contract/errors.js";
import { isJsonObject, type JsonValue } from "../../../contract/json.js";
import { printable } from "../../../contract/printable.js";
import { inferShape } from "../../../infer/infer-shape.js";
import { readAnswer } from "../../../infer/read-answer.js";
import { differencesFrom } from "../../../infer/shape-differences.js";
import type { Shape } from "../../../infer/shape.js";
import { listCassettes } from "../../../pipeline/check.js";
import type { CheckReport } from "../../../pipeline/reports.js";
import { readCassettes } from "../../../project/read-cassettes.js";
import { count } from "../../../report/layout.js";
import type { Result } from "../../../runtime/result.js";
import { type Context, redirectConsole } from "../../context.js";
import { type ConnectedTool, type OpenedTools, withOpenedTools } from "../../open-tools.js";
import type { OptionValues } from "../../options.js";
import { confirm } from "../../prompts.js";
import type { CHECK_FLAGS } from "./spec.js";

type Options = Pick<OptionValues<typeof CHECK_FLAGS>, "env" | "yes"> & {
  readonly servers: readonly string[];
};

/** A recorded call that may be made again. */
interface Probe {
  readonly tool: RegisteredTool;
  readonly call: CassetteCall;
  /** The shape of all recorded answers of the tool. */
  readonly shape: Shape;
  /** Where the call is recorded. */
  readonly at: Pick<CassetteFinding, "path" | "line" | "column"> & {
    readonly server: string;
    readonly tool: string;
  };
}

/**
 * Calls locked tools that only read again with recorded arguments, after asking, and adds the answers that left the recorded
 * shape to a report.
 *
 * @throws McpCodegenError `USAGE` if confirmation is required and there is no terminal
 */
export async function probeCassettes(
  context: Context,
  loaded: LoadedConfig,
  report: CheckReport,
  options: Options,
): Promise<CheckReport> {
  return withOpenedTools(context, {}, async (opened) => {
    const probes = await findProbes(context, loaded, opened, options);
    if (probes.length === 0 || !(await mayProbe(context, probes, options))) return report;
    const found = await probeAll(context, opened, probes, options);
    return {
      ...report,
      cassettes: [...report.cassettes, ...found.cassettes],
      unverified: [...report.unverified, ...found.unverified],
    };
  });
}

/** Finds the calls of tools that only read and that the policy allows. Reports how many others there are. */
async function findProbes(
  context: Context,
  loaded: LoadedConfig,
  { tools, policy }: OpenedTools,
  { servers }: Options,
): Promise<readonly Probe[]> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const probes: Probe[] = [];
  let [redacted, refused] = [0, 0];
  for await (const { path, text, read } of readCassettes(loaded, await listCassettes(loaded))) {
    if ("problem" in read || read.file.tool === undefined) continue;
    const { server, tool: name, calls } = read.file;
    if (servers.length > 0 && !servers.includes(server)) continue;
    const tool = byName.get(joinToolName(server, name));
    if (tool === undefined) continue;
    if (effectOf(tool, policy) !== "reads" || !decide(tool, policy).isAllowed) {
      refused += calls.length;
      continue;
    }
    const answered = [...calls.entries()].flatMap(([index, call]) => {
      const answer = "result" in call ? readAnswer(call.result) : undefined;
      return answer === undefined ? [] : [{ index, call, value: answer.value }];
    });
    const shape = inferShape(answered.map(({ value }) => value));
    const called = new Set<string>();
    for (const { index, call } of answered) {
      // Of equal calls, one is made.
      if (called.has(keyOf(call))) continue;
      called.add(keyOf(call));
      if (JSON.stringify(call.arguments).includes(REDACTED)) redacted += 1;
      else
        probes.push({
          tool,
          call,
          shape,
          at: { path, ...positionIn(text, `/calls/${index}`), server, tool: name },
        });
    }
  }
  if (redacted > 0)
    context.io.stderr.write(
      `Not called again: ${count(redacted, "recorded call")} with redacted arguments.\n`,
    );
  if (refused > 0)
    context.io.stderr.write(
      `Not called again: ${count(refused, "recorded call")} of tools that write or that the policy refuses.\n`,
    );
  return probes;
}

async function mayProbe(context: Context, probes: readonly Probe[], { env, yes }: Options): Promise<boolean> {
  if (yes === true) return true;
  const names = [...new Set(probes.map(({ tool }) => tool.name))];
  const shown = names.slice(0, 5).map((name) => JSON.stringify(printable(name, 80)));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  const what = `${count(probes.length, "call")} of ${shown.join(", ")}${more}${env === undefined ? "" : ` in "${env}"`}`;
  if (!context.isInteractive)
    throw new McpCodegenError("USAGE", `--probe makes ${what}; confirmation required.`, {
      hint: "Pass --yes to make them.",
    });
  return confirm(context, `Make ${what}?`);
}

/** The most differences that one message lists. */
const MOST = 5;

async function probeAll(
  context: Context,
  opened: OpenedTools,
  probes: readonly Probe[],
  { env }: Options,
): Promise<{ readonly cassettes: readonly CassetteFinding[]; readonly unverified: readonly Unverified[] }> {
  const cassettes: CassetteFinding[] = [];
  const unverified = new Map<string, Unverified>();
  let connected: ConnectedTool | undefined;
  try {
    for (const { tool, call, shape, at } of probes) {
      if (unverified.has(at.server)) continue;
      // The calls of a tool follow each other.
      if (connected?.tool.name !== tool.name) {
        await connected?.close();
        connected = opened.connect(tool, env);
      }
      const callable = connected.tool;
      const result = await redirectConsole(context.io, () => repeat(callable, call, context));
      context.io.signal?.throwIfAborted();
      if (!result.ok && result.error.code === "TOOL_UNAVAILABLE") {
        const reason = result.error.message;
        unverified.set(at.server, {
          server: at.server,
          ...(env !== undefined && { environment: env }),
          reason,
        });
        continue;
      }
      const differences = result.ok
        ? differencesFrom(shape, valueOf(result.value))
        : [`the call failed: ${result.error.message}`];
      const listed = differences.slice(0, MOST).map((text) => printable(text, 200));
      const rest = differences.length - listed.length;
      const message = `The live answer left the recorded shape: ${listed.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}.`;
      if (differences.length > 0)
        cassettes.push({ rule: "recorded-answer-outdated", ...at, calls: 1, message });
    }
  } finally {
    await connected?.close();
  }
  return { cassettes, unverified: [...unverified.values()] };
}

/** Makes the call of the server itself, whatever its schema and the variables for cassettes say. */
function repeat(tool: RegisteredTool, call: CassetteCall, { io }: Context): Promise<Result<unknown>> {
  const { signal } = io;
  return tool.call(call.arguments, { output: "off", replay: "", ...(signal !== undefined && { signal }) });
}

/** The answer as {@link readAnswer} reads it from a raw result. */
function valueOf(value: unknown): JsonValue {
  const plain = JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
  const isContent =
    typeof value === "object" && value !== null && "json" in value && typeof value.json === "function";
  return (isContent && isJsonObject(plain) ? readAnswer(plain)?.value : undefined) ?? plain;
}
