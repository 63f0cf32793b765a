import { expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { type ServerDefinition, defineServer } from "../../../src/runtime/index.js";
import type { InputQuestion, OnInput } from "../../../src/core/input-question.js";
import { createRegistry } from "../../../src/agent/registry/create-registry.js";
import { programOf } from "../../servers/start-everything.js";

const STDIO = { command: process.execPath, args: [programOf("everything"), "stdio"] };

function toolsOf(server: ServerDefinition) {
  const tool = { server, input: z.looseObject({}), inputSchema: () => ({}) };
  return {
    form: defineTool({ ...tool, name: "trigger-elicitation-request" }),
    url: defineTool({ ...tool, name: "trigger-url-elicitation" }),
  };
}

test("the protocol's own server asks for values and for visits", async () => {
  const server = defineServer({ name: "everything", ...STDIO });
  const questions: InputQuestion[] = [];
  const onInput: OnInput = (question) => {
    questions.push(question);
    if (question.kind === "url") return { action: "accept" };
    // A person who accepts what is shown, and fills in what is required.
    const values = question.fields.flatMap((field) => {
      const first = "choices" in field ? field.choices[0]?.value : "Ada";
      const value = field.default ?? (field.isRequired ? first : undefined);
      return value === undefined ? [] : [[field.name, value] as const];
    });
    return { action: "accept", values: Object.fromEntries(values) };
  };
  await using tools = connectTools(server, toolsOf(server), { onInput });
  const form = await tools.form({});
  expect(form.text).toContain("✅ User provided the requested information!");
  expect(form.text).toContain('"integer": 42');
  const visit = { url: "https://example.com/login", message: "Sign in." };
  for (const errorPath of [false, true])
    expect((await tools.url({ ...visit, errorPath })).text).toContain("accept");
  const [asked, first] = questions;
  if (asked?.kind !== "form") throw new Error("The first question has no form.");
  expect(new Set(asked.fields.map(({ type }) => type))).toEqual(
    new Set(["string", "boolean", "integer", "number", "choice", "choices"]),
  );
  const expected = { kind: "url", url: visit.url, host: "example.com", tool: "trigger-url-elicitation" };
  expect(first).toMatchObject(expected);
});

test("a registry answers with the handler that it has", async () => {
  const capabilities = { elicitation: { form: {} } };
  const server = defineServer({ name: "everything", capabilities, ...STDIO });
  const registry = createRegistry({ servers: [server], onInput: () => ({ action: "decline" }) });
  const form = await registry.getTool("everything__trigger-elicitation-request");
  expect(JSON.stringify(await form?.call({}))).toContain("declined");
});
