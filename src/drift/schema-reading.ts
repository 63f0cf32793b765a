import type { Dialect, FormatRule } from "../contract/schema-ir.js";
import type { OutputMode } from "../contract/connection.js";

/** Settings from the configuration for what schemas leave open. */
export interface SchemaReading {
  /** The dialect of schemas without `$schema`; 2020-12 by default. */
  readonly dialect?: Dialect | undefined;
  /** `assert`: a string must match its `format`. By default formats are annotations. */
  readonly formats?: FormatRule | undefined;
  /** How clients read answers: with `strict`, a property added to a closed output breaks callers. */
  readonly validateOutput?: OutputMode | undefined;
}
