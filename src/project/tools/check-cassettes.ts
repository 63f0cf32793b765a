import { basename, dirname, join, relative, resolve, sep } from "node:path";
import {
  readCassetteFile,
  type CassetteCall,
  type CassetteFile,
  type CassetteTool,
} from "../../runtime/cassette/cassette-file.js";
import { fileNameOf } from "../../runtime/cassette/cassette-folder.js";
import { isRedacted } from "../../runtime/cassette/redact.js";
import type { ServerConfig } from "../../config/config.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { Finding } from "../../core/finding.js";
import { joinPointer } from "../../core/json-pointer.js";
import { findOwn, getOwn } from "../../core/json.js";
import type { Lockfile } from "../../core/lockfile.js";
import { printable } from "../../core/printable.js";
import { positionIn } from "../../files/parse-json.js";
import { findFileText } from "../../files/read-files.js";
import { readToolResult } from "../../runtime/define-tool.js";
import type { ToolDefinition } from "../../core/tool.js";
import { validateInput } from "../../runtime/validate-call.js";
import type { Issue } from "../../core/schema.js";
import { explainIssue, valueAtPath } from "../../schema/validation/schema.js";
import { defineLockedTool } from "./locked-tools.js";

/** Why a test cannot use a recorded call; `OWN_RULES` of the reports explains each. */
type CassetteRule =
  | "recorded-input-invalid"
  | "recorded-output-invalid"
  | "recorded-tool-missing"
  | "recorded-entry-missing"
  | "cassette-invalid";

/**
 * Finds recorded calls that the lock contradicts, and counts those that were compared with it. Inputs and answers are validated as
 * at run time; redacted values are not.
 *
 * @param files paths of JSON files; those that are not cassettes are left out
 * @param servers names of the servers whose cassettes are checked; all by default
 */
export async function checkCassettes(
  { config, dir }: LoadedConfig,
  lock: Lockfile,
  { files, servers }: { readonly files: readonly string[]; readonly servers?: readonly string[] | undefined },
) {
  const findings: Finding[] = [];
  let checked = 0;
  const lockedFiles = new Set(
    Object.entries(lock.servers).flatMap(([server, { tools }]) =>
      Object.keys(tools).map((tool) => fileNameOf({ server, tool })),
    ),
  );
  for (const file of files) {
    const text = (await findFileText(resolve(dir, file))) ?? "";
    // Other tools may have files in the same folder.
    const isCutOff = text.trim() === "" && lockedFiles.has(placeOf(file));
    if (!isCutOff && !text.includes('"cassetteVersion"')) continue;
    const name = relative(dir, file).split(sep).join("/");
    const read = readCassetteFile(text);
    if ("problem" in read) {
      const { line, column, reason } = read.problem;
      const place = { file: name, line, column };
      findings.push({ rule: "cassette-invalid", ...place, message: `${reason}.`, facts: { calls: 0 } });
      continue;
    }
    const { server, tool, calls } = read.value;
    if (servers?.includes(server) === false) continue;
    const settings = getOwn(config.servers, server) ?? {};
    const problems =
      findMisplaced(read.value, file) ??
      (tool === undefined
        ? findMissingEntry(read.value, lock)
        : await findProblems({ server, tool }, calls, lock, settings));
    if (tool !== undefined) checked += calls.length;
    for (const { pointer, rule, message, calls: count } of problems) {
      const place = { file: name, ...positionIn(text, pointer), server, tool };
      findings.push({ rule, ...place, message, facts: { calls: count } });
    }
  }
  return { findings, checked };
}

/** The folder and the name of a file, as calls are looked for. */
function placeOf(file: string): string {
  return join(basename(dirname(file)), basename(file));
}

/** A moved or copied file, which no call finds, or which the calls of another tool find. */
function findMisplaced(
  { server, tool, prompt, resource = "", calls }: CassetteFile,
  file: string,
): readonly Problem[] | undefined {
  const kind = tool !== undefined ? undefined : prompt !== undefined ? "prompt" : "resource";
  const place = fileNameOf({ server, kind, tool: tool ?? prompt ?? resource });
  if (place === placeOf(file)) return undefined;
  const message = `Its calls are replayed only from ${JSON.stringify(place.split(sep).join("/"))}.`;
  return [{ rule: "cassette-invalid", pointer: `/${kind ?? "tool"}`, message, calls: calls.length }];
}

interface Problem {
  readonly rule: CassetteRule;
  readonly message: string;
  /** The number of calls that have it. */
  readonly calls: number;
  /** The place of the first one. */
  readonly pointer: string;
}

/** The lock has no schemas for the answers of prompts and resources. */
function findMissingEntry(
  { server, prompt, resource = "", calls }: CassetteFile,
  lock: Lockfile,
): readonly Problem[] {
  const locked = getOwn(lock.servers, server);
  const { prompts, resources, resourceTemplates, skills } = locked ?? {};
  const isLocked =
    prompt === undefined
      ? [resources, resourceTemplates, skills].some((list) => getOwn(list ?? {}, resource) !== undefined)
      : getOwn(prompts ?? {}, prompt) !== undefined;
  if (isLocked) return [];
  const kind = prompt === undefined ? "resource" : "prompt";
  const [name, owner] = [prompt ?? resource, server].map((text) => JSON.stringify(printable(text)));
  const message = `The lock has no ${kind} ${name} of server ${owner}.`;
  return [{ rule: "recorded-entry-missing", pointer: `/${kind}`, message, calls: calls.length }];
}

async function findProblems(
  { server, tool }: CassetteTool,
  calls: readonly CassetteCall[],
  lock: Lockfile,
  settings: ServerConfig,
): Promise<readonly Problem[]> {
  const definition = defineRecorded({ server, tool }, lock, settings);
  if (definition === undefined) {
    const [name, owner] = [tool, server].map((text) => JSON.stringify(printable(text)));
    const message = `The lock has no tool ${name} of server ${owner}.`;
    return [{ rule: "recorded-tool-missing", pointer: "/tool", message, calls: calls.length }];
  }
  const problems = new Map<string, Problem>();
  for (const [index, call] of calls.entries()) {
    const misfits = await findMisfits(definition, call, settings);
    for (const [key, { rule, path, message }] of misfits) {
      const pointer = joinPointer("", "calls", index, ...path);
      const earlier = problems.get(key) ?? { rule, pointer, message, calls: 0 };
      problems.set(key, { ...earlier, calls: earlier.calls + 1 });
    }
  }
  return [...problems.values()];
}

/** The locked tool; undefined where the lock has none that can be called. */
function defineRecorded(
  { server, tool }: CassetteTool,
  lock: Lockfile,
  { dialect, formats, defaults }: ServerConfig,
): ToolDefinition<unknown, unknown> | undefined {
  const locked = getOwn(lock.servers, server);
  const lockedTool = getOwn(locked?.tools ?? {}, tool);
  if (locked === undefined || lockedTool === undefined || lockedTool.unusable !== undefined) return undefined;
  const definition = { name: server, contract: locked.contract, dialect, formats, defaults };
  return defineLockedTool(definition, tool, lockedTool, { locked });
}

interface CassetteMisfit {
  readonly rule: CassetteRule;
  /** The place in the call. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The misfits of a call, each once for all items of an array. */
async function findMisfits(
  definition: ToolDefinition<unknown, unknown>,
  call: CassetteCall,
  { record, validateInput: inputMode, validateOutput }: ServerConfig,
): Promise<ReadonlyMap<string, CassetteMisfit>> {
  // The mode "warn" sends arguments that do not fit.
  const { issues } = inputMode === "warn" ? { issues: [] } : await validateInput(definition, call.arguments);
  const misfits = [
    ...issues.flatMap((issue) => describe("recorded-input-invalid", ["arguments"], issue)),
    ...(await judgeAnswer(definition, call, validateOutput)),
  ].filter(({ path }) => !isRedacted(valueAtPath(call, path), path.map(String), record?.redact ?? []));
  return new Map(misfits.map((misfit) => [JSON.stringify([misfit.rule, misfit.message]), misfit]));
}

async function judgeAnswer(
  definition: ToolDefinition<unknown, unknown>,
  call: CassetteCall,
  mode: ServerConfig["validateOutput"],
): Promise<readonly CassetteMisfit[]> {
  // A failure has no answer.
  if (!("result" in call) || getOwn(call.result, "isError") === true) return [];
  // An answer that a call only warns about still contradicts the schema.
  const output = mode === "warn" ? "tolerant" : (mode ?? definition.server.output);
  const options = output === undefined ? {} : { output };
  const answer = await readToolResult(definition, call.result, options, () => undefined);
  if (answer.ok) return [];
  const rule = "recorded-output-invalid";
  const { issues } = answer.error;
  if (issues === undefined) {
    const message = "The answer has no structured content, and its text is not JSON.";
    return [{ rule, path: ["result"], message }];
  }
  // Issues in JSON text are reported at the result.
  const isText = findOwn(call.result, "structuredContent") === undefined;
  return issues
    .flatMap((issue) => describe(rule, ["result", "structuredContent"], issue))
    .map((misfit) => (isText ? { ...misfit, path: ["result"] } : misfit));
}

const LONGEST = 300;

function describe(rule: CassetteRule, start: readonly string[], issue: Issue): readonly CassetteMisfit[] {
  return explainIssue(issue).map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
    const shown = steps.map((step) => (typeof step === "number" ? "*" : step)).join(".");
    const what = rule === "recorded-input-invalid" ? "input" : "output";
    const place = shown === "" ? "" : `${printable(shown, LONGEST)}: `;
    return {
      rule,
      path: [...start, ...steps],
      message: `The locked ${what} schema refuses it: ${place}${printable(message, LONGEST)}.`,
    };
  });
}
