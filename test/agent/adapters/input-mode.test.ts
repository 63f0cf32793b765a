import { expect, test } from "vitest";
import { createRegistry, createToolset } from "../../../src/agent/index.js";
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

/** A record that a converter closed. */
const MISFIT = { schema: { title: "text" } };

test("without a setting, what does not fit is refused before anything is sent", async () => {
  const tools = connectTools(strict, { closed: closed(strict) });
  const refused = { ok: false, error: { code: "TOOL_INVALID_INPUT" } };
  expect(await tools.closed.safe(MISFIT)).toMatchObject(refused);
  expect(await createRegistry({ servers: [strict] }).call("raw__closed", MISFIT)).toMatchObject(refused);
});

test("it is sent with a warning by a setting of the call, the connection or the server", async () => {
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const options = { validateInput: "warn", onWarning } as const;
  const results = [
    await connectTools(strict, { closed: closed(strict) }).closed.safe(MISFIT, options),
    await connectTools(strict, { closed: closed(strict) }, options).closed.safe(MISFIT),
    await connectTools(warning, { closed: closed(warning) }).closed.safe(MISFIT, { onWarning }),
    await createRegistry({ servers: [strict] }).call("raw__closed", MISFIT, options),
    await createRegistry({ servers: [connectTools(strict, {}, options)] }).call("raw__closed", MISFIT),
    await createRegistry({ servers: [warning] }).call("raw__closed", MISFIT, { onWarning }),
  ];
  const sent = { ok: true, value: { text: JSON.stringify(MISFIT) } };
  expect(results).toMatchObject(results.map(() => sent));
  const words = 'The input of tool "closed" does not fit its schema, and is sent:';
  expect(warnings).toEqual(results.map(() => expect.stringContaining(words) as string));
});

test("a setting of the server or the connection reaches models", async () => {
  const onWarning = (): void => undefined;
  for (const registry of [
    createRegistry({ servers: [connectTools(warning, {}, { onWarning })] }),
    createRegistry({ servers: [connectTools(strict, {}, { validateInput: "warn", onWarning })] }),
  ]) {
    const text = JSON.stringify(MISFIT);
    const options = { approve: () => true } as const;
    expect(await callAnthropic(registry, "raw__closed", MISFIT, options)).toMatchObject({ text });
    const toolset = createToolset(registry, { policy: { writes: true }, approve: () => true });
    const answer = await toolset.answer("execute", { tool: "raw__closed", args: MISFIT });
    expect(answer.structuredContent).toMatchObject({ success: true });
    const session = createToolset(registry, { show: "found", core: ["*"] });
    expect(await session.call("raw__closed", MISFIT)).toMatchObject({ ok: true, value: { text } });
  }
});
