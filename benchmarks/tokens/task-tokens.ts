/**
 * Prints what twelve tasks cost a model in requests and tokens, by the way in which it sees its tools: `npm run report tasks`, and with
 * `-- --write` into the documentation. A script replaces the model and makes the calls of an attentive one: figures of a real model
 * are higher. The tools of the tasks are called; the others come from public servers and only fill the lists.
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { createCodeTools } from "mcp-codegen/agent/code";
import * as z from "zod";
import { connect } from "../../generated/example/index.js";
import {
  callAnthropicTools,
  createToolset,
  systemPrompt,
  toAnthropicTools,
  type ToolSource,
} from "../../src/agent/index.js";
import type { RegisteredTool } from "../../src/core/tool.js";
import { registerTool } from "../../src/agent/registry/registered-tool.js";
import type { SearchableTool } from "../../src/agent/search/postings.js";
import type { ToolView } from "../../src/agent/registry/registry.js";
import { isTool } from "../../src/runtime/tool.js";
import { startBakery } from "../../test/agent/adapters/start-bakery.js";
import { hasPublicTools, readPublicTools } from "../search/labelled-queries.js";
import { writeTable } from "./write-table.js";
import { TASKS, type Call, type Task } from "./tasks.js";
import { openView } from "../../src/agent/registry/tool-view.js";

const STYLES = ["plain", "session", "deferred", "toolset", "code"] as const;
type Style = (typeof STYLES)[number];
const COUNTS = [12, 1_000];
/** What providers charge for a token that they read from their cache. */
const CACHED = 0.1;

interface Cost {
  requests: number;
  input: number;
  /** The same if the provider caches what a request has in common with the one before. */
  billed: number;
  output: number;
}

/** A conversation that is resent whole with each request. */
class Conversation {
  readonly cost: Cost = { requests: 0, input: 0, billed: 0, output: 0 };
  readonly #messages: string[] = [];
  /** The last request, of which the provider keeps what it has in common with the next one. */
  #sent: readonly string[];

  constructor(request: string, sent: readonly string[]) {
    this.#messages.push(request);
    this.#sent = sent;
  }

  get sent(): readonly string[] {
    return this.#sent;
  }

  /** Sends all messages with `head`: the definitions and the prompt. The model answers with `said`, and reads `told`. */
  request(head: readonly string[], said: string, told: readonly string[] = []): void {
    const parts = [...head, ...this.#messages];
    const changed = parts.findIndex((part, at) => part !== this.#sent[at]);
    const kept = changed === -1 ? parts.length : changed;
    const sizes = parts.map(countTokens);
    const sum = (from: number, to?: number): number =>
      sizes.slice(from, to).reduce((total, size) => total + size, 0);
    this.cost.requests += 1;
    this.cost.input += sum(0);
    this.cost.billed += CACHED * sum(0, kept) + sum(kept);
    this.cost.output += countTokens(said);
    this.#sent = parts;
    this.#messages.push(said, ...told);
  }
}

const counted = new Map<string, number>();
function countTokens(text: string): number {
  const known = counted.get(text) ?? encode(text).length;
  counted.set(text, known);
  return known;
}

/** Plays a task in one style. */
async function play(conversation: Conversation, task: Task, source: ToolView, style: Style): Promise<void> {
  switch (style) {
    case "plain":
      return playDirectly(conversation, task, source);
    case "session":
      return playSession(conversation, task, source);
    case "deferred":
      return playDeferred(conversation, task, source);
    case "toolset":
      return playToolset(conversation, task, source);
    case "code":
      return playCode(conversation, task, source);
    default:
      return style satisfies never;
  }
}

async function playDirectly(conversation: Conversation, task: Task, source: ToolSource): Promise<void> {
  const head = await headOf(source);
  for (const calls of task.turns)
    conversation.request(head, JSON.stringify(calls), await makeCalls(source, calls));
  conversation.request(head, task.answer);
}

/** Found tools join the definitions, so the provider's cache ends before them. */
async function playSession(conversation: Conversation, task: Task, source: ToolView): Promise<void> {
  const session = createToolset(source, { show: "found" });
  await findTools(task, async (queries) => {
    const head = await headOf(session);
    const calls = queries.map((query) => ["search_tools", { query }] as const);
    conversation.request(head, JSON.stringify(calls), await makeCalls(session, calls));
    return session.found;
  });
  for (const calls of task.turns)
    conversation.request(await headOf(session), JSON.stringify(calls), await makeCalls(session, calls));
  conversation.request(await headOf(session), task.answer);
}

/** As a session, but the provider puts the definition of a found tool where the answer of the search refers to it. */
async function playDeferred(conversation: Conversation, task: Task, source: ToolView): Promise<void> {
  const session = createToolset(source, { show: "found" });
  const head = await headOf(session);
  await findTools(task, async (queries) => {
    const before = session.found;
    for (const query of queries) await session.search({ query });
    const added = session.found.filter((name) => !before.includes(name));
    const found = (await session.getTools()).filter(({ name }) => added.includes(name));
    const told = (await toAnthropicTools(found)).map((tool) => JSON.stringify(tool));
    conversation.request(head, JSON.stringify(queries.map((query) => ["search_tools", { query }])), told);
    return session.found;
  });
  for (const calls of task.turns)
    conversation.request(head, JSON.stringify(calls), await makeCalls(session, calls));
  conversation.request(head, task.answer);
}

async function playToolset(conversation: Conversation, task: Task, source: ToolView): Promise<void> {
  const toolset = createToolset(source, { policy: { writes: true } });
  const head = await headOf(toolset);
  const ask = async (calls: readonly Call[]): Promise<void> => {
    conversation.request(head, JSON.stringify(calls), await makeCalls(toolset, calls));
  };
  await findTools(task, async (queries) => {
    await ask(queries.map((query) => ["search_tools", { query }]));
    const answers = queries.map((query) => toolset.answer("search_tools", { query }));
    return (await Promise.all(answers)).flatMap(({ structuredContent }) => namesIn(structuredContent));
  });
  if (task.tools.length > 0) await ask([["describe_tools", { tools: task.tools, format: "typescript" }]]);
  for (const calls of task.turns) await ask(calls.map(([tool, args]) => ["execute", { tool, args }]));
  conversation.request(head, task.answer);
}

/** Searches, then runs one script for the calls of all turns that do not depend on what a model thinks of an answer. */
async function playCode(conversation: Conversation, task: Task, source: ToolView): Promise<void> {
  const code = createCodeTools(source, {
    policy: { writes: true },
  });
  const head = await headOf(code);
  await findTools(task, async (queries) => {
    const calls = queries.map((query) => ["search_api", { query }] as const);
    const answers = await makeCalls(code, calls);
    conversation.request(head, JSON.stringify(calls), answers);
    return task.tools.filter((name) => answers.some((answer) => answer.includes(`${pathOf(name)}(`)));
  });
  for (const script of task.scripts) {
    const calls = [["run_code", { code: script }]] as const;
    const answers = await makeCalls(code, calls);
    conversation.request(head, JSON.stringify(calls), answers);
    // A model makes one mistake in two of the tasks.
    const isInvalid = answers.some((answer) => answer.includes("SCRIPT_INVALID"));
    if (isInvalid && script === task.scripts.at(-1)) throw new Error(`${task.name}: ${answers.join()}`);
  }
  conversation.request(head, task.answer);
}

function pathOf(tool: string): string {
  return tool.replace("__", ".").replaceAll(/-./g, (part) => part.slice(1).toUpperCase());
}

/** Searches with the words of the task in one turn, and in another one for the tools that were not found. */
async function findTools(
  task: Task,
  search: (queries: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const found = await search(task.queries);
  const missing = task.tools.filter((name) => !found.includes(name));
  if (missing.length > 0) await search(missing.map((name) => name.replaceAll(/_+|-/g, " ")));
}

function namesIn(answer: unknown): readonly string[] {
  const { tools = [] } = answer as { readonly tools?: readonly { readonly name: string }[] };
  return tools.map(({ name }) => name);
}

async function headOf(source: ToolSource): Promise<readonly string[]> {
  const tools = await toAnthropicTools(source);
  return [...[tools].flat().map((tool) => JSON.stringify(tool)), await systemPrompt(source)];
}

async function makeCalls(source: ToolSource, calls: readonly Call[]): Promise<readonly string[]> {
  const content = calls.map(([name, input], at) => ({ type: "tool_use", id: `toolu_${at}`, name, input }));
  const answers = await callAnthropicTools(source, content, { approve: () => true });
  return answers.map((answer) => JSON.stringify(answer));
}

/** The tools of the tasks, and public ones up to a number. */
async function listTools(count: number, end: (() => Promise<void>)[]): Promise<readonly RegisteredTool[]> {
  const bakery = await startBakery();
  end.push(() => bakery.end());
  const own = Object.values(connect({ client: bakery }))
    .filter(isTool)
    .map((tool) => {
      const server = /post|comment/.test(tool.definition.name) ? "blog" : "shop";
      return registerTool(tool, `${server}__${tool.definition.name}`, server);
    });
  const all = readPublicTools();
  const fill = Array.from(
    { length: count - own.length },
    (_, at) => all[Math.floor((at * all.length) / (count - own.length))],
  );
  return [
    ...own,
    ...fill.flatMap((tool): readonly RegisteredTool[] =>
      tool === undefined
        ? []
        : [
            {
              ...tool,
              inputSchema: () => readSchema(tool.inputSchema),
              input: z.looseObject({}),
              isLocked: true,
              call: () => Promise.resolve({ ok: true, value: null }),
            },
          ],
    ),
  ];
}

function readSchema(schema: SearchableTool["inputSchema"]): unknown {
  return typeof schema === "function" ? schema() : (schema ?? { type: "object" });
}

async function measure(count: number): Promise<readonly string[]> {
  const rows: string[] = [];
  for (const style of STYLES) {
    const total = { requests: 0, input: 0, billed: 0 };
    let sent: readonly string[] = [];
    for (const task of TASKS) {
      // Tasks write, so each has servers of its own.
      const end: (() => Promise<void>)[] = [];
      const conversation = new Conversation(task.request, sent);
      await play(conversation, task, openView(await listTools(count, end)), style);
      await Promise.all(end.map((each) => each()));
      const { cost } = conversation;
      sent = conversation.sent;
      if (process.argv.includes("--tasks"))
        process.stdout.write(`${count} ${style} ${task.name}: ${JSON.stringify(cost)}\n`);
      total.requests += cost.requests;
      total.input += cost.input;
      total.billed += cost.billed;
    }
    const cells = [count, total.requests, total.input, total.billed];
    const [tools, ...figures] = cells.map((cell) => Math.round(cell).toLocaleString("en"));
    rows.push(`| ${[tools, style, ...figures].join(" | ")} |`);
  }
  return rows;
}

if (hasPublicTools) {
  const rows = [];
  for (const count of COUNTS) rows.push(...(await measure(count)));
  await writeTable("docs/toolsets.md", "tasks", [
    "| tools | shown | requests | input tokens | with a prompt cache |",
    "| ---: | --- | ---: | ---: | ---: |",
    ...rows,
  ]);
} else {
  process.stdout.write("Skipped: ../shared/data/tool-lists is not there, whose tools fill the lists.\n");
}
