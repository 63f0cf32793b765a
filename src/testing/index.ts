/** Mocks of servers for tests: "mcp-codegen/testing". */
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
