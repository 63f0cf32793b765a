import type { RecordSettings } from "../../core/connection-settings.js";
import { keepDigitsOf, tryParseExactly, writeExactly } from "../../core/exact-json.js";
import {
  isEqual,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapEntries,
} from "../../core/json.js";
import { compileNamePattern } from "../../core/name-pattern.js";
import { isSecretKey, replaceSecretShapes } from "../../core/secret-shapes.js";
import { scrubSecrets, secretForms } from "../../client/server-errors.js";

/** Replaces a text that must not be written. */
export const REDACTED = "[redacted]";

/** `record` of a server, and the secrets that it was given. */
export interface RedactionRules extends RecordSettings {
  /** Replaces the secrets that the server was given in a text. */
  readonly scrub: (text: string) => string;
}

/**
 * Returns a call without secrets: values under keys such as `password`, values at the configured paths, texts with the shape
 * of a secret, and secrets that the server was given. A secret that is found in one place is replaced in all others.
 */
export function redactCall<Call extends JsonObject>(call: Call, rules: RedactionRules): Call {
  const redactor = createRedactor(rules);
  const redacted = mapMembers(call, (value, path) => redactor.redact(value, path));
  // Every replacement has the type of what it replaces.
  return mapMembers(redacted, (value) => redactor.replaceFound(value)) as Call;
}

/** Converts the values of a call. Its own keys stay, although a secret may be a word such as "result". */
function mapMembers(
  members: JsonObject,
  convert: (value: JsonValue, path: SecretPath) => JsonValue,
  path: SecretPath = [],
): JsonObject {
  return mapEntries(members, (value, key) =>
    path.length === 0 && key === "error" && isJsonObject(value)
      ? mapMembers(value, convert, [key])
      : convert(value, [...path, key]),
  );
}

type SecretPath = readonly string[];

/** Shorter values are words and digits that occur in any text. */
const SHORTEST = 4;
/** JSON in texts in JSON: servers serialize more than once. */
const DEEPEST_TEXT = 3;

/** The part before the value in `password=hunter2`, `"token": "…"`, `\"token\": \"…` and `?api_key=…`, and a value without quotes. */
const ASSIGNMENT = /([A-Za-z_][\w.-]{0,60})(?:\\{0,15}["'])?\s{0,5}[=:]\s{0,5}(?:(\\{0,15})(["'`]))?/g;
const ASSIGNED = /[^\s"',;&}<>]+/y;
const LONGEST_QUOTED = 10_000;
/** The members of `{ "name": "Authorization", "value": "…" }` and its other spellings. */
const PAIR_NAME = /^(?:name|key|header|field|variable|k)$/i;
const PAIR_VALUE = /^(?:values?|content|v)$/i;
const CREDENTIALS = /\b(Bearer|Basic) +(?=[\w.~+/-]*[\d=])[\w.~+/-]{8,}=*/gi;
/** Images and audio, in whose characters a short secret may occur by chance. */
const SHORTEST_IN_BASE64 = 12;
const BASE64 = /^[A-Za-z0-9+/_-]{64,}={0,2}$/;

function createRedactor({ redact = [], keep = [], scrub }: RedactionRules) {
  const redactedPaths = redact.map((path) => path.split("."));
  const keptPaths = keep.map((path) => path.split("."));
  const secrets = new Set<string>();

  /** Replaces the secrets that were found so far, wherever they occur. */
  const replaceFound = (value: JsonValue): JsonValue => {
    const forms = [...secrets].flatMap(secretForms);
    if (forms.length === 0) return value;
    const replaced = mapTexts(value, (text) => {
      const shortest = BASE64.test(text) ? SHORTEST_IN_BASE64 : SHORTEST;
      return scrubSecrets(
        text,
        forms.filter(({ length }) => length >= shortest),
        REDACTED,
      );
    });
    return keepDigitsOf(value, replaced);
  };

  const walk = (value: JsonValue, paths: readonly SecretPath[], secret: Secret, depth: number): JsonValue => {
    const hides = isAtAny(paths, redactedPaths) ? "all" : isAtAny(paths, keptPaths) ? "nothing" : secret;
    if (typeof value === "string")
      return hides === "nothing" ? redactText(value, paths, depth) : hideText(value);
    if (typeof value === "number") return hides === "all" ? hideNumber(value) : scrubNumber(value);
    if (isJsonArray(value)) {
      const [name, ...rest] = value;
      const named = rest.length === 1 && typeof name === "string" ? secretUnder(name) : "nothing";
      return value.map((item, index) =>
        walk(item, inside(paths, String(index)), index === 0 ? hides : widest(hides, named), depth),
      );
    }
    if (!isJsonObject(value)) return value;
    const named = secretOfPair(value);
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const hidden = PAIR_VALUE.test(key) ? widest(named, secretUnder(key)) : secretUnder(key);
        return [redactWords(key), walk(item, inside(paths, key), widest(hides, hidden), depth)];
      }),
    );
  };

  const hideText = (text: string): string => {
    if (text === "") return text;
    remember(text);
    return REDACTED;
  };

  const hideNumber = (number: number): number => {
    remember(String(number));
    return 0;
  };

  const scrubNumber = (number: number): number => {
    const text = String(number);
    return text.length < SHORTEST || scrub(text) === text ? number : 0;
  };

  const remember = (text: string): void => {
    if (text.length >= SHORTEST && !REDACTED.includes(text)) secrets.add(text);
  };

  const redactText = (text: string, paths: readonly SecretPath[], depth: number): string => {
    const json = depth < DEEPEST_TEXT ? parseStructure(text) : undefined;
    if (json === undefined) return redactWords(text);
    // A text that repeats the structured content has its places.
    const isBlock = paths.some((path) => isAt(path, ["result", "content", "*", "text"]));
    const redacted = keepDigitsOf(
      json,
      walk(json, isBlock ? [...paths, ["result", "structuredContent"]] : paths, "nothing", depth + 1),
    );
    if (isEqual(json, redacted)) return text;
    return writeExactly(redacted, text.includes("\n") ? 2 : undefined);
  };

  const redactWords = (text: string): string => {
    const scrubbed = scrub(text);
    const cleaned = scrubbed === text ? text : scrubbed.replaceAll("***", REDACTED);
    const replaced = replaceSecretShapes(cleaned, REDACTED);
    if (BASE64.test(text) && replaced === text) return text;
    return redactAssignments(replaced.replace(CREDENTIALS, `$1 ${REDACTED}`));
  };

  const redactAssignments = (text: string): string => {
    const sign = new RegExp(ASSIGNMENT);
    const word = new RegExp(ASSIGNED);
    let redacted = "";
    let at = 0;
    for (let match = sign.exec(text); match !== null; match = sign.exec(text)) {
      const [, name = "", escapes = "", quote] = match;
      word.lastIndex = sign.lastIndex;
      const value = !isSecretKey(name)
        ? ""
        : quote === undefined
          ? (word.exec(text)?.[0] ?? "")
          : readQuoted(text, sign.lastIndex, { quote, escapes: escapes.length });
      if (value === "" || value.startsWith(REDACTED) || /^(?:Bearer|Basic)$/i.test(value)) continue;
      remember(value);
      redacted += `${text.slice(at, sign.lastIndex)}${REDACTED}`;
      at = sign.lastIndex + value.length;
      sign.lastIndex = at;
    }
    return redacted + text.slice(at);
  };

  return {
    /** Replaces and remembers secrets, which are recognized by their place or shape. */
    redact: (value: JsonValue, path: SecretPath): JsonValue =>
      keepDigitsOf(value, walk(value, [path], "nothing", 0)),
    replaceFound,
  };
}

/** Returns the text up to the closing quote, which has as many backslashes as the opening one; else to the end of the line. */
function readQuoted(
  text: string,
  from: number,
  { quote, escapes }: { readonly quote: string; readonly escapes: number },
): string {
  const rest = text.slice(from, from + LONGEST_QUOTED);
  let backslashes = 0;
  for (let at = 0; at < rest.length; at += 1) {
    const character = rest[at];
    const isClosing = backslashes === escapes || (escapes === 0 && backslashes % 2 === 0);
    if (character === quote && isClosing) return rest.slice(0, at - (escapes === 0 ? 0 : backslashes));
    if (character === "\n") return rest.slice(0, at);
    backslashes = character === "\\" ? backslashes + 1 : 0;
  }
  return rest;
}

/** The parts of a value to hide: texts only, or numbers too. */
type Secret = "nothing" | "texts" | "all";

function secretUnder(key: string): Secret {
  if (isSecretKey(key)) return "all";
  // A key such as "tokens" may be a count.
  return key.length > 1 && /s$/i.test(key) && isSecretKey(key.slice(0, -1)) ? "texts" : "nothing";
}

function secretOfPair(pair: JsonObject): Secret {
  return Object.entries(pair).reduce<Secret>(
    (secret, [key, name]) =>
      typeof name === "string" && PAIR_NAME.test(key) ? widest(secret, secretUnder(name)) : secret,
    "nothing",
  );
}

function widest(a: Secret, b: Secret): Secret {
  if (a === "all" || b === "all") return "all";
  return a === "nothing" ? b : a;
}

function inside(paths: readonly SecretPath[], key: string): readonly SecretPath[] {
  return paths.map((path) => [...path, key]);
}

function isAtAny(paths: readonly SecretPath[], patterns: readonly SecretPath[]): boolean {
  return patterns.some((pattern) => paths.some((path) => isAt(path, pattern)));
}

function isAt(path: SecretPath, pattern: SecretPath): boolean {
  return (
    path.length === pattern.length &&
    pattern.every((step, index) => compileNamePattern(step)(path[index] ?? ""))
  );
}

function parseStructure(text: string): JsonValue | undefined {
  return /^\s*[[{"]/.test(text) ? tryParseExactly(text) : undefined;
}

function mapTexts(value: JsonValue, convert: (text: string) => string): JsonValue {
  if (typeof value === "string") return convert(value);
  if (isJsonArray(value)) return value.map((item) => mapTexts(item, convert));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [convert(key), mapTexts(item, convert)]),
  );
}

/** Whether a value of a recorded call was redacted, so that it need not fit a schema. */
export function isRedacted(value: unknown, path: SecretPath, patterns: readonly string[]): boolean {
  if (typeof value === "string") return value.includes(REDACTED);
  return (
    value === 0 && (path.some(isSecretKey) || patterns.some((pattern) => isAt(path, pattern.split("."))))
  );
}
