import {
  type FileFormat,
  jsonObject,
  mapOf,
  oneOf,
  optional,
  record,
  textLike,
  wholeNumber,
} from "./format.js";
import type { JsonObject } from "./json.js";
import { serverName } from "./names.js";

/** The file of observed answers: committed, beside the lock. */
export const OBSERVED_NAME = "mcp-codegen.observed.json";

/** The version of the format. */
export const OBSERVED_VERSION = 1;

/** What servers answered, by server and tool, for tools that declare no output schema. It holds no values. */
export interface Observed {
  readonly observedVersion: typeof OBSERVED_VERSION;
  readonly servers: { readonly [server: string]: { readonly [tool: string]: ObservedTool } };
}

/** The answers of one tool. */
export interface ObservedTool {
  /** The digest of the locked tool that gave these answers. Under another digest the observation is stale. */
  readonly digest: string;
  /** How many answers it was learned from. */
  readonly samples: number;
  /**
   * `structured`: answers have structured content. `json`: every answer is one text that is JSON. `text`: some answer is
   * neither, so there is no schema.
   */
  readonly answers: "structured" | "json" | "text";
  /** Fits every observed answer. */
  readonly schema?: JsonObject;
}

export const NOTHING_OBSERVED: Observed = { observedVersion: OBSERVED_VERSION, servers: {} };

const observedTool = record<ObservedTool>({
  digest: textLike({ minLength: 1 }, "expected a digest", (value) => value !== ""),
  samples: wholeNumber(1),
  answers: oneOf("structured", "json", "text"),
  schema: optional(jsonObject),
});

export const OBSERVED_FORMAT: FileFormat<Observed> = {
  code: "OBSERVED_INVALID",
  hint: 'Take it from version control, or delete it and run "npx mcp-codegen generate --learn".',
  version: ["observedVersion", OBSERVED_VERSION],
  format: record<Observed>({
    observedVersion: oneOf(OBSERVED_VERSION),
    servers: mapOf(mapOf(observedTool), serverName),
  }),
};
