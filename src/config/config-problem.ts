import type { KeyPath } from "../contract/key-path.js";

/** A problem in a configuration. */
export interface ConfigProblem {
  /** The key to point at: of a missing key, the parent. */
  readonly path: KeyPath;
  /** One line that names the key. It holds no value of the configuration, since a value may be a secret. */
  readonly text: string;
}

/** A place in a file. Both count from 1, columns in UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}
