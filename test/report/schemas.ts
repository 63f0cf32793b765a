import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";

const folder = fileURLToPath(new URL("../../docs/schemas/", import.meta.url));

let compiler: Ajv2020 | undefined;

/** Returns a compiler that has the published schemas, and keeps the compiled ones: all documents have a few schemas. */
function loadSchemas(): Ajv2020 {
  if (compiler !== undefined) return compiler;
  const ajv = new Ajv2020({ allErrors: true, strict: true });
  for (const name of readdirSync(folder).filter((file) =>
    /-(report|parts)\.schema\.json$|report-parts/.test(file),
  )) {
    const schema: unknown = JSON.parse(readFileSync(folder + name, "utf8"));
    if (typeof schema === "object" && schema !== null) ajv.addSchema(schema);
  }
  compiler = ajv;
  return ajv;
}

/** Returns the errors of a `--json` document according to its published schema; empty if it is valid. */
export function complaints(document: unknown): readonly string[] {
  const report =
    typeof document === "object" && document !== null && "report" in document ? String(document.report) : "?";
  const validate = loadSchemas().getSchema(`${report}-report.schema.json`);
  if (validate === undefined) return [`no schema is published for the report "${report}"`];
  if (validate(document) === true) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}
