export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export {
  type ServedCount,
  openToolset,
  type OpenedToolset,
  type OpenToolsetOptions,
} from "./open-toolset.js";
export { createServeHandler, type ServeHandler } from "./serve.js";
export type { DriftedTool, DriftState } from "./drift-guard.js";
export type {
  DirectOptions,
  DirectSource,
  HttpAccessOptions,
  RawSource,
  Servable,
  ServeIdentity,
  ServeOptions,
  Serving,
} from "./offer.js";
export { serveHttp, type ServeHttpOptions, type ServingHttp } from "./serve.js";
export { serveStdio, type ServeStdioOptions } from "./serve.js";
