// The prompts of one server.
import { definePrompt } from "mcp-codegen/codegen";
import type { Prompt } from "mcp-codegen/runtime";
import {
  server,
  // @when hasEnvironments
  type Environment,
} from "./server.js";
// @drop
import { __arguments__ } from "./__literals__.js";

// The interfaces of the arguments; this shows their form.
// @slot declarations
export interface __Arguments__ {
  code: string;
}
// With the names of the server's environments, if it has any.
// @drop
type __Prompt__ = Prompt<__Arguments__, Environment>;

// @each prompts

/** __comment__ */
export const __prompt__: __Prompt__ = /* @__PURE__ */ definePrompt({
  server,
  name: "__name__",
  // @when title
  title: "__title__",
  // @when description
  description: "__description__",
  arguments: __arguments__,
});
