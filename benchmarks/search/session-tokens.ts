/** Prints the tokens that tools cost in a conversation, listed completely and in a session: `npm run report session-tokens` */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import * as z from "zod";
import { systemPrompt, toAnthropicTools } from "../../src/agent/index.js";
import { createToolSession } from "../../src/agent/session/create-tool-session.js";
import { type RegisteredTool } from "../../src/agent/registry/registered-tool.js";
import { type ToolProvider } from "../../src/agent/registry/registry.js";
import { hasPublicTools, readLabelledQueries, readPublicTools } from "./labelled-queries.js";

/** The number of tasks in a conversation. Each takes three requests: a search, a call, an answer. */
const WANTED = 3;
const REQUESTS = 3 * WANTED;

function tokens(value: unknown): number {
  return encode(typeof value === "string" ? value : JSON.stringify(value)).length;
}

/** Every nth public tool, to include all servers. */
function takeTools(count: number): readonly RegisteredTool[] {
  const all = readPublicTools();
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]).flatMap((tool) =>
    tool === undefined
      ? []
      : [
          {
            ...tool,
            inputSchema: (): unknown =>
              typeof tool.inputSchema === "function"
                ? tool.inputSchema()
                : (tool.inputSchema ?? { type: "object" }),
            input: z.looseObject({}),
            isLocked: true,
            call: () => Promise.resolve({ ok: true, value: null }),
          },
        ],
  );
}

function sourceOf(tools: readonly RegisteredTool[]): ToolProvider {
  const source: ToolProvider = {
    environments: [],
    getTools: () => Promise.resolve(tools),
    getTool: (name) => Promise.resolve(tools.find((tool) => tool.name === name)),
    for: () => source,
  };
  return source;
}

interface Conversation {
  /** The tokens of every request before a search. */
  readonly start: number;
  /** The tokens of the last request. */
  readonly end: number;
  /** The tokens of all requests: the prompt's section, definitions and search results so far. */
  readonly whole: number;
}

async function converse(source: ToolProvider, queries: readonly string[]): Promise<Conversation> {
  const session = createToolSession(source);
  const prompt = tokens(await systemPrompt(session));
  const measure = async (): Promise<number> => prompt + tokens(await toAnthropicTools(session));
  const start = await measure();
  let said = 0;
  let whole = 0;
  let end = start;
  for (const query of queries) {
    whole += end + said;
    said += tokens({ query }) + tokens(await session.search({ query }));
    end = await measure();
    whole += 2 * (end + said);
  }
  return { start, end, whole };
}

async function report(count: number): Promise<readonly string[]> {
  const source = sourceOf(takeTools(count));
  const listed = tokens(toAnthropicTools(await source.getTools()));
  const queries = readLabelledQueries().map(({ query }) => query);
  const conversations: Conversation[] = [];
  for (let at = 0; at + WANTED <= queries.length; at += WANTED)
    conversations.push(await converse(source, queries.slice(at, at + WANTED)));
  const mean = (read: (conversation: Conversation) => number): number =>
    conversations.reduce((sum, conversation) => sum + read(conversation), 0) / conversations.length;
  const whole = mean((conversation) => conversation.whole);
  const saved = 100 * (1 - whole / (REQUESTS * listed));
  const cells = [count, listed, mean(({ start }) => start), mean(({ end }) => end), REQUESTS * listed, whole];
  return [...cells.map((cell) => Math.round(cell).toLocaleString("en")), `${saved.toFixed(1)} %`];
}

async function main(): Promise<void> {
  if (!hasPublicTools) {
    process.stdout.write("The lists of public tools are not here.\n");
    return;
  }
  const rows = [];
  for (const count of [75, 300, 1_000]) rows.push(await report(count));
  const head = [
    "tools",
    "listed whole",
    "session, at first",
    "session, at last",
    "9 requests, whole",
    "in a session",
    "saved",
  ];
  const lines = [head, head.map(() => "---:"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  process.stdout.write(`${lines.join("\n")}\n`);
}

await main();
