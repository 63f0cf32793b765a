/** Texts at a place in the list of a server, and the rules with findings in them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../../../src/core/change.js";
import type { JsonObject } from "../../../src/core/json.js";
import {
  diffEntryPoison,
  diffIdentityPoison,
  diffToolPoison,
} from "../../../src/drift/security/find-poison.js";

type Place =
  | "tool description"
  | "parameter description"
  | "title"
  | "enum value"
  | "server instructions"
  | "prompt description";

interface PlacedText {
  readonly id: string;
  readonly where: Place;
  readonly text: string;
}

/** Returns the texts of a file in `attacks/`, which has them by their place and name. */
export function readPlacedTexts(name: "held-out" | "benign-held-out"): readonly PlacedText[] {
  const file = readFileSync(join(import.meta.dirname, "attacks", `${name}.json`), "utf8");
  return Object.entries(JSON.parse(file) as Record<Place, Record<string, string>>).flatMap(([where, texts]) =>
    Object.entries(texts).map(([id, text]) => ({ id, where: where as Place, text })),
  );
}

const OPTIONS = { server: "shop", own: new Set(["add"]), others: new Set<string>() };

/** Returns the findings in a text at its place. */
export function findAt({ where, text }: PlacedText): readonly Change[] {
  const inTool = (keys: JsonObject): readonly Change[] =>
    diffToolPoison(
      undefined,
      [{ name: "add", description: "Adds.", inputSchema: { type: "object" }, ...keys }],
      OPTIONS,
    );
  const inParameter = (keys: JsonObject): readonly Change[] =>
    inTool({ inputSchema: { type: "object", properties: { value: { type: "string", ...keys } } } });
  switch (where) {
    case "tool description":
      return inTool({ description: text });
    case "title":
      return inTool({ title: text });
    case "parameter description":
      return inParameter({ description: text });
    case "enum value":
      return inParameter({ enum: ["default", text] });
    case "server instructions":
      return diffIdentityPoison(
        undefined,
        { serverInfo: {}, protocolVersion: "", capabilities: {}, instructions: text },
        OPTIONS,
      );
    case "prompt description":
      return diffEntryPoison(undefined, { prompts: { report: { description: text } } }, OPTIONS);
    default:
      return where satisfies never;
  }
}
