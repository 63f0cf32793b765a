/** Options that several operations share. */
import type { SnapshotServersOptions } from "../sources/snapshot-servers.js";

export interface SourceOptions extends Omit<SnapshotServersOptions, "dir" | "confirm"> {
  /** Names of configured servers; all by default. Others throw `SERVER_UNKNOWN`. */
  readonly servers?: readonly string[];
}

export interface RenderOptions {
  /** Render every file, not only those whose inputs have changed. */
  readonly full?: boolean;
  /** The most worker threads; none by default. */
  readonly workers?: number;
  /** Called from time to time with the number of rendered files and the total. */
  readonly onRender?: (done: number, total: number) => void;
}

export interface WaiverOptions {
  /** The current date, as `2026-12-31`; without it, waivers with an expiry date have no effect. */
  readonly today?: string;
}
