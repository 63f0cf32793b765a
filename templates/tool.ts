// The module of one tool.
import * as z from "zod";
import {
  defineTool,
  // @when ability
  throughAbility,
  type Tool,
  // @when isText
  type ToolContent,
  // @each checks
  __check__,
  // @drop
  schema,
  // @drop
  type Schema,
} from "./__codegen__.js";
import { __tool__ as inputSchema } from "./schemas.js";
import {
  server,
  // @when hasEnvironments
  type Environment,
} from "./server.js";
// @drop
import {
  __annotations__,
  __defaults__,
  __dialect__,
  __observed__,
  __visibility__,
  __wrapped__,
} from "./__literals__.js";

// The interfaces and schemas are printed by src/schema; these show their form.
// @slot declarations
export interface __Input__ {
  readonly city: string;
}
// @drop
export const __Input__: Schema<__Input__> = /* @__PURE__ */ schema(() =>
  z.looseObject({ city: z.string().refine(__check__) }),
);
// @drop
export interface __Output__ {
  readonly temperature: number;
}
// @drop
export const __Output__: Schema<__Output__> = /* @__PURE__ */ schema(() =>
  z.looseObject({ temperature: z.number() }),
);
// A tool without an output schema returns a ToolContent.
// @drop
type __Answer__ = __Output__;
// @drop
export type __Text__ = ToolContent;
// With the names of the server's environments, if it has any.
// @drop
type __Callable__ = Tool<__Input__, __Answer__, Environment>;

/** __comment__ */
export const __tool__: __Callable__ = /* @__PURE__ */ defineTool({
  server,
  name: "__name__",
  // @when title
  title: "__title__",
  // @when description
  description: "__description__",
  // @when category
  category: "__category__",
  // @when annotations
  annotations: __annotations__,
  // @when visibility
  visibility: __visibility__,
  // @when observed
  observed: __observed__,
  // @when defaults
  defaults: __defaults__,
  // @when dialect
  dialect: __dialect__,
  // @when ability
  through: () =>
    throughAbility(
      "__ability__",
      // @when wrapped
      __wrapped__,
    ),
  input: __Input__,
  // @when Output
  output: __Output__,
  inputSchema,
});
