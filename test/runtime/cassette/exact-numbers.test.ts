import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeExactly } from "../../../src/core/exact-json.js";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer } from "../../../src/runtime/tool.js";
import { fixtureCommand } from "../../servers/start-fixture.js";
import { newCassette } from "./make-tools.js";

const server = defineServer({ name: "raw", ...fixtureCommand("raw-answers") });
const plain = defineTool({
  server,
  name: "plain",
  annotations: { readOnlyHint: true },
  input: { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } },
  inputSchema: () => ({ type: "object" }),
});

test.each([
  ["an answer", '{"Id":1234567890123456789,"big":1e400}'],
  ["an answer with a secret", '{"Id":1234567890123456789,"big":1e400,"password":"hunter22"}'],
])("a cassette keeps the digits of %s, in its data and in its text", async (_, json) => {
  const record = await newCassette();
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const text = JSON.stringify(json);
  const input = { raw: `{"content":[{"type":"text","text":${text}}],"structuredContent":${json}}` };
  await using live = connectTools(server, { plain }, { record, onWarning });
  await live.plain(input);
  const file = await readFile(join(record, "raw/plain.json"), "utf8");
  expect(file).toContain('"Id": 1234567890123456789');
  expect(file).toContain('"big": 1e400');
  expect(file).toContain('"text": "{\\"Id\\":1234567890123456789,\\"big\\":1e400');
  const replayed = connectTools(server, { plain }, { replay: record, onWarning });
  const { structuredContent } = (await replayed.plain(input)) as { structuredContent?: unknown };
  expect(writeExactly(structuredContent)).toContain('{"Id":1234567890123456789,"big":1e400');
  expect(warnings).toEqual(Array(2).fill(expect.stringContaining('at "/Id", "/big".')));
});
