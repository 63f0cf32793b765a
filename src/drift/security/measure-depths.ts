import { McpCodegenError } from "../../contract/errors.js";
import { getOwn, isJsonObject, type JsonValue } from "../../contract/json.js";
import { assertBounded } from "../../schema/assert-bounded.js";
import { ReferenceResolver, rootLanguage } from "../../schema/resolve-ref.js";
import { mapKeyword } from "../../contract/subschemas.js";

/** Keywords whose subschemas describe the same value as their schema. */
const SAME_VALUE: ReadonlySet<string> = new Set([
  "allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then",
]); // prettier-ignore
/** Keywords with schemas that only references use. */
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"]);
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

interface Node {
  readonly schema: JsonValue;
  /** JSON Pointer into the document. */
  readonly pointer: string;
}

/**
 * Returns the depth of each property in a value, by its JSON Pointer in the schema. Where several paths lead to a property,
 * the shortest counts. References and branches are not steps, so an equivalent schema has the same depths. Unreachable
 * properties are left out, and so is everything in a schema that is too deep or too large to read.
 */
export function measureDepths(root: JsonValue): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  if (!isReadable(root)) return depths;
  const follow = makeFollower(root);
  const seen = new Set<string>();
  let level: Node[] = [{ schema: root, pointer: "" }];
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: Node[] = [];
    // The level grows in the loop: subschemas of the same value belong to the same level.
    for (const { schema, pointer } of level) {
      if (seen.has(pointer) || !isJsonObject(schema)) continue;
      seen.add(pointer);
      level.push(...REFERENCES.flatMap((keyword) => follow(getOwn(schema, keyword), keyword, pointer)));
      for (const [keyword, value] of Object.entries(schema)) {
        if (DEFINITIONS.has(keyword)) continue;
        const below = SAME_VALUE.has(keyword) ? level : next;
        mapKeyword(keyword, value, pointer, (inner, at) => {
          if (keyword === "properties") depths.set(at, depth);
          below.push({ schema: inner, pointer: at });
          return inner;
        });
      }
    }
    level = next;
  }
  return depths;
}

type Follow = (
  ref: JsonValue | undefined,
  keyword: (typeof REFERENCES)[number],
  at: string,
) => readonly Node[];

/** Returns a function that resolves a reference in the document; it returns nothing for any other reference. */
function makeFollower(root: JsonValue): Follow {
  const resolver = new ReferenceResolver(root, rootLanguage(root, {}, {}), {});
  const scope = resolver.rootScope;
  return (ref, keyword, at) => {
    if (typeof ref !== "string") return [];
    const here = { ...scope, resource: scope.document.resourceAround(at) };
    const place = orUndefined(() =>
      keyword === "$ref" ? resolver.resolve(ref, here, at) : resolver.resolveDynamic(ref, here, at),
    );
    const schema = place?.resource.document.find(place.pointer);
    return place === undefined || schema === undefined ? [] : [{ schema, pointer: place.pointer }];
  };
}

function isReadable(schema: JsonValue): boolean {
  return (
    orUndefined(() => {
      assertBounded(schema);
      return true;
    }) === true
  );
}

function orUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}
