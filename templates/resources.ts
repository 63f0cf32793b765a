// The resources of one server, and its templates.
import {
  // @when hasResources
  defineResource,
  // @when hasTemplates
  defineResourceTemplate,
} from "mcp-codegen/codegen";
import type {
  // @when hasResources
  Resource,
  // @when hasTemplates
  ResourceTemplate,
} from "mcp-codegen/runtime";
import {
  server,
  // @when hasEnvironments
  type Environment,
} from "./server.js";
// @drop
import { __arguments__ } from "./__literals__.js";

// The interfaces of the variables; this shows their form.
// @slot declarations
export interface __Arguments__ {
  path: string;
}
// With the names of the server's environments, if it has any.
// @drop
type __Resource__ = Resource<Environment>;
// @drop
type __Template__ = ResourceTemplate<__Arguments__, Environment>;

// @each resources

/** __comment__ */
export const __resource__: __Resource__ = /* @__PURE__ */ defineResource({
  server,
  uri: "__uri__",
  // @when title
  title: "__title__",
  // @when description
  description: "__description__",
  // @when mimeType
  mimeType: "__mimeType__",
});

// @each templates

/** __comment__ */
export const __template__: __Template__ = /* @__PURE__ */ defineResourceTemplate({
  server,
  uriTemplate: "__uriTemplate__",
  // @when title
  title: "__title__",
  // @when description
  description: "__description__",
  // @when mimeType
  mimeType: "__mimeType__",
  arguments: __arguments__,
});
