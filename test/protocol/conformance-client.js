/**
 * The client that the conformance suite tests: our registry lists the tools of the server at the URL in the last argument
 * and calls each of them.
 */
import process from "node:process";
import { createRegistry } from "../../dist/agent/index.js";
import { defineServer } from "../../dist/runtime/index.js";

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];
const url = process.argv.at(-1) ?? "";

const server = defineServer({
  name: "sut",
  url,
  timeouts: { connect: 20_000 },
  ...(version !== undefined && { protocol: version }),
});
/** Answers each question with its defaults. */
const onInput = (/** @type {import("../../src/runtime/index.js").InputQuestion} */ question) => {
  const fields = question.kind === "form" ? question.fields : [];
  const defaults = fields.flatMap((field) =>
    field.default === undefined ? [] : [/** @type {const} */ ([field.name, field.default])],
  );
  return { action: /** @type {const} */ ("accept"), values: Object.fromEntries(defaults) };
};
const registry = createRegistry({ servers: [server] });
const report = await registry.refresh();
if (!report.ok) throw new Error(JSON.stringify(report.servers));

const tools = await registry.getTools();
/** @type {readonly { name: string, arguments: unknown }[]} */
const calls =
  context.toolCalls ??
  tools.map(({ name }) => ({ name: name.replace(/^sut__/, ""), arguments: argumentsOf(name) }));
for (const call of calls) {
  const result = await registry.call(`sut__${call.name}`, call.arguments, { onInput });
  process.stderr.write(`${call.name} ${JSON.stringify(result).slice(0, 500)}\n`);
}

/** @param {string} name */
function argumentsOf(name) {
  if (scenario === "tools_call") return { a: 5, b: 3 };
  const schemas = new Map(tools.map((tool) => [tool.name, tool.inputSchema()]));
  if (name === "sut__json_schema_echo")
    return { schema: [...schemas].find(([other]) => other !== name)?.[1] };
  const { properties = {}, required = [] } = /** @type {any} */ (schemas.get(name));
  return Object.fromEntries(
    required.map((/** @type {string} */ key) => [key, sample(properties[key]?.type)]),
  );
}

/** @param {unknown} type */
function sample(type) {
  return (
    new Map(Object.entries({ number: 1, integer: 1, boolean: true, object: {}, array: [] })).get(
      String(type),
    ) ?? "text"
  );
}
