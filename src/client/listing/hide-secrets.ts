import { McpCodegenError } from "../../core/errors.js";
import { byCodeUnit } from "../../core/json.js";
import { HIDDEN_SECRET } from "../../core/secret-shapes.js";
import type { ServerSnapshot } from "../../core/snapshot.js";
import type { Endpoint } from "../endpoint.js";
import { scrubSecrets, secretForms } from "../server-errors.js";

/** Returns a value with every secret of a connection replaced by a mark, also in keys. */
export type HideSecrets = <T>(value: T) => T;

/** A server may encode a text several times. */
const MOST_ENCODINGS = 3;

/**
 * Returns a function that hides the secrets of a connection in what its server lists: raw, in Base64, percent-encoded or
 * escaped as JSON. Each value without them is returned unchanged. OAuth adds tokens while a server is listed, so call this after.
 */
export function hideSecretsOf({ credentials = [] }: Endpoint): HideSecrets {
  if (credentials.length === 0) return (value) => value;
  const forms = [...new Set(credentials.flatMap(secretForms))];
  const hasSecret = (text: string): boolean => forms.some((form) => text.includes(form));
  const hideText = (text: string): string => {
    const hidden = hasSecret(text) ? scrubSecrets(text, forms, HIDDEN_SECRET) : text;
    let decoded = hidden;
    for (let round = 0; round < MOST_ENCODINGS; round += 1) {
      const next = decode(decoded);
      if (next === decoded) break;
      if (hasSecret(next)) return HIDDEN_SECRET;
      decoded = next;
    }
    return hidden;
  };
  const hide = (value: unknown): unknown => {
    if (typeof value === "string") return hideText(value);
    if (typeof value === "number") return hasSecret(String(value)) ? HIDDEN_SECRET : value;
    if (Array.isArray(value)) {
      const items = value.map(hide);
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const hidden = entries.map(([key, item]) => [hideText(key), hide(item)] as const);
    const isEqual = hidden.every(
      ([key, item], index) => key === entries[index]?.[0] && item === entries[index][1],
    );
    return isEqual ? value : Object.fromEntries(hidden);
  };
  // A replacement has the type of what it replaces, except for a number, which nothing reads as one.
  return <T>(value: T): T => hide(value) as T;
}

/** Hides secrets in a snapshot. Names that become equal are one tool. */
export function hideInSnapshot(snapshot: ServerSnapshot, hide: HideSecrets): ServerSnapshot {
  const hidden = hide(snapshot);
  if (hidden === snapshot) return snapshot;
  const tools = new Map(hidden.tools.map((tool) => [tool.name, tool]));
  return { ...hidden, tools: [...tools.values()].sort((a, b) => byCodeUnit(a.name, b.name)) };
}

/** Undoes percent-encoding and the escapes of JSON, each where it is valid. */
function decode(text: string): string {
  const plain = text.includes("%") ? text.replace(/(?:%[\da-f]{2})+/gi, decodePercent) : text;
  if (!plain.includes("\\")) return plain;
  return plain
    .replace(/\\u([\da-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\(["\\/])/g, "$1");
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-7][\da-f])/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
}

/** Returns an error without the secrets of a connection: it may quote what the server listed. */
export function hideInError(error: unknown, { secrets }: Endpoint): unknown {
  if (!(error instanceof McpCodegenError)) return error;
  const { code, message, hint, stderr } = error;
  const scrubbed = scrubSecrets(message, secrets);
  return scrubbed === message ? error : new McpCodegenError(code, scrubbed, { hint, stderr });
}
