import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { dataFiles, hasShared, SHARED } from "../../data/files.js";

const MODULES = fileURLToPath(new URL("../../../node_modules/", import.meta.url));

export const hasData: boolean = hasShared;
/** For titles: the reason why a test is skipped without the data. */
export const skipNote: string = hasData ? "" : " (skipped: no ../shared/data)";

export interface ListedTool {
  /** The list and the tool, for messages. */
  readonly label: string;
  readonly input: JsonValue;
  readonly output?: JsonValue;
}

/** Returns every tool of every saved list: our fixtures, and real servers if `../shared/data` exists. */
export function readToolLists(): readonly ListedTool[] {
  return dataFiles("tool-lists").flatMap(readToolList);
}

function readToolList(path: string): readonly ListedTool[] {
  const list = JSON.parse(readFileSync(path, "utf8")) as JsonValue;
  const tools = isJsonObject(list) ? list["tools"] : undefined;
  if (!Array.isArray(tools)) return [];
  return (tools as readonly JsonObject[]).map((tool) =>
    toListed(basename(path), tool, "inputSchema", "outputSchema"),
  );
}

/** Returns every tool in the saved answers of WordPress, as served by the MCP adapter, and the raw abilities. */
export function readWordPressTools(): readonly ListedTool[] {
  const own = dataFiles("tool-lists")
    .filter((path) => basename(path) === "wordpress-shop.json")
    .flatMap(readToolList);
  if (!hasShared) return own;
  const served = ["0.4.1", "0.5.0"].flatMap((version) =>
    readFolder(`wordpress/tools-adapter-${version}`).flatMap((file) => {
      const answer = readJson(file) as { readonly result: { readonly tools: readonly JsonObject[] } };
      return answer.result.tools.map((tool) => toListed(file, tool, "inputSchema", "outputSchema"));
    }),
  );
  const plugins = readJson("wordpress/abilities-raw-wp71.json") as {
    readonly [plugin: string]: { readonly abilities: readonly JsonObject[] };
  };
  const raw = Object.entries(plugins).flatMap(([plugin, { abilities }]) =>
    abilities.map((ability) => toListed(plugin, ability, "input_schema", "output_schema")),
  );
  return [...own, ...served, ...raw];
}

function toListed(list: string, tool: JsonObject, inputKey: string, outputKey: string): ListedTool {
  const output = tool[outputKey];
  return {
    label: `${list} ${JSON.stringify(tool["name"])}`,
    input: tool[inputKey] ?? {},
    ...(output !== undefined && output !== null && { output }),
  };
}

export interface SuiteGroup {
  readonly label: string;
  readonly draft: string;
  /** The name of the file, often a keyword. */
  readonly keyword: string;
  readonly schema: JsonValue;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

/** The parts of the official suite: required tests, optional tests, and formats as assertions. */
export type SuitePart = keyof typeof SUITE_FOLDERS;

const SUITE_FOLDERS = { required: "", optional: "/optional", format: "/optional/format" } as const;

/** Our own cases of each keyword: a description, a schema, and values that are valid and invalid. */
type Cases = Readonly<
  Record<string, readonly (readonly [string, JsonValue, readonly JsonValue[], readonly JsonValue[]])[]>
>;

/** Returns our own cases, in the form of the suite. */
export function readCases(): readonly SuiteGroup[] {
  return dataFiles("json-schema-cases").flatMap((path) => {
    const draft = basename(path, ".json");
    return Object.entries(JSON.parse(readFileSync(path, "utf8")) as Cases).flatMap(([keyword, rows]) =>
      rows.map(([description, schema, ...values]) => ({
        ...{ draft, keyword, schema, label: `${draft} ${keyword} ${description}` },
        tests: values.flatMap((all, at) =>
          all.map((data) => ({ description: JSON.stringify(data), data, valid: at === 0 })),
        ),
      })),
    );
  });
}

/** Returns the tests of the official suite for all drafts. */
export function readSuite(part: SuitePart = "required"): readonly SuiteGroup[] {
  const suite = "json-schema-test-suite/tests";
  return readdirSync(`${SHARED}${suite}`).flatMap((draft) =>
    readdirSync(`${SHARED}${suite}/${draft}${SUITE_FOLDERS[part]}`)
      .filter((file) => file.endsWith(".json"))
      .flatMap((file) => {
        const groups = readSuiteFile(`${suite}/${draft}${SUITE_FOLDERS[part]}/${file}`);
        return groups.map(({ description, schema, tests }): SuiteGroup => ({
          label: `${draft}/${file} ${description}`,
          draft,
          keyword: file.slice(0, -".json".length),
          schema,
          tests,
        }));
      }),
  );
}

/** Returns the documents that the suite refers to: its remotes under their addresses, and the metaschemas. */
export function readDocuments(): { readonly [address: string]: JsonValue } {
  const remotes = !hasShared
    ? []
    : readFolder("json-schema-test-suite/remotes").map((file) => [
        `http://localhost:1234/${file.slice("json-schema-test-suite/remotes/".length)}`,
        readJson(file),
      ]);
  return Object.fromEntries([...remotes, ...readMetaschemas()]) as { readonly [address: string]: JsonValue };
}

function readFolder(folder: string): readonly string[] {
  return readdirSync(`${SHARED}${folder}`, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? readFolder(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  );
}

/** Returns the metaschemas of all drafts, from Ajv. */
function readMetaschemas(): readonly (readonly [address: string, schema: JsonValue])[] {
  const files = [
    "ajv-draft-04/dist/refs/json-schema-draft-04.json",
    "ajv/dist/refs/json-schema-draft-06.json",
    "ajv/dist/refs/json-schema-draft-07.json",
    ...["2019-09", "2020-12"].flatMap((draft) => {
      const folder = `ajv/dist/refs/json-schema-${draft}`;
      return [
        `${folder}/schema.json`,
        ...readdirSync(`${MODULES}${folder}/meta`).map((name) => `${folder}/meta/${name}`),
      ];
    }),
  ];
  return files.map((file) => {
    const schema = JSON.parse(readFileSync(`${MODULES}${file}`, "utf8")) as JsonObject;
    const id = schema["$id"] ?? schema["id"];
    return [typeof id === "string" ? id : "", schema];
  });
}

type SuiteFile = readonly (Omit<SuiteGroup, "label" | "draft" | "keyword"> & {
  readonly description: string;
})[];

function readSuiteFile(path: string): SuiteFile {
  return JSON.parse(readFileSync(`${SHARED}${path}`, "utf8")) as SuiteFile;
}

function readJson(path: string): JsonValue {
  return JSON.parse(readFileSync(`${SHARED}${path}`, "utf8")) as JsonValue;
}
