import { McpCodegenError } from "../../core/errors.js";
import { findOwn, getOwn, isJsonObject, type JsonValue } from "../../core/json.js";
import { mapKeyword } from "../../core/subschemas.js";
import { isBounded } from "../../schema/raw/dialect.js";
import { ReferenceResolver, rootLanguage } from "../../schema/raw/resolve-ref.js";
import { foldName, type FoundText, textsOf } from "./texts.js";

/** Private data of the model, its host or the user, which no tool needs. */
const PRIVATE =
  /(?:^| )(?:system prompts?|chain of thought|tool call history|(?:available|all) tools list|sidenote|side note|id rsa|ssh (?:private )?keys?|private (?:ssh )?keys?|mcp config|env file|dot ?env|etc passwd|browser (?:cookies|history)|seed phrase|wallet seed)(?: |$)/;
const CONVERSATION =
  /(?:^| )(?:(?:conversation|chat|dialog(?:ue)?) (?:history|log|transcript|so far)|previous (?:messages|conversation|prompts)|(?:full|entire|whole|complete) (?:conversation|chat|dialog(?:ue)?)|(?:last|latest|raw|verbatim|exact) user (?:message|prompt|input|words)|user (?:message|prompt|input|words) (?:verbatim|raw)|users? words)(?: |$)/;
const PROMPT = /(?:^| )system prompts?(?: |$)/;
const ANOTHER_MODEL =
  /\b(?:llm|model|agent|assistant|(?:chat ?)?bot|completion|generation|extraction|persona|character)s?\b/i;
const THIS_MODEL = /\b(?:your|current|entire|whole|verbatim|so far|word for word)\b/i;
const OF_SERVICE =
  /(?:^| )(openai|anthropic|claude|gemini|github|gitlab|aws|azure|gcp|google|slack|stripe|npm|pypi|docker|cursor|huggingface)(?: \w+){0,2} (?:token|secret|password|api ?key|access key|secret access key|credentials?|key|pat)$/;
const CREDENTIAL =
  /(?:^| )(?:passwords?|passwd|passphrase|secrets?|credentials?|api ?keys?|jwt|bearer|pat|(?:access|auth|api|bearer|refresh|session|id|oauth|secret|personal|user|admin) (?:keys?|tokens?|cookie)|client secret)$|^token$/;

interface SecretNameOptions {
  /** The words in the names of tool and server, as returned by `foldName`. A tool may ask for a credential of its own service. */
  readonly owners: string;
  /** Whether the tool existed without the parameter, so it worked without the credential. */
  readonly isLate: boolean;
  readonly description: () => string;
}

/** Returns the rule that a parameter's name breaks because it asks for something secret. */
export function findSecretName(
  name: string,
  { owners, isLate, description }: SecretNameOptions,
): "poison-secret-parameter" | "conversation-parameter" | undefined {
  const words = foldName(name);
  // A tool may need a prompt or a conversation for another model that it runs: "system prompt for the extraction".
  if ((CONVERSATION.test(words) || PROMPT.test(words)) && isForAnotherModel(description())) return undefined;
  if (CONVERSATION.test(words)) return "conversation-parameter";
  return isSecret(words, owners, isLate) ? "poison-secret-parameter" : undefined;
}

function isSecret(words: string, owners: string, isLate: boolean): boolean {
  // Names and counts of secrets are not secrets.
  if (
    / (?:u?u?ids?|names?|count|type|expiry|length|format|policy|hint|path|location)$/.test(words) ||
    /\bpublic\b/.test(words)
  )
    return false;
  if (isLate && CREDENTIAL.test(words)) return true;
  if (PRIVATE.test(words)) return !/\bkeys?$/.test(words) || !/\bkeys?\b/.test(owners);
  const service = OF_SERVICE.exec(words)?.[1];
  return service !== undefined && !owners.includes(service);
}

/** Whether a parameter is about a model that the tool runs, not about the one that calls it. */
function isForAnotherModel(description: string): boolean {
  return ANOTHER_MODEL.test(description) && !THIS_MODEL.test(description);
}

const INPUT = "/inputSchema";

/** Whether a text is the name of a parameter, at any depth. */
export function isParameter({ path, isKey }: FoundText): boolean {
  return isKey && path.startsWith(`${INPUT}/`) && /\/properties\/[^/]*$/.test(path);
}

/**
 * Returns a test for late parameters: the earlier definition did not have their name, or only at a greater depth. Only
 * the depth matters, since definitions are renamed and branches move: an optional parameter deep in the schema does not
 * justify asking every caller for the same value.
 */
export function compareParameters(before: JsonValue, after: JsonValue): (parameter: FoundText) => boolean {
  const depthBefore = depthsOf(before);
  const nearest = new Map<string, number>();
  for (const parameter of textsOf(before, "").filter(isParameter)) {
    const known = nearest.get(parameter.text);
    const depth = depthBefore(parameter);
    if (known === undefined || depth < known) nearest.set(parameter.text, depth);
  }
  const depthAfter = depthsOf(after);
  return (parameter) => {
    const known = nearest.get(parameter.text);
    return known === undefined || depthAfter(parameter) < known;
  };
}

/** Returns the depth of a parameter; infinite if no path leads to it, since models still read its name. */
function depthsOf(definition: JsonValue): (parameter: FoundText) => number {
  const schema = findOwn(definition, INPUT.slice(1));
  const depths = measureDepths(schema ?? {});
  return ({ path }) => depths.get(path.slice(INPUT.length)) ?? Infinity;
}

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
function measureDepths(root: JsonValue): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  if (!isBounded(root)) return depths;
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

function orUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof McpCodegenError) return undefined;
    throw error;
  }
}
