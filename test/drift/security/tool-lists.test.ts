/** How often the rules object to tools that mean no harm. Prints the rate; the goal is less than one tool in a hundred. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/contract/json.js";
import type { ToolSnapshot } from "../../../src/contract/snapshot.js";
import { findPoison } from "../../../src/drift/security/find-poison.js";

const FOLDER = "../shared/data/tool-lists/";

interface List {
  readonly file: string;
  readonly tools: readonly ToolSnapshot[];
  readonly serverInfo?: JsonObject;
  readonly instructions?: string | null;
}

const lists: readonly List[] = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((file) => file.endsWith(".json"))
      .map((file) => ({ file, ...(JSON.parse(readFileSync(FOLDER + file, "utf8")) as Omit<List, "file">) }))
  : [];

describe.skipIf(lists.length === 0)(`tools of public servers, all of them new (needs ${FOLDER})`, () => {
  it("are objected to less than once in a hundred, and never without something in them that is hidden", () => {
    const found = lists.flatMap(({ file, tools, serverInfo = {}, instructions }) => {
      const options = {
        server: file,
        own: new Set(tools.map(({ name }) => name)),
        others: new Set<string>(),
      };
      const words = { serverInfo, instructions: instructions ?? "" };
      return [
        ...findPoison(words, "", options).map((poison) => ({ ...poison, tool: `${file} itself` })),
        ...tools.flatMap((tool) =>
          findPoison(tool, "", { ...options, tool: tool.name }).map((poison) => ({
            ...poison,
            tool: `${file} ${tool.name}`,
          })),
        ),
      ];
    });
    const total = lists.reduce((sum, { tools }) => sum + tools.length, 0);
    const flagged = new Set(found.map(({ tool }) => tool)).size;
    const rules = found.map(({ rule, tool }) => `${rule} in ${tool}`);
    process.stdout.write(
      `${flagged} of ${total} tools of public servers flagged (${((100 * flagged) / total).toFixed(2)} %): ${rules.join(", ")}\n`,
    );
    expect(flagged / total).toBeLessThan(0.01);
    expect(found.filter(({ rule }) => rule !== "poison-hidden-unicode")).toEqual([]);
  });
});
