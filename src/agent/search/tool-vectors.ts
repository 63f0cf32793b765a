import { isJsonObject, type JsonValue } from "../../contract/json.js";

export const VECTORS_VERSION = 1;

/** What the locked tools mean, as the vectors of one embedder: derived from the lock, and kept because it takes long. */
export interface ToolVectors {
  readonly vectorsVersion: number;
  /** The id of the embedder that made them. */
  readonly embedder: string;
  readonly dimensions: number;
  /** By the digest of the text that was embedded: each number as a signed byte, in base64. */
  readonly vectors: { readonly [digest: string]: string };
}

/** One line for each vector, sorted, so that two branches that embed other tools merge. */
export function formatToolVectors({ vectorsVersion, embedder, dimensions, vectors }: ToolVectors): string {
  const sorted = Object.entries(vectors).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ vectorsVersion, embedder, dimensions, vectors: Object.fromEntries(sorted) }, undefined, 2)}\n`;
}

/** Undefined for what is no such file, or one of another version: it can be made anew. */
export function parseToolVectors(text: string): ToolVectors | undefined {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isJsonObject(json)) return undefined;
  const { vectorsVersion, embedder, dimensions, vectors } = json as Record<string, JsonValue | undefined>;
  if (vectorsVersion !== VECTORS_VERSION || typeof embedder !== "string" || typeof dimensions !== "number")
    return undefined;
  if (!isJsonObject(vectors ?? null)) return undefined;
  const entries = Object.entries(vectors ?? {}).flatMap(([digest, vector]) =>
    typeof vector === "string" ? [[digest, vector] as const] : [],
  );
  return { vectorsVersion, embedder, dimensions, vectors: Object.fromEntries(entries) };
}
