import type { Dialect, FormatRule } from "../contract/schema-ir.js";
import type { OutputMode } from "../contract/connection.js";

/** What a server means by its schemas where they do not say it, as the configuration does. */
export interface SchemaReading {
  /** What schemas are written in that declare nothing; 2020-12 otherwise. */
  readonly dialect?: Dialect | undefined;
  /** `assert`: a text must have the `format` that is asked for. Otherwise formats are annotations. */
  readonly formats?: FormatRule | undefined;
  /** How answers are read: under `strict`, a key that is added to a closed output breaks callers. */
  readonly validateOutput?: OutputMode | undefined;
}
