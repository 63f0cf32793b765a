import { getOwn, isJsonObject } from "../../contract/json.js";
import { oneLine } from "../../contract/one-line.js";
import { tryParseJson } from "../try-parse-json.js";

/** Returns the account in a JSON Web Token, to be shown; undefined for another token. Its signature is not verified. */
export function subjectOf(token: string): string | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  let text: string;
  try {
    text = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  const claims = tryParseJson(text);
  const subject = isJsonObject(claims) ? getOwn(claims, "sub") : undefined;
  return typeof subject === "string" && subject !== "" ? oneLine(subject, 100) : undefined;
}
