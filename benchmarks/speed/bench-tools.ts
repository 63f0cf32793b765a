import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface BenchTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

const LISTS = fileURLToPath(new URL("../../../shared/data/tool-lists/", import.meta.url));

/** Returns `count` tools, of public servers if their lists exist, or else synthetic ones. */
export function benchTools(count: number): { readonly source: string; readonly tools: readonly BenchTool[] } {
  if (!existsSync(LISTS))
    return { source: "made-up tools", tools: Array.from({ length: count }, (_, i) => madeUp(i)) };
  const all = publicTools();
  // Every nth tool, to include all servers; numbered, because servers share names.
  const step = all.length / count;
  const tools = Array.from({ length: count }, (_, i) => all[Math.floor(i * step)])
    .filter((tool) => tool !== undefined)
    .map((tool, i) => ({ ...tool, name: `t${i}-${tool.name}`.slice(0, 60) }));
  return { source: "tools of public servers", tools };
}

function publicTools(): readonly BenchTool[] {
  return readdirSync(LISTS)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap(
      (file) =>
        (JSON.parse(readFileSync(`${LISTS}${file}`, "utf8")) as { tools: readonly BenchTool[] }).tools,
    );
}

/** Returns the tool with the largest input schema, of public servers if their lists exist. */
export function largestTool(): BenchTool {
  if (!existsSync(LISTS)) {
    const properties = Array.from({ length: 110 }, (_, i) => [`part${i}`, madeUp(i)["inputSchema"]]);
    const inputSchema = { type: "object", properties: Object.fromEntries(properties) as unknown };
    return { ...madeUp(0), inputSchema };
  }
  const sizeOf = ({ inputSchema }: BenchTool): number => JSON.stringify(inputSchema).length;
  return publicTools().reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
}

function madeUp(index: number): BenchTool {
  const item = {
    type: "object",
    properties: {
      id: { type: "integer", minimum: 1 },
      name: { type: "string", description: "What people call it." },
      state: { type: "string", enum: ["open", "closed"] },
      labels: { type: "array", items: { type: "string" } },
    },
    required: ["id", "name"],
  };
  return {
    name: `record-${index}-update`,
    description: `Changes record type ${index} and returns what it is now.`,
    inputSchema: {
      type: "object",
      properties: {
        item,
        note: { type: ["string", "null"], maxLength: 500 },
        at: { type: "string", format: "date-time" },
        mode: { anyOf: [{ const: "merge" }, { const: "replace" }], default: "merge" },
        page: { type: "integer", minimum: 1, maximum: 100, default: 1 },
      },
      required: ["item"],
    },
    ...(index % 2 === 0 && { outputSchema: item }),
  };
}
