import type { LoadedConfig } from "../config/load-config.js";
import type { Lockfile } from "../contract/lockfile.js";
import type { GenerateReport, StaleFile } from "./reports.js";

/** Embeds the tools last, where that is asked for: lock and files are whole without their vectors. */
export async function withVectors(
  report: GenerateReport,
  loaded: LoadedConfig,
  lock: () => Lockfile,
): Promise<GenerateReport> {
  const embedder = loaded.config.search?.embedder;
  if (embedder === undefined) return report;
  const { embedLockedTools } = await import("./embed-locked-tools.js");
  return { ...report, vectors: await embedLockedTools(loaded, lock(), embedder) };
}

/** What `check` says of the vectors, where there should be any. */
export async function staleVectors(
  loaded: LoadedConfig,
  lock: () => Lockfile,
): Promise<readonly StaleFile[]> {
  if (loaded.config.search?.embedder === undefined) return [];
  const { findStaleVectors } = await import("./embed-locked-tools.js");
  return findStaleVectors(loaded, lock());
}
