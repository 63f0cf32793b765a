import { type Config, CONFIG_KEYS, SERVER_KEYS } from "./config.js";

const SCHEMA = "./node_modules/mcp-codegen/docs/schemas/config.schema.json";

/**
 * Returns the text of a configuration file, as `init` writes it. Every string becomes a string literal.
 *
 * @param hasPackage Whether the package is installed beside the file, so that JSON can name its schema.
 */
export function formatConfig(config: Config, language: "ts" | "json", hasPackage = true): string {
  const ordered = {
    ...pick(config, CONFIG_KEYS),
    servers: Object.fromEntries(
      Object.entries(config.servers).map(([name, server]) => [name, pick(server, SERVER_KEYS)]),
    ),
  };
  if (language === "json")
    return `${JSON.stringify({ $schema: hasPackage ? SCHEMA : undefined, ...ordered }, null, 2)}\n`;
  // Annotated, since `isolatedDeclarations` requires a type for the exported result of a call.
  const text = `const config: Config = defineConfig(${printValue(ordered, "")});\n\nexport default config;\n`;
  return `import { defineConfig, type Config } from "mcp-codegen";\n\n${text}`;
}

function pick(value: object, keys: readonly string[]): { [key: string]: unknown } {
  const entries = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(keys.filter((key) => entries.has(key)).map((key) => [key, entries.get(key)]));
}

const WIDTH = 100;

function printValue(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return wrap(
      "[",
      value.map((item) => printValue(item, inner)),
      "]",
      indent,
    );
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([key, item]) => `${printKey(key)}: ${printValue(item, inner)}`,
    );
    return wrap("{", members, "}", indent);
  }
  return escapeLineSeparators(JSON.stringify(value));
}

function wrap(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return `${open}${close}`;
  const space = open === "{" ? " " : "";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (!line.includes("\n") && indent.length > 2 && line.length + indent.length <= WIDTH - 20) return line;
  return `${open}\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}${close}`;
}

/** `__proto__` is written as a computed key: a plain key would set the prototype. */
function printKey(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : escapeLineSeparators(JSON.stringify(key));
}

/**
 * Escapes U+2028 and U+2029 in the text of a JSON string: older JavaScript parsers treat them as line ends, and they
 * are invisible.
 */
function escapeLineSeparators(json: string): string {
  return json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}
