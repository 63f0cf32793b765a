// The connection settings of one server, `${VAR}` unresolved.
import { defineServer, type ServerDefinition } from "mcp-codegen/runtime";
// @drop
import { __settings__ } from "./__literals__.js";

/* An error here: Zod is missing or too old. The modules of tools, which import it, are not checked. */
export type { ZodExactOptional } from "zod";

// @when environments
/** The environments that the server is configured with. */
// @slot environments
export type Environment = "local" | "production";

export const server: ServerDefinition = /* @__PURE__ */ defineServer(__settings__);
