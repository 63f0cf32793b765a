// The connection settings of one server, `${VAR}` unresolved.
import { defineServer, type ServerDefinition } from "mcp-codegen/runtime";
// @drop
import { __settings__ } from "./__literals__.js";

export const server: ServerDefinition = /* @__PURE__ */ defineServer(__settings__);
