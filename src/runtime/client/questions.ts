import { omitUndefined } from "../../core/collections.js";
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../core/json.js";
import { printable } from "../../core/printable.js";
import { fitsJsonSchema } from "../../schema/validation/fits-json-schema.js";
import type { JsonSchema } from "../../schema/validation/json-schema.js";
import type { Issue } from "../../core/schema.js";
import type {
  FormQuestion,
  InputAnswer,
  InputChoice,
  InputField,
  InputFieldType,
  InputQuestion,
} from "../../core/input-question.js";
import { findUnsendable } from "../validate-call.js";
import type { RequestOrigin } from "./caller.js";

const MOST_FIELDS = 50;
const MOST_CHOICES = 1_000;
const LONGEST_MESSAGE = 2_000;
const LONGEST_TEXT = 300;
const LONGEST_NAME = 200;
const LONGEST_URL = 4_000;
const FORMATS = ["email", "uri", "date", "date-time"] as const;

/** The parameters are not a question for a person. */
export class InvalidQuestionError extends Error {}

/**
 * Reads a question from the parameters of an `elicitation/create`. The server may be hostile.
 *
 * @param asker the request for which the server asks; only the server if it is unknown
 * @param scrub removes our own secrets from the server's texts
 * @throws InvalidQuestionError for a schema that is not a flat object, an address that is not `http:` or `https:`, and
 *   parameters without a message
 */
export function readQuestion(
  params: JsonObject,
  asker: RequestOrigin,
  scrub: (text: string) => string,
): InputQuestion {
  const text = (value: JsonValue | undefined, limit = LONGEST_TEXT): string | undefined =>
    typeof value === "string" && value !== "" ? printable(scrub(value), limit) : undefined;
  const message = text(getOwn(params, "message"), LONGEST_MESSAGE);
  if (message === undefined) throw new InvalidQuestionError("it has no message");
  const origin = { ...asker, message };
  const mode = getOwn(params, "mode") ?? "form";
  if (mode === "url") return { kind: "url", ...origin, ...readUrl(getOwn(params, "url")) };
  if (mode !== "form") throw new InvalidQuestionError(`its mode is ${quote(mode)}`);
  const fields = readFields(getOwn(params, "requestedSchema"), text);
  return { kind: "form", ...origin, fields, schema: toSchema(fields) };
}

function readUrl(value: JsonValue | undefined): { readonly url: string; readonly host: string } {
  const url =
    typeof value === "string" && value.length <= LONGEST_URL && URL.canParse(value) && new URL(value);
  if (!url) throw new InvalidQuestionError("its address is not a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new InvalidQuestionError(`its address begins with ${quote(url.protocol)}`);
  // Text before an "@" looks like the host.
  if (url.username !== "" || url.password !== "")
    throw new InvalidQuestionError("its address contains credentials");
  return { url: url.href, host: url.host };
}

type ReadText = (value: JsonValue | undefined) => string | undefined;

function readFields(schema: JsonValue | undefined, text: ReadText): FormQuestion["fields"] {
  if (!isJsonObject(schema) || getOwn(schema, "type") !== "object") throw notFlat("it is not an object");
  const properties = getOwn(schema, "properties") ?? {};
  if (!isJsonObject(properties)) throw notFlat("its properties are not an object");
  const required = getOwn(schema, "required") ?? [];
  if (!Array.isArray(required)) throw notFlat('"required" is not a list');
  const entries = Object.entries(properties);
  if (entries.length > MOST_FIELDS) throw notFlat(`it has more than ${MOST_FIELDS} properties`);
  const stray = (required as readonly JsonValue[]).find((name) => !entries.some(([entry]) => entry === name));
  if (stray !== undefined) throw notFlat(`it requires ${quote(stray)}, which is not a property`);
  return entries.map(([name, property]) => {
    if (name === "__proto__" || name.length > LONGEST_NAME || printable(name) !== name || name === "")
      throw notFlat(`it has a property with the name ${quote(name)}`);
    if (!isJsonObject(property)) throw notFlat(`property ${quote(name)} has no schema`);
    const title = text(getOwn(property, "title"));
    const description = text(getOwn(property, "description"));
    const isRequired = required.includes(name);
    return { ...omitUndefined({ name, title, description, isRequired }), ...readType(name, property, text) };
  });
}

function readType(name: string, property: JsonObject, text: ReadText): InputFieldType {
  const standard = getOwn(property, "default");
  const type = getOwn(property, "type");
  switch (typeof type === "string" ? type : "") {
    case "string": {
      const choices = readChoices(name, property, "oneOf", text);
      if (choices !== undefined)
        return omitUndefined({
          type: "choice",
          choices,
          default: isChoice(choices, standard) ? standard : undefined,
        } as const);
      const format = FORMATS.find((candidate) => candidate === getOwn(property, "format"));
      const isPrintable = typeof standard === "string" && printable(standard, LONGEST_MESSAGE) === standard;
      return omitUndefined({
        type: "string",
        format,
        ...limitsOf(property, "minLength", "maxLength"),
        default: isPrintable ? standard : undefined,
      } as const);
    }
    case "number":
    case "integer":
      return omitUndefined({
        type: type === "integer" ? "integer" : "number",
        ...limitsOf(property, "minimum", "maximum"),
        default: typeof standard === "number" ? standard : undefined,
      } as const);
    case "boolean":
      return typeof standard === "boolean" ? { type: "boolean", default: standard } : { type: "boolean" };
    case "array": {
      const items = getOwn(property, "items");
      const choices = isJsonObject(items) ? readChoices(name, items, "anyOf", text) : undefined;
      if (choices === undefined) throw notFlat(`property ${quote(name)} is a list without choices`);
      const isList = Array.isArray(standard) && standard.every((item: JsonValue) => isChoice(choices, item));
      return omitUndefined({
        type: "choices",
        choices,
        ...limitsOf(property, "minItems", "maxItems"),
        default: isList ? standard.map(String) : undefined,
      } as const);
    }
    default:
      throw notFlat(`property ${quote(name)} is of type ${quote(type ?? null)}`);
  }
}

/** Returns the choices of an enum, with or without titles; undefined without an enum. */
function readChoices(
  name: string,
  schema: JsonObject,
  union: "oneOf" | "anyOf",
  text: ReadText,
): readonly InputChoice[] | undefined {
  const values = getOwn(schema, "enum");
  const titled = getOwn(schema, union) ?? getOwn(schema, union === "oneOf" ? "anyOf" : "oneOf");
  const list: unknown = values ?? titled;
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_CHOICES)
    throw notFlat(`property ${quote(name)} has no choices or more than ${MOST_CHOICES}`);
  // The form of titles until 2025-06-18.
  const names = getOwn(schema, "enumNames");
  return (list as readonly JsonValue[]).map((item, at) => {
    const value = values === undefined && isJsonObject(item) ? getOwn(item, "const") : item;
    if (typeof value !== "string") throw notFlat(`property ${quote(name)} has a choice that is not a text`);
    const title = values === undefined && isJsonObject(item) ? getOwn(item, "title") : undefined;
    const named: JsonValue | undefined = Array.isArray(names) ? (names as readonly JsonValue[])[at] : title;
    return { value, title: text(named) ?? printable(value, LONGEST_TEXT) };
  });
}

function isChoice(choices: readonly InputChoice[], value: JsonValue | undefined): value is string {
  return choices.some((choice) => choice.value === value);
}

function limitsOf<Key extends string>(
  schema: JsonObject,
  ...keys: readonly Key[]
): { readonly [K in Key]?: number } {
  const bounds = keys.map((key) => [key, getOwn(schema, key)] as const);
  const limits: { [K in Key]?: number } = {};
  for (const [key, value] of bounds) if (typeof value === "number") limits[key] = value;
  return limits;
}

function toSchema(fields: FormQuestion["fields"]): JsonObject {
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, toPropertySchema(field)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The keys of a field that are keywords of its schema. */
const KEYWORDS = [
  "title", "description", "format", "default",
  "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems",
]; // prettier-ignore

function toPropertySchema(field: InputField): JsonObject {
  const entries = Object.entries<unknown>({ ...field }).filter(([key]) => KEYWORDS.includes(key));
  const kept: unknown = Object.fromEntries(entries);
  const keywords = isJsonObject(kept) ? kept : {};
  if (field.type === "choice") return { type: "string", ...keywords, ...toEnum(field.choices, "oneOf") };
  if (field.type === "choices") return { type: "array", ...keywords, items: toEnum(field.choices, "anyOf") };
  return { type: field.type, ...keywords };
}

/** Choices without titles are an enum, which older servers know too. */
function toEnum(choices: readonly InputChoice[], union: "oneOf" | "anyOf"): JsonObject {
  if (choices.every(({ value, title }) => value === title))
    return { type: "string", enum: choices.map(({ value }) => value) };
  return { [union]: choices.map(({ value, title }) => ({ const: value, title })) };
}

function notFlat(what: string): InvalidQuestionError {
  return new InvalidQuestionError(`its schema is not a flat form: ${what}`);
}

function quote(value: JsonValue): string {
  return printable(JSON.stringify(value), 100);
}

/** Validates the answer of a handler. A handler without types may return anything. */
export function checkAnswer(
  question: InputQuestion,
  answer: InputAnswer,
): { readonly result: JsonObject } | { readonly issues: readonly Issue[] } {
  const values: unknown = answer;
  const action = isJsonObject(values) ? values["action"] : undefined;
  if (action === "decline" || action === "cancel") return { result: { action } };
  if (!isJsonObject(values) || action !== "accept")
    return { issues: [{ message: 'expected { action: "accept", "decline" or "cancel" }' }] };
  if (question.kind === "url") return { result: { action } };
  const content: unknown = values["values"] ?? {};
  const issues: Issue[] = [];
  fitsJsonSchema(answerSchema(question.fields))({ value: content, issues });
  issues.push(...findUnsendable(content));
  return issues.length > 0 || !isJsonObject(content) ? { issues } : { result: { action, content } };
}

function answerSchema(fields: readonly InputField[]): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Returns the schema of one value. The check ignores the other keys of a field. */
function fieldSchema(field: InputField): JsonSchema {
  if (!("choices" in field)) return field;
  const choice = { enum: field.choices.map(({ value }) => value) };
  if (field.type === "choice") return choice;
  const { minItems, maxItems } = field;
  return omitUndefined({ type: "array", items: choice, uniqueItems: true, minItems, maxItems } as const);
}
