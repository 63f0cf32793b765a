/** What turns texts into vectors whose directions say what the texts mean: a model at hand, or somebody's API. */
export interface Embedder {
  /** Which model this is, with its version: vectors of another are of no use. */
  readonly id: string;
  /** How many numbers a vector has. */
  readonly dimensions: number;
  /** A vector for each text, in their order. Their lengths do not matter. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>;
}
