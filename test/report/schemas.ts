import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";

const file = fileURLToPath(new URL("../../docs/schemas/reports.schema.json", import.meta.url));

let compiler: Ajv2020 | undefined;

/** Returns a compiler that has the published schema, and keeps the compiled parts: all documents have a few schemas. */
function loadSchema(): Ajv2020 {
  if (compiler !== undefined) return compiler;
  const ajv = new Ajv2020({ allErrors: true, strict: true });
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof schema === "object" && schema !== null) ajv.addSchema(schema);
  compiler = ajv;
  return ajv;
}

/** Returns the errors of a `--json` document according to its published schema; empty if it is valid. */
export function complaints(document: unknown): readonly string[] {
  const report =
    typeof document === "object" && document !== null && "report" in document ? String(document.report) : "?";
  const validate = loadSchema().getSchema(`reports.schema.json#/$defs/${report}-report`);
  if (validate === undefined) return [`no schema is published for the report "${report}"`];
  if (validate(document) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}
