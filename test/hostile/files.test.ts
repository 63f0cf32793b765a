/** Every file that the program reads, changed field by field: refused with its place, never a crash, never taken as it is. */
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { validateConfig } from "../../src/config/validate-config.js";
import { McpCodegenError } from "../../src/core/errors.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { formatKeyPath, type KeyPath } from "../../src/core/json-pointer.js";
import { OBSERVED_FORMAT } from "../../src/core/observed.js";
import { parseLockText } from "../../src/files/project-records.js";
import { parseFormat } from "../../src/files/parse-json.js";
import { WAIVERS_FORMAT } from "../../src/core/waivers.js";
import { parseCassetteFile } from "../../src/runtime/cassette/cassette-file.js";
import * as cases from "./file-cases.js";

interface FileCase {
  readonly document: JsonObject;
  readonly schema: string;
  readonly read: (text: string) => unknown;
  readonly finish?: (mutated: JsonObject) => JsonObject;
}

const FILES: { readonly [file: string]: FileCase } = {
  "the lock": { document: cases.LOCK, schema: "lockfile", read: parseLockText },
  "the lock, signed": { ...{ document: cases.LOCK, schema: "lockfile", read: parseLockText }, finish: cases.signLock },
  waivers: { ...{ document: cases.WAIVERS, schema: "waivers" }, read: (text) => parseFormat(WAIVERS_FORMAT, text, "waivers.json") },
  observed: { ...{ document: cases.OBSERVED, schema: "observed" }, read: (text) => parseFormat(OBSERVED_FORMAT, text, "observed.json") },
  "a cassette": { ...{ document: cases.CASSETTE, schema: "cassette" }, read: (text) => parseCassetteFile(text, "c.json") },
}; // prettier-ignore

/** Returns whether the text is read, or the error that refuses it. Other errors are bugs. */
function outcomeOf(read: () => unknown): McpCodegenError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof McpCodegenError) return error;
    throw error;
  }
}

/** Whether a message names the place of a change, or what is around it, or the line and the column. */
const namesPlace = (message: string, path: KeyPath): boolean =>
  path.length < 2 ||
  /\d+:\d+|line \d+/.test(message) ||
  message.includes(formatKeyPath(path.slice(0, -1))) ||
  message.endsWith("expected a variant of the server.") ||
  / of (?:tool|prompt|resource|resource template|skill) ".+" of server "shop" /s.test(message);

describe.each(Object.entries(FILES))("%s", (_, { document, schema, read, finish }) => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  const validate = ajv.compile(
    JSON.parse(readFileSync(`docs/schemas/${schema}.schema.json`, "utf8")) as object,
  );
  const mutations = cases.mutate(document, finish);

  it("is read as it is", () => {
    expect(outcomeOf(() => read(JSON.stringify(document)))).toBeUndefined();
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  });

  it(`is refused with its place in each of ${mutations.length} mutations that its schema refuses`, () => {
    const wrong: string[] = [];
    for (const { what, path, text, isRepeated } of mutations) {
      let error: McpCodegenError | undefined;
      try {
        error = outcomeOf(() => read(text));
      } catch (bug) {
        wrong.push(`${what}: ${String(bug)}`);
        continue;
      }
      const isValid = isRepeated !== true && validate(JSON.parse(text) as JsonValue);
      if (error === undefined && !isValid) wrong.push(`${what}: accepted`);
      else if (error !== undefined && !namesPlace(error.message, path))
        wrong.push(`${what}: ${error.message}`);
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });
});

describe("a configuration", () => {
  const mutations = cases.mutate(cases.CONFIG).filter(({ isRepeated }) => isRepeated !== true);
  const ajv = new Ajv2020({ strict: false, logger: false });
  const validate = ajv.compile(JSON.parse(readFileSync("docs/schemas/config.schema.json", "utf8")) as object);

  it(`is refused with its place in each of ${mutations.length} mutations that its schema refuses`, async () => {
    expect(await validateConfig(cases.CONFIG, "c.json")).toMatchObject(cases.CONFIG);
    const wrong: string[] = [];
    for (const { what, path, text } of mutations) {
      const value = JSON.parse(text) as JsonValue;
      const error: unknown = await validateConfig(value, "c.json").then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined && !validate(value)) wrong.push(`${what}: accepted`);
      else if (error !== undefined && !(error instanceof McpCodegenError))
        wrong.push(`${what}: ${error instanceof Error ? error.message : "another error"}`);
      else if (error !== undefined && !namesKey(error.message, path)) wrong.push(`${what}: ${error.message}`);
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  const namesKey = (message: string, path: KeyPath): boolean =>
    path.length < 2 ||
    path.slice(0, -1).some((_, at) => message.includes(formatKeyPath(path.slice(0, at + 1))));
});
