/** Returns tools as listed by an SDK server with Zod schemas. */
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import type { ToolSnapshot } from "../../src/core/snapshot.js";

const RESOURCES = [
  "order",
  "customer",
  "product",
  "invoice",
  "ticket",
  "article",
  "event",
  "project",
  "task",
];

const Id = z.number().int().positive();
const Page = {
  page: z.number().int().min(1).default(1).describe("Page of the results."),
  per_page: z.number().int().min(1).max(100).default(20),
};
const Fields = {
  title: z.string().min(1).max(200),
  body: z.string().optional().describe("Text in Markdown."),
  status: z.enum(["draft", "open", "closed"]).default("draft"),
  owner_id: z.number().int().optional(),
  priority: z.number().int().optional(),
  tags: z.array(z.string()).optional(),
  due_at: z.iso.datetime().optional(),
  labels: z.record(z.string(), z.string()).optional(),
};

/** Five tools for each of nine resources: list, get, create, update and delete. */
export async function listZodTools(): Promise<readonly ToolSnapshot[]> {
  const server = new McpServer({ name: "zod", version: "1.0.0" });
  const register = (name: string, description: string, inputSchema: z.ZodObject): void => {
    server.registerTool(name, { description, inputSchema }, () => ({ content: [] }));
  };
  for (const name of RESOURCES) {
    register(
      `list_${name}s`,
      `List ${name}s, newest first.`,
      z.object({ ...Page, status: Fields.status.optional(), since: z.iso.date().optional() }),
    );
    register(`get_${name}`, `Get one ${name} by its id.`, z.object({ id: Id }));
    register(`create_${name}`, `Create a ${name}.`, z.object(Fields));
    register(
      `update_${name}`,
      `Update some fields of a ${name}.`,
      z.object({ id: Id, ...z.object(Fields).partial().shape }),
    );
    register(
      `delete_${name}`,
      `Delete a ${name}. This cannot be undone.`,
      z.object({ id: Id, force: z.boolean().default(false) }),
    );
  }
  const client = new Client({ name: "tokens", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  try {
    // As received over the wire.
    return JSON.parse(JSON.stringify((await client.listTools()).tools)) as readonly ToolSnapshot[];
  } finally {
    await client.close();
    await server.close();
  }
}
