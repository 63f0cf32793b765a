import {
  createCodeTools,
  type CodeExecutor,
  type CodeTools,
  type CodeToolsOptions,
} from "mcp-codegen/agent/code";
import type * as Threads from "node:worker_threads";
import ts from "typescript";
import { vi } from "vitest";
import type { RegisteredTool, ToolAnswer } from "../../src/agent/index.js";
import { isJsonObject, type JsonObject } from "../../src/core/json.js";
import { lazySchema } from "../../src/agent/registry/registered-tool.js";
import { describeIssues, findIssues } from "../../src/schema/validation/schema.js";

const POST: JsonObject = {
  type: "object",
  properties: { id: { type: "integer" }, title: { type: "string" }, author: { type: "string" } },
  required: ["id", "title"],
  additionalProperties: false,
};

const objectOf = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  ...{ properties, required, additionalProperties: false },
});

/** Calls that reached a tool, with the line of the script. */
export interface Made {
  readonly tool: string;
  readonly args: unknown;
  readonly line: number | undefined;
}

export interface Shop {
  readonly tools: readonly RegisteredTool[];
  readonly made: Made[];
}

/** A shop with tools that read, write and destroy; `answer` may replace the result of a call. */
export function createShop(answer: (tool: string, args: JsonObject) => unknown = () => undefined): Shop {
  const made: Made[] = [];
  const tool = (
    own: string,
    inputSchema: JsonObject,
    outputSchema: JsonObject | undefined,
    annotations: NonNullable<RegisteredTool["annotations"]>,
    work: (args: JsonObject) => unknown,
  ): RegisteredTool => {
    const input = lazySchema(() => inputSchema);
    return {
      ...{ name: `shop__${own}`, server: "shop", isLocked: true, contract: "1.0.0", annotations, input },
      description: `${own.replace(/[-_]/g, " ")}: a tool of the shop.`,
      inputSchema: () => inputSchema,
      ...(outputSchema && { output: lazySchema(() => outputSchema), outputSchema: () => outputSchema }),
      call: async (given, options) => {
        const args = isJsonObject(given) ? given : {};
        const issues = await findIssues(input, given);
        const failed = { retryable: false, tool: own, server: "shop" };
        if (issues.length > 0) {
          const message = `The input of tool "${own}" is invalid: ${describeIssues(issues)}`;
          return { ok: false, error: { ...failed, code: "TOOL_INVALID_INPUT", message, issues } };
        }
        made.push({ tool: own, args, line: options?.line });
        try {
          const value = (await answer(own, args)) ?? (await work(args));
          return outputSchema === undefined
            ? { ok: true, value: { text: value, content: [{ type: "text", text: value }] } }
            : { ok: true, value };
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          return { ok: false, error: { ...failed, code: "TOOL_EXECUTION_FAILED", message } };
        }
      },
    };
  };
  const id = { id: { type: "integer" } } as const;
  const [reads, writes, destroys] = [
    { readOnlyHint: true },
    { readOnlyHint: false, destructiveHint: false },
    { destructiveHint: true },
  ];
  const post = (number: unknown): JsonObject => {
    if (typeof number !== "number" || number > 9) throw new Error(`There is no post ${String(number)}.`);
    return { id: number, title: `Post ${number}` };
  };
  const list = objectOf({
    per_page: { type: "integer" },
    status: { enum: ["draft", "publish"] },
    tags: { type: "array", items: { type: "string" } },
  });
  const tools = [
    tool("list-posts", list, objectOf({ posts: { type: "array", items: POST } }, ["posts"]), reads, () => ({
      posts: [1, 2, 3].map(post),
    })),
    tool("get_post", objectOf(id, ["id"]), POST, reads, (args) => post(args["id"])),
    tool("find_post", objectOf(id, ["id"]), { anyOf: [POST, { type: "null" }] }, reads, (args) =>
      post(args["id"]),
    ),
    tool("create_post", objectOf({ title: { type: "string" }, meta: {} }, ["title"]), POST, writes, () =>
      post(9),
    ),
    tool("delete_post", objectOf(id, ["id"]), undefined, destroys, () => "deleted"),
    tool("read_raw", objectOf(id), undefined, reads, () => '{"rows":[1,2]}'),
    tool("echo", { type: "object" }, { type: "object" }, reads, (args) => args),
  ];
  return { tools, made };
}

export function createCode(shop: Shop, options: CodeToolsOptions = {}): CodeTools {
  return createCodeTools(shop.tools, { policy: { writes: true }, ...options });
}

/** Threads are files of the build. */
vi.doMock("node:worker_threads", async (original) => {
  const threads = await original<typeof Threads>();
  class Worker extends threads.Worker {
    constructor(file: URL, options: object) {
      super(new URL(file.href.replace("/src/", "/dist/")), options);
    }
  }
  return { ...threads, Worker };
});

/** Puts a script that the check would refuse in the place of a harmless one, to see what the engine does with it. */
export function uncheck(script: string): { readonly code: string; readonly executor: CodeExecutor } {
  const typed = `(async function script() {\n${script}\n});`;
  const code = ts.transpile(typed, { target: ts.ScriptTarget.ES2022 });
  return {
    code: "1;\n".repeat(script.split("\n").length),
    executor: {
      execute: async (task) => {
        const { quickJs } = await import("../../src/code-mode/executor.js");
        return quickJs.execute({ ...task, code });
      },
    },
  };
}

/** What the structured content says; the text must say the same. */
export function readAnswer({ content, structuredContent }: ToolAnswer): JsonObject {
  const text: unknown = JSON.parse(content[0]?.text ?? "null");
  if (!isJsonObject(text) || JSON.stringify(text) !== JSON.stringify(structuredContent))
    throw new Error("The text and the structured content differ.");
  return text;
}

/** The texts of a list in an answer, one on each line. */
export function linesOf(answer: JsonObject, key: string): string {
  const found = answer[key];
  return Array.isArray(found) ? found.join("\n") : "";
}
