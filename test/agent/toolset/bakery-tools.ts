import * as z from "zod";
import type { RegisteredTool } from "../../../src/core/tool.js";
import { fakeTool, READS } from "../adapters/fake-tool.js";

const POST = z.object({
  title: z.string(),
  status: z.enum(["draft", "publish"]).optional(),
  meta: z.object({ tags: z.array(z.string()) }).optional(),
});

function served(server: string, own: string, more: Partial<RegisteredTool>): RegisteredTool {
  return fakeTool(`${server}__${own}`, { server, contract: "1.2.0", ...more });
}

function taking(schema: z.ZodType): Pick<RegisteredTool, "input" | "inputSchema"> {
  return { input: schema, inputSchema: () => z.toJSONSchema(schema) };
}

/** Tools of a blog, of a shop and of the program's own. */
export function bakeryTools(): readonly RegisteredTool[] {
  return [
    fakeTool("clock", {
      description: "Returns the time.",
      category: "core",
      ...READS,
      output: z.object({ now: z.string() }),
      call: () => Promise.resolve({ ok: true, value: { now: "12:00" } }),
    }),
    served("blog", "create_post", {
      description: "Creates a post. It is a draft until it is published.",
      category: "content",
      annotations: { destructiveHint: false },
      ...taking(POST),
      output: z.object({ id: z.number() }),
      outputSchema: () => ({ type: "object", properties: { id: { type: "integer" } }, required: ["id"] }),
      call: async (input) => {
        const { error } = await POST.safeParseAsync(input);
        if (error === undefined) return { ok: true, value: { id: 7 } };
        const message = 'The input of tool "create_post" is invalid';
        return { ok: false, error: { code: "TOOL_INVALID_INPUT", message, retryable: false, tool: "create_post", server: "blog", issues: error.issues } }; // prettier-ignore
      },
    }),
    served("blog", "delete_post", {
      description: "Deletes a post.",
      category: "content",
      ...taking(z.object({ id: z.number() })),
    }),
    served("blog", "list_posts", { description: "Lists posts.", category: "content", ...READS }),
    served("shop", "list_orders", { description: "Lists orders.", category: "commerce", ...READS }),
    served("shop", "refund_order", { description: "Pays an order back.", category: "commerce" }),
  ];
}
