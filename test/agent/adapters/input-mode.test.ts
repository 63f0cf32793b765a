import { expect, test } from "vitest";
import { createRegistry, createToolset } from "../../../src/agent/index.js";
import { printZodModule } from "../../../src/index.js";
import { connectTools, defineTool } from "../../../src/runtime/define-tool.js";
import { type ServerDefinition, defineServer } from "../../../src/runtime/index.js";
import { toZod } from "../../schema/support/evaluate-module.js";
import { callAnthropic } from "./adapters.js";
import { fixtureCommand } from "../../servers/start-fixture.js";

const settings = { name: "raw", ...fixtureCommand("raw-answers") };
const strict = defineServer(settings);
const warning = defineServer({ ...settings, validateInput: "warn" });
const schema = { type: "object", propertyNames: { type: "string" }, additionalProperties: false };
const inputSchema = { type: "object", properties: { schema, sort: { enum: ["asc", "desc"] } } };
const closed = (server: ServerDefinition) =>
  defineTool({ server, name: "closed", input: toZod(inputSchema), inputSchema: () => inputSchema });

/** A record that a converter closed, an enum that misses null, and a wrong type. */
const MISFITS = [{ schema: { title: "text" } }, { sort: null }, { schema: "text" }];

test("a printed schema closes the record as the published one does", () => {
  expect(printZodModule(inputSchema, { name: "Input" }).text).toContain("z.strictObject({})");
});

test.each(MISFITS)("without a setting, %j is refused before anything is sent", async (input) => {
  const tools = connectTools(strict, { closed: closed(strict) });
  const refused = { ok: false, error: { code: "TOOL_INVALID_INPUT" } };
  expect(await tools.closed.safe(input)).toMatchObject(refused);
  expect(await createRegistry({ servers: [strict] }).call("raw__closed", input)).toMatchObject(refused);
  expect(await tools.closed.safe(input, { validateInput: "strict" })).toMatchObject(refused);
});

test.each(MISFITS)(
  "%j is sent with a warning by a setting of the call, the connection or the server",
  async (input) => {
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const options = { validateInput: "warn", onWarning } as const;
    const results = [
      await connectTools(strict, { closed: closed(strict) }).closed.safe(input, options),
      await connectTools(strict, { closed: closed(strict) }, options).closed.safe(input),
      await connectTools(warning, { closed: closed(warning) }).closed.safe(input, { onWarning }),
      await createRegistry({ servers: [strict] }).call("raw__closed", input, options),
      await createRegistry({ servers: [connectTools(strict, {}, options)] }).call("raw__closed", input),
      await createRegistry({ servers: [warning] }).call("raw__closed", input, { onWarning }),
    ];
    const sent = { ok: true, value: { text: JSON.stringify(input) } };
    expect(results).toMatchObject(results.map(() => sent));
    const words = 'The input of tool "closed" does not fit its schema, and is sent:';
    const warned = expect.stringContaining(words) as string;
    expect(warnings).toEqual(results.map(() => warned));
  },
);

test("a setting of the server or the connection reaches models", async () => {
  const [input] = MISFITS;
  const onWarning = (): void => undefined;
  for (const registry of [
    createRegistry({ servers: [connectTools(warning, {}, { onWarning })] }),
    createRegistry({ servers: [connectTools(strict, {}, { validateInput: "warn", onWarning })] }),
  ]) {
    const text = JSON.stringify(input);
    const options = { approve: () => true } as const;
    expect(await callAnthropic(registry, "raw__closed", input, options)).toMatchObject({ text });
    const toolset = createToolset(registry, { policy: { writes: true }, approve: () => true });
    const answer = await toolset.answer("execute", { tool: "raw__closed", args: input });
    expect(answer.structuredContent).toMatchObject({ success: true });
    const session = createToolset(registry, { show: "found", core: ["*"] });
    expect(await session.call("raw__closed", input)).toMatchObject({ ok: true, value: { text } });
  }
});
