/**
 * What the pure rooms answer for wide inputs: schemas of every keyword, lists of every kind of server, and every edit of both.
 * They are not known to be right: a change of one shows that a behaviour changed, and a person says whether it may.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { toAnthropicTools } from "../../src/agent/adapters/anthropic-tools.js";
import { toGeminiTools } from "../../src/agent/adapters/gemini-tools.js";
import { toOpenAiTools } from "../../src/agent/adapters/openai-tools.js";
import { systemPrompt } from "../../src/agent/adapters/system-prompt.js";
import { createToolSearch } from "../../src/agent/search/create-tool-search.js";
import { createToolset } from "../../src/agent/toolset/create-toolset.js";
import { describeToolData, explainArguments } from "../../src/agent/toolset/describe-tool-data.js";
import { bumpContract } from "../../src/core/contract-version.js";
import { decide, statedEffectOf } from "../../src/core/decide.js";
import { findHostFindings } from "../../src/core/hosts/find-host-findings.js";
import { fitSchema, type Provider } from "../../src/core/hosts/fit-schema.js";
import { HOST_IDS } from "../../src/core/hosts/host.js";
import { isJsonObject, type JsonObject, type JsonValue, objectOrEmpty } from "../../src/core/json.js";
import { lockServer } from "../../src/core/lock-server.js";
import { formatLockfile } from "../../src/core/lockfile-text.js";
import { EMPTY_LOCK, type Lockfile } from "../../src/core/lockfile.js";
import type { Policy } from "../../src/core/policy.js";
import { estimateTokens, toModelSchema } from "../../src/core/model-schema.js";
import { showSchema } from "../../src/core/show-schema.js";
import { describeTool, type ToolSnapshot } from "../../src/core/snapshot.js";
import type { RegisteredTool } from "../../src/core/tool.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { scanLock } from "../../src/drift/security/scan-lock.js";
import { emit } from "../../src/emit/emit.js";
import { contentOfCheck } from "../../src/report/report-content.js";
import { judgeChanges } from "../../src/report/render-report.js";
import { parseSchema } from "../../src/schema/ir/parse-schema.js";
import { readLiveSchema } from "../../src/schema/interpret/live-schema.js";
import { printToolSchemas } from "../../src/schema/print/print-modules.js";
import { printSignature } from "../../src/schema/print/print-signature.js";
import { readPart } from "../../src/schema/sample/schema-part.js";
import { sampleValue } from "../../src/schema/sample/sample-value.js";
import { findIssues, toModelIssues } from "../../src/schema/validation/schema.js";
import { fakeTool } from "../agent/adapters/fake-tool.js";
import { dataFiles, SHARED } from "../data/files.js";
import { diffSide } from "../drift/grid/keyword-cases.js";
import { nothingFound } from "../report/fixtures.js";
import { render } from "../report/render.js";
import { listTools, lockList } from "../testing/lock-tools.js";

/** Answers by what they are about. */
export type Answers = Readonly<Record<string, unknown>>;

const PROVIDERS: readonly Provider[] = ["openai-strict", "anthropic", "gemini-parameters", "ai-sdk-google"];
const QUERIES = [
  "create a new one",
  "list everything",
  "delete it for good",
  "who wrote this",
  "forecast for tomorrow",
  "change the title of a book",
  "books of an author",
  "restart a failed pipeline",
  "tikets",
];
const POLICIES: readonly Policy[] = [
  ...[{}, { writes: true }, { writes: { s: true, other: true } }, { focusMode: "read-only" }, { focusMode: "content-editing" }],
  { role: "content-editor", writes: true },
  { annotations: { "{get,list}*": { readOnlyHint: true }, "*delete*": { destructiveHint: true, readOnlyHint: false } } },
  { focusMode: "a", focusModes: { a: { allow: [{ names: ["s__*e*"] }], deny: [{ categories: ["uncategorized"] }] } } },
  { role: ["b", "content-editor"], roles: { b: { deny: [{ effects: ["writes"], names: ["*"] }] } }, writes: true },
]; // prettier-ignore
const VALUES: readonly JsonValue[] = [
  null,
  true,
  0,
  -1.5,
  "",
  "text",
  [],
  [1, 1],
  {},
  { v: "x" },
  { v: 9, w: 1 },
];

/** Answers about one schema: how it is read, printed, sampled, shown to models, and what it says of values. */
export async function answersOfSchema(schema: JsonObject): Promise<Answers> {
  const read = parseSchema(schema);
  const samples = [0, 1, 2, 3].map((turn) =>
    sampleValue([readPart(schema)], { path: [], turn, branches: new Map() }),
  );
  const live = readLiveSchema(schema);
  const judged = [...samples, ...VALUES].map(async (value) => {
    const issues = await findIssues(live, value);
    return [toModelIssues(issues), explainArguments(schema, issues, value)];
  });
  return {
    read,
    printed: [{}, { defaults: "parse", formats: "assert" } as const].map((settings) =>
      printToolSchemas({
        input: { schema, name: "TestInput" },
        output: { schema, name: "TestOutput" },
        taken: [],
        ...settings,
      }),
    ),
    signature: printSignature({ input: schema, output: schema }),
    samples,
    judged: await Promise.all(judged),
    fitted: PROVIDERS.map((provider) => {
      const { schema: sent, losses, isStrict, restore } = fitSchema(schema, provider);
      return { sent, losses, isStrict, restored: samples.map(restore) };
    }),
    shown: [showSchema(schema), toModelSchema(schema)],
  };
}

/** Answers about one change of a schema, in an input and an output, there and back. */
export function answersOfEdit(before: JsonObject, after: JsonObject): Answers {
  const changes = (["input", "output"] as const).flatMap((side) => [
    ...diffSide(before, after, side),
    ...diffSide(after, before, side),
  ]);
  return { changes: judgeChanges(changes, undefined, {}) };
}

/** Our lists of tools, by name. */
export function readLists(): readonly (readonly [name: string, tools: readonly ToolSnapshot[]])[] {
  return dataFiles("tool-lists")
    .filter((path) => !path.startsWith(SHARED))
    .map((path) => {
      const { tools } = JSON.parse(readFileSync(path, "utf8")) as { readonly tools: readonly ToolSnapshot[] };
      return [basename(path), tools] as const;
    });
}

/** Edits of a tool that its server may make; undefined where there is nothing to edit. */
export const EDITS: Readonly<Record<string, (tool: ToolSnapshot) => ToolSnapshot | undefined>> = {
  "a tool is gone": () => undefined,
  "a tool has another name": (tool) => ({ ...tool, name: `${tool.name}_2` }),
  "a tool has other words": (tool) => ({ ...tool, description: "Other words.", title: "Another" }),
  "a tool has a name of other words": (tool) => ({
    ...tool,
    name: tool.name.replace(/^(?:get|list|search|find)/, "fetch").replace(/(?:create|add)/, "insert"),
  }),
  "a tool has its name in camel case": (tool) => ({
    ...tool,
    name: tool.name.replaceAll(/[-_](.)/g, (_, letter: string) => letter.toUpperCase()),
    description: `${JSON.stringify(tool["description"])} More words follow.`,
  }),
  "tools get one name for each noun": ({ name, ...tool }) =>
    /^(?:get|list)/.test(name)
      ? { ...tool, name: name.replace(/^(?:get|list)/, "read").replace(/s$/, "") }
      : { ...tool, name },
  "a tool writes": (tool) => ({ ...tool, annotations: { readOnlyHint: false, destructiveHint: true } }),
  "a property is gone": (tool) =>
    withProperties(tool, (properties) => Object.fromEntries(properties.slice(1))),
  "a property has another name": (tool) =>
    withProperties(tool, ([[name, schema] = ["", {}], ...rest]) =>
      Object.fromEntries([[`${name}_id`, schema], ...rest]),
    ),
  "a property has another type": (tool) =>
    withProperties(tool, ([[name] = [""], ...rest]) =>
      Object.fromEntries([[name, { type: "boolean" }], ...rest]),
    ),
  "properties are required": ({ inputSchema, ...tool }) => ({
    ...tool,
    inputSchema: { ...objectOrEmpty(inputSchema), required: Object.keys(propertiesOf(inputSchema)) },
  }),
  "a schema is closed": ({ inputSchema, ...tool }) => ({
    ...tool,
    inputSchema: { ...objectOrEmpty(inputSchema), additionalProperties: false, minProperties: 2 },
  }),
};

function propertiesOf(schema: JsonValue | undefined): JsonObject {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? properties : {};
}

function withProperties(
  { inputSchema, ...tool }: ToolSnapshot,
  edit: (properties: readonly (readonly [string, JsonValue])[]) => JsonObject,
): ToolSnapshot {
  return {
    ...tool,
    inputSchema: {
      ...objectOrEmpty(inputSchema),
      properties: edit(Object.entries(propertiesOf(inputSchema))),
    },
  };
}

function lockOf(tools: readonly ToolSnapshot[]): Lockfile {
  return { ...EMPTY_LOCK, servers: { s: lockList(listTools(tools)) } };
}

/** Answers about a list of tools: for models and hosts, and each edit of all tools as every format reports it. */
export async function answersOfList(tools: readonly ToolSnapshot[]): Promise<Answers> {
  const registered = tools.map(registeredTool);
  const lock = lockOf(tools);
  const toolset = createToolset(registered);
  const search = createToolSearch(registered);
  const asks: readonly (readonly [string, JsonObject])[] = [
    ["introspect", {}],
    ["context", {}],
    ...QUERIES.map((query) => ["search_tools", { query }] as const),
    ...tools.map(({ name }) => ["describe", { tool: name }] as const),
    ...tools.map(({ name }) => ["execute", { tool: name, args: { id: [], title: 1 } }] as const),
  ];
  return {
    locked: formatLockfile(lock),
    code: await emit(lock, { servers: { s: { url: "https://s.example/mcp" } } }),
    scanned: scanLock(lock),
    adapted: await Promise.all([
      toOpenAiTools(registered),
      toOpenAiTools(registered, { strict: false, api: "responses" }),
      toAnthropicTools(registered),
      toGeminiTools(registered),
      systemPrompt(registered),
    ]),
    decided: POLICIES.map((policy) =>
      registered.map((tool) => [decide(tool, policy), statedEffectOf(tool, policy)]),
    ),
    tokens: tools.map(estimateTokens),
    hosts: findHostFindings(
      tools.map((definition) => ({ server: "s", name: definition.name, definition })),
      HOST_IDS,
    ),
    described: registered.map((tool) => describeToolData(tool)),
    searched: await Promise.all(
      QUERIES.map(async (query) =>
        (await search.search(query)).map(({ tool, score, fit }) => [tool.name, score.toFixed(6), fit]),
      ),
    ),
    answered: await Promise.all(asks.map(([name, args]) => toolset.answer(name, args))),
  };
}

function registeredTool(definition: ToolSnapshot): RegisteredTool {
  const { inputSchema, outputSchema } = definition;
  return fakeTool(`s__${definition.name}`, {
    ...describeTool(definition),
    server: "s",
    input: readLiveSchema(inputSchema ?? {}),
    inputSchema: () => inputSchema,
    ...(outputSchema !== undefined && { outputSchema: () => outputSchema }),
  });
}

/** Returns how an edit of all tools of a list is reported in each format. */
export async function reportsOfEdit(
  tools: readonly ToolSnapshot[],
  edit: keyof typeof EDITS,
): Promise<Answers> {
  const after = tools.flatMap((tool) => EDITS[edit]?.(tool) ?? []);
  const changes = judgeChanges(diffTools(tools, after), undefined, {});
  const contract = bumpContract("1.2.3", changes);
  const relocked = lockServer(listTools(after), lockList(listTools(tools)), {
    contract,
    categoryOf: (tool) => (tool.includes("e") ? "content" : undefined),
    changes,
  });
  const content = contentOfCheck({ ...nothingFound, changes }, { changes, failOn: "any" });
  const formats = ["text", "json", "markdown", "github", "sarif", "junit"] as const;
  const texts = formats.map(async (format) => [format, await render(format, content)] as const);
  return { relocked, ...Object.fromEntries(await Promise.all(texts)) };
}
