import { getOwn } from "../../contract/json.js";
import { VECTORS_VERSION, type ToolVectors } from "./tool-vectors.js";
import type { Embedder } from "./embedder.js";
import type { SearchableTool } from "./searchable-tool.js";
import { splitWords } from "./split-words.js";
import { printVector } from "./vector-text.js";

/** Embedders cut longer texts, and the first sentences say most. */
const LONGEST_TEXT = 240;
/** So many texts at a time, so that a model needs little memory and an API takes the call. */
const BATCH = 32;

/** What of a tool is embedded: the words of its name, its title, and how its description begins. */
export function embeddedText({ name, server, title, description }: SearchableTool): string {
  const own = server !== undefined && name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
  const parts = [splitWords(own).join(" "), title ?? "", (description ?? "").replace(/\s+/g, " ")];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(". ")
    .slice(0, LONGEST_TEXT);
}

/** What a tool's vector is filed under: a digest of its text alone, so that other changes of a tool keep its vector. */
export async function digestOfText(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The vectors of tools, of which those that are known already are not made again, and those of other tools left out. */
export async function embedTools(
  tools: readonly SearchableTool[],
  embedder: Embedder,
  known?: ToolVectors,
): Promise<{ readonly vectors: ToolVectors; readonly embedded: number }> {
  const { id, dimensions } = embedder;
  const isKnown = known?.embedder === id && known.dimensions === dimensions;
  const texts = new Map<string, string>();
  for (const text of tools.map(embeddedText)) texts.set(await digestOfText(text), text);
  const vectors = new Map<string, string>();
  const missing: (readonly [digest: string, text: string])[] = [];
  for (const [digest, text] of texts) {
    const vector = isKnown ? getOwn(known.vectors, digest) : undefined;
    if (vector === undefined) missing.push([digest, text]);
    else vectors.set(digest, vector);
  }
  for (let at = 0; at < missing.length; at += BATCH) {
    const batch = missing.slice(at, at + BATCH);
    const made = await embedder.embed(batch.map(([, text]) => text));
    batch.forEach(([digest], i) => {
      const vector = made[i];
      if (vector?.length !== dimensions)
        throw new Error(
          `The embedder "${id}" gave ${vector?.length ?? "no"} numbers where it announced ${dimensions}.`,
        );
      vectors.set(digest, printVector(vector));
    });
  }
  return {
    vectors: {
      vectorsVersion: VECTORS_VERSION,
      embedder: id,
      dimensions,
      vectors: Object.fromEntries(vectors),
    },
    embedded: missing.length,
  };
}
