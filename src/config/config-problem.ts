import type { KeyPath } from "../contract/json-pointer.js";

/** A problem in a configuration. */
export interface ConfigProblem {
  /** The path of the key in question; for a missing key, its parent. */
  readonly path: KeyPath;
  /** One line that names the key. It never contains a value of the configuration, which may be a secret. */
  readonly text: string;
}

/** A position in a file. Both count from 1, columns in UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}
