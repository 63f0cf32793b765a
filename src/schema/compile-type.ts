import type { compile, JSONSchema, Options } from "json-schema-to-typescript";

// It compiles under a name of ours and is renamed: it would turn some names into others.
const PLACEHOLDER = "Schema";

const OPTIONS: Partial<Options> = {
  additionalProperties: false,
  bannerComment: "",
  enableConstEnums: false,
  // Formatting is five times the cost of everything else, and is done once for the whole file.
  format: false,
  ignoreMinAndMaxItems: true,
  unknownAny: true,
  // It is given no reference; should it see one all the same, it reads nothing.
  $refOptions: { resolve: { external: false }, dereference: { excludedPathMatcher: () => true } },
};

let loading: Promise<typeof compile> | undefined;

/** The declaration of one type, unformatted: an interface where it can be one. */
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
      // A line of a comment starts with a star, and no string holds a line end: this is the declaration's own line.
      .replace(
        /^export (interface|type) Schema\b/m,
        (_, kind: string) => `${options.isExported ? "export " : ""}${kind} ${name}`,
      )
      .replace(/^\/\*\*\n \* ([^@\n][^\n]*)\n \*\/$/gm, (_, comment: string) => `/** ${comment} */`)
      .replaceAll("\u2028", "\\u2028")
      .replaceAll("\u2029", "\\u2029")
  );
}

/** A bundler may put everything that a CommonJS module exports into `default` and nothing beside it. */
function findCompile(module: {
  readonly compile?: typeof compile;
  readonly default?: { readonly compile: typeof compile };
}): typeof compile {
  const found = module.compile ?? module.default?.compile;
  if (found === undefined) throw new TypeError("json-schema-to-typescript exports no compile().");
  return found;
}
