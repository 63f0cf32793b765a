export { McpCodegenError, type ErrorCode } from "../contract/errors.js";
export type { ServedCount } from "./count-served.js";
export { createServeHandler, type ServeHandler } from "./create-serve-handler.js";
export type { DoorOptions } from "./door.js";
export type { DriftedTool, DriftState } from "./drift-guard.js";
export { openToolset, type OpenedToolset, type OpenToolsetOptions } from "./open-toolset.js";
export { serveHttp, type ServeHttpOptions, type ServingHttp } from "./serve-http.js";
export { serveStdio, type ServeStdioOptions } from "./serve-stdio.js";
export type { ServeIdentity, ServeOptions, Serving } from "./serving.js";
