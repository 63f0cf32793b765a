import type { SearchableTool } from "./postings.js";
import { splitWords } from "../../vocabulary/split-words.js";

/** Turns texts into vectors that are near each other when the texts mean similar things: a local model, or an API. */
export interface Embedder {
  /** Returns one vector per text, in the same order. Their lengths do not matter; their dimensions must be equal. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

/** Models cut longer texts, and the first sentences carry most of the meaning. */
const LONGEST_TEXT = 240;
/** Texts per call of the embedder, so that a local model needs little memory and an API accepts the request. */
const BATCH = 32;

/** Returns one unit vector per tool, in the order of the tools. Throws what the embedder throws. */
export async function embedTools(
  tools: readonly SearchableTool[],
  embedder: Embedder,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let at = 0; at < tools.length; at += BATCH)
    vectors.push(...(await embedAll(tools.slice(at, at + BATCH).map(textToEmbed), embedder)));
  return vectors;
}

/** Returns, for each intent of a query, the cosine of its vector with that of each tool. */
export async function measureNearness(
  intents: readonly { readonly text: string }[],
  tools: readonly Float32Array[],
  embedder: Embedder,
): Promise<readonly Float32Array[]> {
  if (intents.length === 0) return [];
  const vectors = await embedAll(
    intents.map(({ text }) => text),
    embedder,
  );
  return vectors.map((vector) => Float32Array.from(tools, (tool) => dotProduct(tool, vector)));
}

/** The words of the tool's name, its title, and the beginning of its description. */
function textToEmbed({ name, server, title, description }: SearchableTool): string {
  const own = server !== undefined && name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
  const parts = [splitWords(own).join(" "), title ?? "", (description ?? "").replace(/\s+/g, " ")];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(". ")
    .slice(0, LONGEST_TEXT);
}

async function embedAll(texts: readonly string[], embedder: Embedder): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts);
  if (vectors.length !== texts.length)
    throw new Error(`The embedder returned ${vectors.length} vectors for ${texts.length} texts.`);
  return vectors.map(toUnit);
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}
