import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { OpenedToolset } from "../../../serve/open-toolset.js";
import type { Approve } from "../../../agent/registry/approval.js";
import { EFFECT_WORDS } from "../../../core/snapshot.js";
import { findOwn, isJsonArray, type JsonObject } from "../../../core/json.js";
import { printable, printJson } from "../../../core/printable.js";
import { statedEffectOf } from "../../../core/decide.js";
import type { Policy } from "../../../core/policy.js";
import { findFiles, readTextBounded } from "../../../files/read-files.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, printOnStderr, redirectConsole, printWarning } from "../../context.js";
import { confirm, printArguments } from "../../prompts.js";
import { openServed, summarizeDrift } from "../serve/serve.js";
import { createAnswerer } from "./questions.js";
import type { RUN_FLAGS } from "./spec.js";

/** Checks saved scripts, and runs one like a script that a model wrote. */
export const runSavedScript: Runner<typeof RUN_FLAGS> = (context, patterns, options) =>
  redirectConsole(context.io, async () => {
    const { io } = context;
    const { env, role, yes, check = false } = options;
    const scripts = await readScripts(context, patterns);
    const [first, ...others] = scripts;
    if (first === undefined || (others.length > 0 && !check))
      throw usageError("run runs one script.", "With --check, name any number of files and globs.");
    const toolset = await openServed(context, [], {
      env,
      role,
      prefix: "",
      code: true,
      writes: yes,
      ownScripts: true,
    });
    try {
      if (check) return await checkAll(context, toolset, scripts);
      await toolset.loadScriptPackages();
      const approve = yes === true ? undefined : askAtTerminal(context, toolset.policy);
      const { onInput } = createAnswerer(context, options.answer ?? []);
      const { isError, structuredContent = {} } = await toolset.answer(
        "run_code",
        { code: first.code },
        { approve, onInput, ...(io.signal !== undefined && { signal: io.signal }) },
      );
      if (io.signal?.aborted === true) {
        for (const call of listed(structuredContent, "made")) io.made?.add(call);
        io.signal.throwIfAborted();
      }
      // A script may have caught the error, which names the tool otherwise.
      const drift = isError ? undefined : summarizeDrift(toolset.drift);
      if (drift !== undefined) printWarning(context, drift);
      return report(context, first.script, isError, structuredContent);
    } finally {
      await toolset.close();
    }
  });

interface SavedCode {
  /** The path from the working folder. */
  readonly script: string;
  readonly code: string;
}

async function readScripts({ io }: Context, patterns: readonly string[]): Promise<readonly SavedCode[]> {
  const lists = await Promise.all(
    patterns.map(async (path) => {
      const files = await findFiles(io.cwd, [path.replaceAll("\\", "/")]);
      if (files.length === 0 && /[*?[{]/.test(path) && !existsSync(resolve(io.cwd, path)))
        throw usageError(`No file matches ${JSON.stringify(path)}.`);
      return files.length > 0 ? files : [path];
    }),
  );
  const paths = [...new Set(lists.flat().map((path) => resolve(io.cwd, path)))];
  return Promise.all(
    paths.map(async (path) => {
      const script = relative(io.cwd, path);
      const code = await readTextBounded(path, (cause) =>
        usageError(`Cannot read ${JSON.stringify(script)}.`, undefined, cause),
      );
      return { script, code };
    }),
  );
}

async function checkAll(
  context: Context,
  { code: tools }: OpenedToolset,
  scripts: readonly SavedCode[],
): Promise<number> {
  const checked = await Promise.all(
    scripts.map(async ({ script, code }) => {
      return ((await tools?.check(code)) ?? []).map((issue) => ({ script, ...issue }));
    }),
  );
  const lines = checked.flatMap((ofScript, at) =>
    ofScript.length === 0
      ? [`${scripts[at]?.script ?? ""} fits the locked tools.`]
      : ofScript.map(
          ({ script, line, column, message }) => `${script}:${line}:${column} ${printable(message, 1_000)}`,
        ),
  );
  const issues = checked.flat();
  const exitCode = issues.length > 0 ? 1 : 0;
  return context.report(
    { report: "run", exitCode, scripts: scripts.map(({ script }) => script), issues },
    lines,
  );
}

function report(context: Context, script: string, isError: boolean, answer: JsonObject): number {
  for (const line of listed(answer, "logs")) context.io.stderr.write(`${line}\n`);
  if (!isError) {
    context.printText(`${printJson(findOwn(answer, "result"))}\n`);
    return context.report({ report: "run", exitCode: 0, script, ...answer });
  }
  const made = listed(answer, "made");
  const hint = findOwn(answer, "hint");
  printOnStderr(context, [
    `${script}: ${textOf(findOwn(answer, "message"))}`,
    ...listed(answer, "issues").map((issue) => `  ${issue}`),
    ...(hint === undefined ? [] : [textOf(hint)]),
    ...(made.length > 0 ? ["Calls that were made:", ...made.map((call) => `  ${call}`)] : []),
  ]);
  return context.report({ report: "run", exitCode: 1, script, error: answer });
}

function listed(answer: JsonObject, key: string): readonly string[] {
  const value = findOwn(answer, key);
  return isJsonArray(value) ? value.map(textOf) : [];
}

function textOf(value: unknown): string {
  return printable(typeof value === "string" ? value : JSON.stringify(value), 4_000);
}

function askAtTerminal(context: Context, policy: Policy): Approve {
  return async ({ tool, input, line = 1 }) => {
    if (!context.isInteractive) throw new Error("there is no terminal; pass --yes");
    const effect = EFFECT_WORDS[statedEffectOf(tool, policy)];
    const head = `Line ${line}: tool ${JSON.stringify(tool.name)} (${effect}) would get:`;
    printOnStderr(context, [head, ...printArguments(input)]);
    return confirm(context, "Call it?", { initial: false });
  };
}
