import type {
  ConsumedCall,
  ConsumedServer,
  ConsumedTool,
  Consumer,
  PassedProperty,
  ReadProperty,
} from "./consumer.js";
import { CONSUMER_VERSION } from "./consumer.js";
import { McpCodegenError } from "./errors.js";
import {
  anyJson,
  type FileFormat,
  list,
  mapOf,
  oneOf,
  optional,
  readFormat,
  record,
  anyText,
  textLike,
  wholeNumber,
} from "./format.js";
import type { JsonValue } from "./json.js";
import { DEEPEST_USABLE, measureDepth } from "./limits.js";

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

// A later mcp-codegen may write more keys.
const OPEN = { isOpen: true };
const passed = record<PassedProperty>(
  { path, values: optional(list(anyJson)), sometimes: optional(oneOf(true)), unknown: optional(name) },
  OPEN,
);
const read = record<ReadProperty>(
  { path, places, compares: optional(list(anyJson)), unknown: optional(name) },
  OPEN,
);
const call = record<ConsumedCall>(
  { places, input: optional(anyJson), passes: optional(list(passed)) },
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
      servers: mapOf(server),
    },
    OPEN,
  ),
};

/** Returns the text of a consumer's file: sorted, keys in a fixed order, two spaces, a final newline. */
export function formatConsumer(consumer: Consumer): string {
  return `${CONSUMER_FORMAT.format.print({ ...consumer, $schema: SCHEMA })}\n`;
}

/**
 * Returns the consumer in a parsed file.
 *
 * @param file names the file in errors
 * @throws McpCodegenError `CONSUMER_INVALID`, in one line with the place
 */
export function parseConsumer(value: JsonValue, file: string): Consumer {
  if (measureDepth(value, DEEPEST_USABLE) > DEEPEST_USABLE)
    throw new McpCodegenError(
      "CONSUMER_INVALID",
      `"${file}" is nested too deeply (over ${DEEPEST_USABLE} levels).`,
      { hint: CONSUMER_FORMAT.hint },
    );
  return readFormat(CONSUMER_FORMAT, value, file);
}
