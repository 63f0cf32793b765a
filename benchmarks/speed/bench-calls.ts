import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  createPost,
  type CreatePostInput,
  type CreatePostOutput,
} from "../../generated/example/create-post.js";

const CALLS = 3_000;
/** Microseconds that a generated function may take over the client's own `callTool`. */
const GOAL = 50;

const INPUT: CreatePostInput = {
  title: "Rolls",
  content: "<p>Round.</p>",
  tags: ["bread", "morning"],
  featured_image: { url: "https://example.com/rolls.jpg", alt: "Rolls on a tray" },
};
const OUTPUT: CreatePostOutput = {
  id: 12,
  title: "Rolls",
  content: "<p>Round.</p>",
  excerpt: null,
  status: "draft",
  tags: ["bread", "morning"],
  featured_image: { url: "https://example.com/rolls.jpg", alt: "Rolls on a tray" },
  created_at: "2026-01-01T08:00:00Z",
  updated_at: "2026-01-01T08:00:00Z",
};

/** Measures the cost of validation in a call: a generated function against the client's `callTool`. */
export async function measureCalls(): Promise<string> {
  const client = await connectInMemory();
  const bare = (): Promise<unknown> => client.callTool({ name: "create-post", arguments: { ...INPUT } });
  const wrapped = (): Promise<unknown> => createPost(INPUT, { client });
  for (let call = 0; call < CALLS; call += 1) await Promise.all([bare(), wrapped()]);
  const times: { readonly bare: number[]; readonly wrapped: number[] } = { bare: [], wrapped: [] };
  // Alternate, so that a busy moment of the machine affects both.
  for (let call = 0; call < CALLS; call += 1) {
    times.bare.push(await timeOf(bare));
    times.wrapped.push(await timeOf(wrapped));
  }
  await client.close();
  const [alone, checked] = [medianOf(times.bare), medianOf(times.wrapped)];
  const over = checked - alone;
  const verdict = over < GOAL ? "meets" : "MISSES";
  return `a call of an in-memory server, median of ${CALLS.toLocaleString("en")}: callTool ${alone.toFixed(0)} µs, generated function ${checked.toFixed(0)} µs; ${over.toFixed(0)} µs more, ${verdict} < ${GOAL} µs`;
}

/** Returns a client whose server answers at once, to measure only the client. */
async function connectInMemory(): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "bench", version: "1.0.0" },
    },
    "tools/call": {
      content: [{ type: "text", text: JSON.stringify(OUTPUT) }],
      structuredContent: OUTPUT,
    },
  };
  far.onmessage = (message) => {
    if (!("method" in message) || !("id" in message)) return;
    void far.send({ jsonrpc: "2.0", id: message.id, result: { ...results[message.method] } });
  };
  await far.start();
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(near);
  return client;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1000;
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
