import { isJsonObject, type JsonObject } from "../../contract/json.js";
import { fitsJsonSchema } from "../../validation/fits-json-schema.js";
import type { JsonSchema } from "../../validation/json-schema.js";
import type { Issue } from "../../validation/schema.js";
import type { InputAnswer, InputField, InputQuestion } from "../input-question.js";

/** What is sent to a server as the answer to a question, or why an answer cannot be sent. */
export type CheckedAnswer = { readonly result: JsonObject } | { readonly issues: readonly Issue[] };

/** Validates the answer that a handler returned, before it is sent. Handlers without types may return anything. */
export function checkAnswer(question: InputQuestion, answer: InputAnswer): CheckedAnswer {
  const given: unknown = answer;
  const action = isJsonObject(given) ? given["action"] : undefined;
  if (action === "decline" || action === "cancel") return { result: { action } };
  if (!isJsonObject(given) || action !== "accept")
    return { issues: [{ message: 'expected { action: "accept", "decline" or "cancel" }' }] };
  if (question.kind === "url") return { result: { action } };
  const content: unknown = given["values"] ?? {};
  const issues: Issue[] = [];
  fitsJsonSchema(answerSchema(question.fields))({ value: content, issues });
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

/** Returns the schema of one value. The further keys of a field mean nothing to the check. */
function fieldSchema(field: InputField): JsonSchema {
  switch (field.type) {
    case "choice":
      return { enum: field.choices.map(({ value }) => value) };
    case "choices": {
      const { minItems, maxItems } = field;
      return {
        type: "array",
        items: { enum: field.choices.map(({ value }) => value) },
        uniqueItems: true,
        ...(minItems !== undefined && { minItems }),
        ...(maxItems !== undefined && { maxItems }),
      };
    }
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return field;
    default:
      return field satisfies never;
  }
}
