/**
 * The program that the conformance suite starts as a client: asks the test, at the URL in the first argument, to run the
 * scenario against the server at the URL in the last one. The test has loaded our modules, and the suite starts many clients.
 */
import { request } from "node:http";
import process from "node:process";

const body = JSON.stringify({
  url: process.argv.at(-1),
  scenario: process.env["MCP_CONFORMANCE_SCENARIO"],
  context: JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"),
  version: process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"],
});
// Without `fetch`, which loads longer than the rest of the program runs.
request(process.argv[2] ?? "", { method: "POST" }, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1;
  response.pipe(process.stderr);
}).end(body);
