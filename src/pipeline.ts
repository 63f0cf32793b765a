/**
 * The whole story on one screen: a source gives a snapshot; pull writes the lock; the lock writes the code; check
 * compares all three. Nothing here reads a flag or prints.
 */
import { join, resolve } from "node:path";
import type { LoadedConfig } from "./config/load-config.js";
import type { VariableLookup } from "./contract/connection.js";
import { LOCKFILE_NAME, type Lockfile } from "./contract/lockfile.js";
import type { CheckReport, GenerateReport, Progress, PullReport, ServerPlan } from "./contract/reports.js";

export interface SourceOptions {
  /** Names of configured servers; all of them by default. Others throw `SERVER_UNKNOWN`. */
  readonly servers?: readonly string[];
  readonly lookup: VariableLookup;
  /** How many servers are asked at the same time; 8 by default. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: Progress) => void;
}

export interface PullOptions extends SourceOptions {
  /** Report and write nothing. */
  readonly dryRun?: boolean;
  /** Report and write nothing: what would have been written is a finding. */
  readonly frozen?: boolean;
  /** Overwrite generated files that somebody edited. */
  readonly force?: boolean;
  /** Called with the differences before anything is written. */
  readonly onPlan?: (plan: readonly ServerPlan[]) => void | Promise<void>;
  /** Worker threads for rendering; none by default. */
  readonly workers?: number;
}

export interface GenerateOptions {
  readonly force?: boolean;
  /** Render every file instead of those whose inputs have changed. */
  readonly full?: boolean;
  readonly workers?: number;
}

export interface CheckOptions extends SourceOptions {
  /** Lock against files only; no server is asked. */
  readonly offline?: boolean;
  readonly full?: boolean;
  readonly workers?: number;
}

/** Where a configuration's lockfile and output folder are; absolute paths. */
export function placesOf(loaded: LoadedConfig): { readonly lock: string; readonly output: string } {
  return { lock: join(loaded.dir, LOCKFILE_NAME), output: resolve(loaded.dir, loaded.config.output) };
}

export declare function pull(loaded: LoadedConfig, options: PullOptions): Promise<PullReport>;
export declare function generate(loaded: LoadedConfig, options?: GenerateOptions): Promise<GenerateReport>;
export declare function check(loaded: LoadedConfig, options: CheckOptions): Promise<CheckReport>;
export type { Lockfile };
