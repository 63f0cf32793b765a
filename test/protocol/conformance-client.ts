import { createRegistry } from "../../src/agent/registry/create-registry.js";
import { findOwn } from "../../src/core/json.js";
import { defineServer } from "../../src/runtime/tool.js";
import type { InputAnswer, InputQuestion } from "../../src/core/input-question.js";
import type { TestedClient } from "./start-relay.js";

/** Our registry lists the tools of the suite's server and calls each of them. */
export const runRegistry: TestedClient = async ({ url, scenario, context, version }) => {
  const server = defineServer({
    name: "sut",
    url,
    timeouts: { connect: 20_000 },
    ...(version !== undefined && { protocol: version }),
  });
  const registry = createRegistry({ servers: [server] });
  const report = await registry.refresh();
  if (!report.ok) throw new Error(JSON.stringify(report.servers));

  const tools = await registry.getTools();
  const schemas = new Map(tools.map((tool) => [tool.name.replace(/^sut__/, ""), tool.inputSchema()]));
  const argumentsOf = (name: string): object => {
    if (scenario === "tools_call") return { a: 5, b: 3 };
    if (name === "json_schema_echo") return { schema: [...schemas].find(([other]) => other !== name)?.[1] };
    return sampleOf(schemas.get(name));
  };
  const calls =
    context.toolCalls ?? [...schemas.keys()].map((name) => ({ name, arguments: argumentsOf(name) }));
  let log = "";
  for (const call of calls) {
    // Without questions there is no stream of notifications. This scenario's server would answer on it if it opened late.
    const options = scenario === "sse-retry" ? {} : { onInput };
    const result = await registry.call(`sut__${call.name}`, call.arguments, options);
    log += `${call.name} ${JSON.stringify(result).slice(0, 500)}\n`;
  }
  return log;
};

/** Answers each question with its defaults. */
function onInput(question: InputQuestion): InputAnswer {
  const fields = question.kind === "form" ? question.fields : [];
  const defaults = fields.flatMap((field) =>
    field.default === undefined ? [] : [[field.name, field.default] as const],
  );
  return { action: "accept", values: Object.fromEntries(defaults) };
}

const SAMPLES = new Map<unknown, unknown>(
  Object.entries({ number: 1, integer: 1, boolean: true, object: {}, array: [] }),
);

/** Returns a value for each required property. */
function sampleOf(schema: unknown): object {
  const required = findOwn(schema, "required");
  const properties = findOwn(schema, "properties");
  const names = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(
    names.map((name) => [name, SAMPLES.get(findOwn(findOwn(properties, name), "type")) ?? "text"]),
  );
}
