/**
 * The program that the conformance suite starts as a client: asks the test, at the URL in the first argument, to run the
 * scenario against the server at the URL in the last one. The test has loaded our modules, and the suite starts many clients.
 */
import process from "node:process";

const body = JSON.stringify({
  url: process.argv.at(-1),
  scenario: process.env["MCP_CONFORMANCE_SCENARIO"],
  context: JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"),
  version: process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"],
});
const response = await globalThis.fetch(process.argv[2] ?? "", { method: "POST", body });
process.stderr.write(await response.text());
process.exitCode = response.ok ? 0 : 1;
