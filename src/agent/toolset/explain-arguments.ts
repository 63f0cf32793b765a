import { getOwn, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from "../../core/json.js";
import { nearestName } from "../../core/nearest-name.js";
import type { Issue } from "../../core/schema.js";
import { explainIssues, toModelIssue, valueAtPath } from "../../schema/validation/schema.js";
import { followReference, relevantSubschema } from "./describe-tool-data.js";

type ExplainedArguments = {
  readonly issues: readonly JsonObject[];
  /** The part of the schema that the issues are about. */
  readonly schema: JsonObject;
};

/** Explains to a model why arguments do not fit: with the name that it probably meant for an unknown one. */
export function explainArguments(
  schema: JsonObject,
  issues: readonly Issue[],
  args: unknown,
): ExplainedArguments {
  const explained = suggestNames(schema, issues, args);
  return {
    issues: explained.map((issue) => ({ ...toModelIssue(issue) })),
    schema: relevantSubschema(
      schema,
      explained.map(({ about, path }) => about ?? path),
    ),
  };
}

/** Returns the first issues in readable form, with the property that a model probably meant by an unknown name. */
export function suggestNames(
  schema: JsonObject,
  issues: readonly Issue[],
  args: unknown,
): readonly SuggestedIssue[] {
  return explainIssues(issues).map(({ path, message }) =>
    suggestName({ message, path: path.map(String) }, schema, args),
  );
}

interface SuggestedIssue {
  readonly message: string;
  /** The path of the value. */
  readonly path: readonly string[];
  /** The path of the schema that helps, if it is another one. */
  readonly about?: readonly string[];
}

const UNKNOWN = /^Unrecognized keys?: (.*)$/s;
const MISSING = "Required property is missing";

function suggestName(issue: SuggestedIssue, schema: JsonObject, args: unknown): SuggestedIssue {
  const { path } = issue;
  const unknown = UNKNOWN.exec(issue.message)?.[1];
  if (unknown !== undefined) {
    const names = Object.keys(propertiesAt(schema, path));
    const sent = [...unknown.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => String(JSON.parse(text)));
    const [near] = sent.flatMap((key) => nearestName(key, names) ?? []);
    return near === undefined
      ? issue
      : {
          ...issue,
          message: `${issue.message}. Did you mean ${JSON.stringify(near)}?`,
          about: [...path, near],
        };
  }
  const parent = path.slice(0, -1);
  const name = path.at(-1);
  if (issue.message !== MISSING || name === undefined) return issue;
  const schemaPart = propertiesAt(schema, parent);
  const value = valueAtPath(args, parent);
  const sent = isJsonObject(value)
    ? Object.keys(value).filter((key) => getOwn(schemaPart, key) === undefined)
    : [];
  const near = nearestName(name, sent);
  const more =
    near === undefined ? "" : `. You sent ${JSON.stringify(near)}: did you mean ${JSON.stringify(name)}?`;
  return { ...issue, message: `${issue.message}${more}` };
}

function propertiesAt(schema: JsonObject, path: readonly string[]): JsonObject {
  let at: JsonValue | undefined = schema;
  for (const key of path) {
    const whole: JsonObject = followReference(at, schema);
    at =
      /^\d+$/.test(key) && getOwn(whole, "items") !== undefined
        ? getOwn(whole, "items")
        : getOwn(objectOrEmpty(getOwn(whole, "properties")), key);
  }
  return objectOrEmpty(getOwn(followReference(at, schema), "properties"));
}
