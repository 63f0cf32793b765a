import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { OpenedToolset } from "../../../serve/open-toolset.js";
import type { Confirm } from "../../../agent/toolset/toolset.js";
import { EFFECT_WORDS } from "../../../core/snapshot.js";
import { McpCodegenError } from "../../../core/errors.js";
import { findOwn, isJsonArray, type JsonObject } from "../../../core/json.js";
import { printable, printJson } from "../../../core/printable.js";
import { statedEffectOf } from "../../../agent/policy/decide.js";
import type { Policy } from "../../../agent/policy/policy.js";
import { findFiles } from "../../../files/read-files.js";
import { readBounded } from "../../../files/read-files.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, redirectConsole } from "../../context.js";
import { wrapLines } from "../../print-text.js";
import { confirm } from "../../prompts.js";
import { openServed, summarizeDrift } from "../serve/serve.js";
import { printArguments } from "./prepare-call.js";
import { createAnswerer } from "./questions.js";
import type { RUN_FLAGS } from "./spec.js";

/** Checks saved scripts, and runs one like a script that a model wrote. */
export const runSavedScript: Runner<typeof RUN_FLAGS> = (context, given, options) =>
  redirectConsole(context.io, async () => {
    const { io } = context;
    const { env, role, yes, check = false } = options;
    const scripts = await readScripts(context, given);
    const [first, ...others] = scripts;
    if (first === undefined || (others.length > 0 && !check))
      throw usageError("run runs one script.", "With --check, name any number of files and globs.");
    const log = (line: string): void => {
      io.stderr.write(`${printable(line, 1_000)}\n`);
    };
    const toolset = await openServed(
      context,
      [],
      { env, role, prefix: "", code: true, allowUnlocked: undefined, writes: yes },
      { log },
    );
    try {
      if (check) return await checkAll(context, toolset, scripts);
      await toolset.loadScriptPackages();
      const answerer = createAnswerer(context, options.answer ?? []);
      const { isError, structuredContent = {} } = await toolset.answer(
        "run_code",
        { code: first.code },
        {
          confirm: yes === true ? undefined : askAtTerminal(context, toolset.policy),
          onInput: answerer.onInput,
          ...(io.signal !== undefined && { signal: io.signal }),
        },
      );
      io.signal?.throwIfAborted();
      // A script may have caught the error, which names the tool otherwise.
      const drift = isError ? undefined : summarizeDrift(toolset.drift);
      if (drift !== undefined) log(drift);
      report(context, first.script, isError, structuredContent);
      return isError ? 1 : 0;
    } finally {
      await toolset.close();
    }
  });

interface SavedCode {
  /** The path from the working folder. */
  readonly script: string;
  readonly code: string;
}

/** Reads the files that paths or globs name. */
async function readScripts({ io }: Context, given: readonly string[]): Promise<readonly SavedCode[]> {
  const found = await Promise.all(
    given.map(async (path) => {
      const files = await findFiles(io.cwd, [path.replaceAll("\\", "/")]);
      if (files.length === 0 && /[*?[{]/.test(path) && !existsSync(resolve(io.cwd, path)))
        throw usageError(`No file matches ${JSON.stringify(path)}.`);
      return files.length > 0 ? files : [path];
    }),
  );
  const paths = [...new Set(found.flat().map((path) => resolve(io.cwd, path)))];
  return Promise.all(
    paths.map(async (path) => {
      const script = relative(io.cwd, path);
      const bytes = await readBounded(path).catch((cause: unknown) => {
        if (cause instanceof McpCodegenError) throw cause;
        throw usageError(`Cannot read ${JSON.stringify(script)}.`, undefined, cause);
      });
      return { script, code: bytes.toString("utf8") };
    }),
  );
}

async function checkAll(
  context: Context,
  { code: tools }: OpenedToolset,
  scripts: readonly SavedCode[],
): Promise<0 | 1> {
  const checked = await Promise.all(
    scripts.map(async ({ script, code }) => ({ script, found: (await tools?.check(code)) ?? [] })),
  );
  for (const { script, found } of checked)
    context.print(
      found.length === 0
        ? [`${script} fits the locked tools.`]
        : found.map(
            ({ line, column, message }) => `${script}:${line}:${column} ${printable(message, 1_000)}`,
          ),
    );
  const issues = checked.flatMap(({ script, found }) => found.map((issue) => ({ script, ...issue })));
  const exitCode = issues.length > 0 ? 1 : 0;
  context.printDocument({ report: "run", exitCode, scripts: scripts.map(({ script }) => script), issues });
  return exitCode;
}

function report(context: Context, script: string, isError: boolean, answer: JsonObject): void {
  const listed = (key: string): readonly string[] => {
    const found = findOwn(answer, key);
    return isJsonArray(found) ? found.map((line) => textOf(line)) : [];
  };
  for (const line of listed("logs")) context.io.stderr.write(`${line}\n`);
  if (!isError) {
    context.printText(`${printJson(findOwn(answer, "result"))}\n`);
    context.printDocument({ report: "run", exitCode: 0, script, ...answer });
    return;
  }
  const made = listed("made");
  context.io.stderr.write(
    `${wrapLines(
      [
        `${script}: ${textOf(findOwn(answer, "message"))}`,
        ...listed("issues").map((issue) => `  ${issue}`),
        ...[findOwn(answer, "hint")].flatMap((hint) => (hint === undefined ? [] : textOf(hint))),
        ...(made.length > 0 ? ["Calls that were made:", ...made.map((call) => `  ${call}`)] : []),
      ],
      context.io.stderr,
    ).join("\n")}\n`,
  );
  context.printDocument({ report: "run", exitCode: 1, script, error: answer });
}

function textOf(value: unknown): string {
  return printable(typeof value === "string" ? value : JSON.stringify(value), 4_000);
}

/** Shows each call that destroys, and asks. */
function askAtTerminal(context: Context, policy: Policy): Confirm {
  return async (tool, args, where) => {
    if (!context.isInteractive) throw new Error("there is no terminal; pass --yes");
    const effect = EFFECT_WORDS[statedEffectOf(tool, policy)];
    const lines = [
      `Line ${where?.line ?? 1}: tool ${JSON.stringify(tool.name)} (${effect}) would get:`,
      ...printArguments(args),
    ];
    context.io.stderr.write(`${wrapLines(lines, context.io.stderr).join("\n")}\n`);
    return confirm(context, "Call it?", { initial: false });
  };
}
