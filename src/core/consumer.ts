import { digestOf } from "./digest.js";
import {
  anyJson,
  anyText,
  custom,
  type FileFormat,
  FormatError,
  list,
  mapOf,
  oneOf,
  optional,
  readFormat,
  record,
  textLike,
  wholeNumber,
} from "./format.js";
import { joinPointer, splitPointer } from "./json-pointer.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue, withoutKeys } from "./json.js";
import { DEEPEST_USABLE, measureDepth } from "./limits.js";
import { serverName } from "./names.js";
import type { ToolSnapshot } from "./snapshot.js";
import { mapSubschemas } from "./subschemas.js";

/** The file that `export` writes: what one project uses of the tools of its servers. */
export const CONSUMER_NAME = "mcp-codegen.consumer.json";

/** The version of the format. */
export const CONSUMER_VERSION = 1;

/** What a project uses of its servers' tools. It holds no code; see `docs/schemas/consumer.schema.json`. */
export interface Consumer {
  /** Where editors find the schema of this file. */
  readonly $schema?: string;
  /** Newer versions are refused. */
  readonly consumerVersion: typeof CONSUMER_VERSION;
  /** The name that reports give to the project. */
  readonly consumer: string;
  /** By the name in the consumer's configuration. */
  readonly servers: { readonly [server: string]: ConsumedServer };
}

export interface KnownConsumer {
  /** The path of its file: posix, from the working folder. */
  readonly file: string;
  readonly consumer: Consumer;
}

/** What happens to answers that do not fit the locked output schema: see `servers.<name>.validateOutput`. */
type AnswerMode = "strict" | "tolerant" | "warn" | "off";

export interface ConsumedServer {
  /** The contract version in the consumer's lock. */
  readonly contract: string;
  /** The name that the server gives itself. */
  readonly serverName?: string;
  /** What happens to answers that do not fit the locked output schema: servers.<name>.validateOutput. */
  readonly answers: AnswerMode;
  readonly tools: { readonly [tool: string]: ConsumedTool };
}

export interface ConsumedTool {
  /** The digest in the consumer's lock. */
  readonly digest: string;
  /** The digest of the schemas without texts, as {@link digestOfSchemas} returns it. */
  readonly schemas: string;
  /** The name of the WordPress ability behind the tool. */
  readonly ability?: string;
  /** The different calls. Equal ones are counted. */
  readonly calls: readonly ConsumedCall[];
  /** The output properties that are read, by path. */
  readonly reads: readonly ReadProperty[];
  /** What the code does with the tool that cannot be analysed. Then anything may be passed, and anything read. */
  readonly unknown?: readonly string[];
  /** The files that use the tool; only with `--paths`. */
  readonly files?: readonly string[];
}

export interface ConsumedCall {
  /** In how many places of the code. */
  readonly places: number;
  /** The whole input, if the code alone determines it. */
  readonly input?: JsonValue;
  /** Otherwise, what the call passes, by path. */
  readonly passes?: readonly PassedProperty[];
}

/** A path is a JSON Pointer into a value; `*` is any item of an array, and any key of a map. */
export interface PassedProperty {
  /** A JSON Pointer into the value; * is any item of an array and any key of a map. A property named * is written ~2. */
  readonly path: string;
  /** All possible values, if the code alone determines them. */
  readonly values?: readonly JsonValue[];
  /** Whether some runs of the call do not pass it. */
  readonly sometimes?: true;
  /** Why it is not known what is passed at and below the path. */
  readonly unknown?: string;
}

export interface ReadProperty {
  /** A JSON Pointer into the value; * is any item of an array and any key of a map. A property named * is written ~2. */
  readonly path: string;
  /** In how many places of the code. */
  readonly places: number;
  /** The values that the code compares it with. */
  readonly compares?: readonly JsonValue[];
  /** Why anything at and below the path may be read. */
  readonly unknown?: string;
}

/** The step of a path for any item or key. */
export const ANY_STEP = "*";

/** Returns a path with one more property. A property named `*` is written `~2`. */
export function joinProperty(path: string, name: string): string {
  return name === ANY_STEP ? `${path}/~2` : joinPointer(path, name);
}

/** The steps of a path; undefined for any item or key. */
export function splitPath(path: string): readonly (string | undefined)[] {
  return path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((step) =>
          step === ANY_STEP ? undefined : step === "~2" ? ANY_STEP : splitPointer(`/${step}`)[0],
        );
}

/** Keywords that neither accept nor reject a value. */
const TEXTS = [
  ...["$comment", "$schema", "default", "deprecated", "description", "examples", "readOnly", "title"],
  "writeOnly",
];

/** Returns the digest of a tool's schemas without texts: equal for tools whose calls and answers have the same rules. */
export function digestOfSchemas(tool: ToolSnapshot): string {
  const bare = (schema: JsonValue | undefined): JsonValue =>
    isJsonObject(schema) ? withoutTexts(schema) : (schema ?? null);
  return digestOf([bare(getOwn(tool, "inputSchema")), bare(getOwn(tool, "outputSchema"))]);
}

function withoutTexts(schema: JsonObject): JsonObject {
  return mapSubschemas(withoutKeys(schema, ...TEXTS), (subschema) => withoutTexts(subschema));
}

/** The schema of the file, where editors find it in a project that has the package. */
const SCHEMA = "./node_modules/mcp-codegen/docs/schemas/consumer.schema.json";

/** The names of a file go to reports, which print them in one line. */
const LONGEST_NAME = 200;
const name = textLike(
  { minLength: 1, maxLength: LONGEST_NAME },
  `expected a text of 1 to ${LONGEST_NAME} characters`,
  (value) => value !== "" && value.length <= LONGEST_NAME,
);
const path = textLike(
  { pattern: "^(?:/|$)" },
  'expected a path such as "/items/*/price"',
  (value) => value === "" || value.startsWith("/"),
);
const places = wholeNumber(1);
const json = custom({}, (value, at): JsonValue => {
  const read = anyJson.read(value, at);
  if (measureDepth(read, DEEPEST_USABLE) <= DEEPEST_USABLE) return read;
  throw new FormatError(at, `nested too deeply (over ${DEEPEST_USABLE} levels)`);
});

// A later mcp-codegen may write more keys.
const OPEN = { isOpen: true };
const passed = record<PassedProperty>(
  { path, values: optional(list(json)), sometimes: optional(oneOf(true)), unknown: optional(name) },
  OPEN,
);
const read = record<ReadProperty>(
  { path, places, compares: optional(list(json)), unknown: optional(name) },
  OPEN,
);
const call = record<ConsumedCall>(
  { places, input: optional(json), passes: optional(list(passed)) },
  { isOpen: true, either: ["input", "passes"] },
);
const tool = record<ConsumedTool>(
  {
    digest: name,
    schemas: name,
    ability: optional(name),
    calls: list(call),
    reads: list(read),
    unknown: optional(list(anyText)),
    files: optional(list(anyText)),
  },
  OPEN,
);
const server = record<ConsumedServer>(
  {
    contract: name,
    serverName: optional(name),
    answers: oneOf("strict", "tolerant", "warn", "off"),
    tools: mapOf(tool),
  },
  OPEN,
);

export const CONSUMER_FORMAT: FileFormat<Consumer> = {
  code: "CONSUMER_INVALID",
  hint: 'Get it from the consumer, who writes it with "npx mcp-codegen export".',
  version: ["consumerVersion", CONSUMER_VERSION],
  format: record<Consumer>(
    {
      $schema: optional(anyText),
      consumerVersion: oneOf(CONSUMER_VERSION),
      consumer: name,
      servers: mapOf(server, serverName),
    },
    OPEN,
  ),
};

/** Returns the text of a consumer's file: sorted, keys in a fixed order, two spaces, a final newline. */
export function formatConsumer(consumer: Consumer): string {
  return `${CONSUMER_FORMAT.format.print({ ...consumer, $schema: SCHEMA })}\n`;
}

/** Returns the consumer in a parsed file, which errors call `file`. Throws `CONSUMER_INVALID`, with the place. */
export function parseConsumer(value: JsonValue, file: string): Consumer {
  return readFormat(CONSUMER_FORMAT, value, file);
}
