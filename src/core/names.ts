import { STATIC_TOOLS } from "./connection.js";
import { textLike, type ValueFormat } from "./format.js";
import { DEFAULT_VIEW } from "./snapshot.js";

/** The names that people choose for servers and variants. They become identifiers and names of folders. */
const SERVER_NAME = /^[a-z][a-z0-9_]*$/;
export const VARIANT_NAME = /^[A-Za-z]\w*$/;

/** The name of a server in a file of ours. */
export const serverName: ValueFormat<string> = nameLike(SERVER_NAME, "my_server", STATIC_TOOLS);

/** The name of a server's variant in a file of ours. */
export const variantName: ValueFormat<string> = nameLike(VARIANT_NAME, "my_variant", DEFAULT_VIEW);

function nameLike(pattern: RegExp, example: string, reserved: string): ValueFormat<string> {
  return textLike(
    { pattern: pattern.source, not: { const: reserved } },
    `expected a name such as ${example}`,
    (name) => pattern.test(name) && name !== reserved,
  );
}
