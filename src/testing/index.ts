/** Mocks of servers, and the contracts of your own servers, for tests: "mcp-codegen/testing". */
export { McpCodegenError, type ErrorCode } from "../core/errors.js";
export {
  mockServer,
  type GeneratedModule,
  type MockAnswer,
  type MockCall,
  type MockContent,
  type MockContext,
  type MockHandler,
  type MockHandlers,
  type MockOptions,
  type MockServer,
} from "./mock-server.js";
export {
  assertContract,
  checkContract,
  type ContractMatchers,
  contractMatchers,
  type ContractOptions,
  type ContractResult,
  type ContractServer,
} from "./contract/check-contract.js";
export type { SdkServer, SdkTransport } from "../client/sdk-transport.js";
