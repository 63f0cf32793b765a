import type { Diagnostic } from "../../core/diagnostic.js";
import type { StaleFile } from "../../core/findings.js";
import type { GeneratedFile } from "../../core/generated-file.js";

/** The differences between the output folder and the files of the lock and the configuration. */
export interface FolderComparison {
  /** The rendered files that are missing or different. */
  readonly files: readonly GeneratedFile[];
  /** Paths that are up to date. */
  readonly current: readonly string[];
  readonly stale: readonly StaleFile[];
  /** Whether the last write of the folder was interrupted, or is still running. */
  readonly isCutOff: boolean;
  /** Generated files that were edited, including orphaned ones. */
  readonly edited: readonly string[];
  /** The number of generated files that were judged: planned and orphaned ones. */
  readonly judged: number;
  readonly diagnostics: readonly Diagnostic[];
  /** The names of the locked servers; absent without an output folder. If the comparison is remembered, the lock was not parsed. */
  readonly locked?: readonly string[] | undefined;
}

/** A comparison with the digests in the headers of its files, by path. */
export interface JudgedComparison {
  readonly comparison: FolderComparison;
  readonly inputs: Readonly<Record<string, string>>;
}
