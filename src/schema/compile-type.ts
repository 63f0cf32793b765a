import type { compile, JSONSchema, Options } from "json-schema-to-typescript";

// Types are compiled under this name and then renamed: json-schema-to-typescript changes some names.
const PLACEHOLDER = "Schema";

const OPTIONS: Partial<Options> = {
  additionalProperties: false,
  bannerComment: "",
  enableConstEnums: false,
  // Formatting takes five times as long as everything else, and is done once for the whole file.
  format: false,
  ignoreMinAndMaxItems: true,
  unknownAny: true,
  // The types contain no references. If one did, nothing must be read.
  $refOptions: { resolve: { external: false }, dereference: { excludedPathMatcher: () => true } },
};

let loading: Promise<typeof compile> | undefined;

/** Returns the declaration of one type, unformatted: an interface if possible. */
export async function compileType(
  type: JSONSchema,
  name: string,
  options: { readonly isExported: boolean },
): Promise<string> {
  loading ??= import("json-schema-to-typescript").then(findCompile);
  const compiled = await (await loading)(type, PLACEHOLDER, OPTIONS);
  return (
    compiled
      .trim()
      // Lines of comments start with an asterisk and strings contain no line ends, so this matches the declaration.
      .replace(
        /^export (interface|type) Schema\b/m,
        (_, kind: string) => `${options.isExported ? "export " : ""}${kind} ${name}`,
      )
      .replace(/^\/\*\*\n \* ([^@\n][^\n]*)\n \*\/$/gm, (_, comment: string) => `/** ${comment} */`)
      .replaceAll("\u2028", "\\u2028")
      .replaceAll("\u2029", "\\u2029")
  );
}

/** Returns `compile`. A bundler may put all exports of a CommonJS module only into `default`. */
function findCompile(module: {
  readonly compile?: typeof compile;
  readonly default?: { readonly compile: typeof compile };
}): typeof compile {
  const found = module.compile ?? module.default?.compile;
  if (found === undefined) throw new TypeError("json-schema-to-typescript exports no compile().");
  return found;
}
