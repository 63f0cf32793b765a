import * as f from "./format.js";
import { serverName } from "./connection-settings.js";

/** The file of observed answers: committed, beside the lock. */
export const OBSERVED_NAME = "mcp-codegen.observed.json";

/** The version of the format. */
export const OBSERVED_VERSION = 1;

/** The answers of one tool. */
export type ObservedTool = f.SettingsOf<typeof observedTool>;
const observedTool = f.record({
  /** The digest of the locked tool that gave these answers. Under another digest the observation is stale. */
  digest: f.nonEmpty(f.anyText, "expected a digest"),
  /** How many answers it was learned from. */
  samples: f.wholeNumber(1),
  /**
   * `structured`: answers have structured content. `json`: every answer is one text that is JSON. `text`: some answer is
   * neither, so there is no schema.
   */
  answers: f.oneOf("structured", "json", "text"),
  /** Fits every observed answer. */
  schema: f.optional(f.jsonObject),
});

/** What servers answered, by server and tool, for tools that declare no output schema. It holds no values. */
export type Observed = f.SettingsOf<typeof observed>;
const observed = f.record({
  observedVersion: f.oneOf(OBSERVED_VERSION),
  servers: f.mapOf(f.mapOf<ObservedTool>(observedTool), undefined, serverName),
});

export const NOTHING_OBSERVED: Observed = { observedVersion: OBSERVED_VERSION, servers: {} };

export const OBSERVED_FORMAT: f.FileFormat<Observed> = {
  code: "OBSERVED_INVALID",
  hint: 'Take it from version control, or delete it and run "npx mcp-codegen generate --learn".',
  version: ["observedVersion", OBSERVED_VERSION],
  format: observed,
};
