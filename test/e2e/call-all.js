// Calls every tool of some servers in compiled generated code with the minimal valid arguments, and prints the results as
// one JSON object: by server and tool, the text of the result or the error.
import process from "node:process";
import { pathToFileURL } from "node:url";

const [path = "", ...names] = process.argv.slice(2);

/** @param {any} schema */
function leastInput({ required, properties }) {
  const keys = Array.isArray(required) ? required : [];
  // Only entries keep keys named __proto__.
  return Object.fromEntries(
    keys.map((key) => [key, Object.hasOwn(properties, key) && properties[key].type === "integer" ? 1 : key]),
  );
}

/** @type {Record<string, Record<string, any>>} */
const servers = await import(pathToFileURL(path).href);
const entries = await Promise.all(
  names.map(async (server) => {
    const tools = Object.values(servers[server] ?? {}).filter(
      (value) => typeof value === "function" && "definition" in value,
    );
    const answers = await Promise.all(
      tools.map(async ({ safe, definition }) => {
        const result = await safe(leastInput(definition.inputSchema()), { output: "strict" });
        if (!result.ok) return [definition.name, { error: result.error.message }];
        return [definition.name, definition.output ? { value: result.value } : { text: result.value.text }];
      }),
    );
    return [server, Object.fromEntries(answers)];
  }),
);
process.stdout.write(
  JSON.stringify({ isPwned: "pwned" in globalThis, servers: Object.fromEntries(entries) }),
);
