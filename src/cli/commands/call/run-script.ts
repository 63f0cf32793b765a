import { relative, resolve } from "node:path";
import type { Confirm } from "../../../agent/toolset/toolset.js";
import { EFFECT_WORDS } from "../../../core/snapshot.js";
import { McpCodegenError } from "../../../core/errors.js";
import { findOwn, isJsonArray, type JsonObject } from "../../../core/json.js";
import { printable, printJson } from "../../../core/printable.js";
import { statedEffectOf } from "../../../agent/policy/decide.js";
import type { Policy } from "../../../agent/policy/policy.js";
import { readBounded } from "../../../files/read-bounded.js";
import { type Runner, usageError } from "../../command-spec.js";
import { type Context, redirectConsole } from "../../context.js";
import { wrapLines } from "../../print-text.js";
import { confirm } from "../../prompts.js";
import { openServed } from "../serve/serve.js";
import { printArguments } from "./prepare-call.js";
import { createAnswerer } from "./questions.js";
import type { RUN_FLAGS } from "./spec.js";

/** Checks a saved script, and runs it like one that a model wrote. */
export const runSavedScript: Runner<typeof RUN_FLAGS> = (context, [path = ""], options) =>
  redirectConsole(context.io, async () => {
    const { io } = context;
    const file = resolve(io.cwd, path);
    const code = await readBounded(file).catch((cause: unknown) => {
      if (cause instanceof McpCodegenError) throw cause;
      throw usageError(`Cannot read ${JSON.stringify(path)}.`, undefined, cause);
    });
    const log = (line: string): void => {
      io.stderr.write(`${printable(line, 1_000)}\n`);
    };
    const { env, role, yes } = options;
    const toolset = await openServed(
      context,
      [],
      { env, role, prefix: "", code: true, allowUnlocked: undefined },
      log,
    );
    const script = relative(io.cwd, file);
    try {
      if (options.check === true) {
        const issues = (await toolset.code?.check(code.toString("utf8"))) ?? [];
        const lines = issues.map(
          ({ line, column, message }) => `${script}:${line}:${column} ${printable(message, 1_000)}`,
        );
        context.print(lines.length > 0 ? lines : [`${script} fits the locked tools.`]);
        const exitCode = issues.length > 0 ? 1 : 0;
        context.printDocument({ report: "run", exitCode, script, issues });
        return exitCode;
      }
      await toolset.loadScriptPackages();
      const answerer = createAnswerer(context, options.answer ?? []);
      const { isError, structuredContent = {} } = await toolset.answer(
        "run_code",
        { code: code.toString("utf8") },
        {
          confirm: yes === true ? undefined : askAtTerminal(context, toolset.policy),
          onInput: answerer.onInput,
          ...(io.signal !== undefined && { signal: io.signal }),
        },
      );
      io.signal?.throwIfAborted();
      report(context, script, isError, structuredContent);
      return isError ? 1 : 0;
    } finally {
      await toolset.close();
    }
  });

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
