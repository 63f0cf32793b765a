import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SearchableTool } from "../../src/agent/search/postings.js";

export const STYLES = [
  "verb-object",
  "noun",
  "paraphrase",
  "typo",
  "two intents",
  "question",
  "abbreviation",
  "non-native",
] as const;

export type Style = (typeof STYLES)[number];
export type Split = "tuning" | "test";

/** A query with every tool that answers it. */
export interface LabelledQuery {
  readonly query: string;
  readonly style: Style;
  /** `tuning`: weights and word tables may be fitted to it; `test`: used for the reported figures. */
  readonly split: Split;
  /** For each task in the query, the ids of the tools that do it. */
  readonly tools: readonly (readonly string[])[];
}

export interface PublicTool extends SearchableTool {
  /** `server/tool`. */
  readonly id: string;
}

const LISTS = fileURLToPath(new URL("../../../shared/data/tool-lists/", import.meta.url));

export const hasPublicTools: boolean = existsSync(LISTS);

export function readLabelledQueries(): readonly LabelledQuery[] {
  const text = readFileSync(new URL("queries.jsonl", import.meta.url), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LabelledQuery);
}

/** The tools of fifty public servers, with the names of a registry. */
export function readPublicTools(): readonly PublicTool[] {
  return readdirSync(LISTS)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => {
      const server = file.slice(0, -".json".length);
      const { tools } = JSON.parse(readFileSync(`${LISTS}${file}`, "utf8")) as {
        tools: readonly (Pick<SearchableTool, "title" | "description" | "annotations"> & {
          readonly name: string;
          readonly inputSchema: unknown;
        })[];
      };
      return tools.map(({ name, title, description, annotations, inputSchema }) => ({
        id: `${server}/${name}`,
        name: `${server}__${name}`,
        server,
        ...(title !== undefined && { title }),
        ...(description !== undefined && { description }),
        ...(annotations !== undefined && { annotations }),
        inputSchema: () => inputSchema,
      }));
    });
}
