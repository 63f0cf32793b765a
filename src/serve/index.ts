export { McpCodegenError, type ErrorCode } from "../contract/errors.js";
export { createServeHandler, type ServeHandler } from "./create-serve-handler.js";
export type { DoorOptions } from "./door.js";
export { serveHttp, type ServeHttpOptions, type ServingHttp } from "./serve-http.js";
export { serveStdio, type ServeStdioOptions } from "./serve-stdio.js";
export type { ServeIdentity, ServeOptions, Serving } from "./serving.js";
