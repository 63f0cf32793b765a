import { findInexactNumbers, type InexactNumber, replaceNumbers } from "../../core/exact-json.js";
import { joinPointer } from "../../core/json-pointer.js";
import type { JsonValue } from "../../core/json.js";
import { DEEPEST_LOCKABLE } from "../../core/limits.js";
import { holderOf } from "../../core/subschemas.js";

interface KeptNumbers {
  readonly value: JsonValue;
  /** Why no code can be generated: an inexact number in `const` or `enum`, where it is the value of an argument. */
  readonly fault: NumberFault | undefined;
}

interface NumberFault {
  /** JSON Pointer in the definition. */
  readonly path: string;
  readonly message: string;
}

/**
 * Returns a definition with each number that JavaScript cannot hold as its text. A rounded bound, default or example would
 * be wrong without notice; as a text it is locked and compared digit by digit, and a bound is not checked.
 *
 * @param value the definition of a tool or an ability
 * @param inexact its inexact numbers, with their paths in it
 */
export function keepNumbers(value: JsonValue, inexact: readonly InexactNumber[] = []): KeptNumbers {
  // A definition that is nested deeper is refused.
  const reached = inexact.filter(({ path }) => path.length <= DEEPEST_LOCKABLE);
  const fault = reached.find(({ path }) => isValue(path));
  return { value: replaceNumbers(value, reached, (token) => token), fault: fault && describeFault(fault) };
}

/** Returns the inexact numbers of each entry of a list, by its index and with their paths in it. */
export function findInexactByEntry(
  text: string,
  list: readonly (string | number)[],
): ReadonlyMap<number, readonly InexactNumber[]> {
  const numbers = new Map<number, InexactNumber[]>();
  for (const { path, token } of findInexactNumbers(text)) {
    const index = path[list.length];
    if (typeof index !== "number" || !list.every((key, depth) => path[depth] === key)) continue;
    const ofEntry = numbers.get(index) ?? [];
    numbers.set(index, ofEntry);
    ofEntry.push({ path: path.slice(list.length + 1), token });
  }
  return numbers;
}

const SCHEMAS: readonly unknown[] = ["inputSchema", "outputSchema", "input_schema", "output_schema"];

/** Whether the path leads into `const` or `enum` of a schema. */
function isValue([first, ...path]: readonly (string | number)[]): boolean {
  if (!SCHEMAS.includes(first)) return false;
  for (let depth = 0; depth < path.length;) {
    const keyword = path[depth];
    if (keyword === "const" || keyword === "enum") return true;
    const holder = typeof keyword === "string" ? holderOf(keyword) : undefined;
    if (holder === undefined) return false;
    // `items` may be a list.
    depth += holder === "one" && typeof path[depth + 1] !== "number" ? 1 : 2;
  }
  return false;
}

function describeFault({ path, token }: InexactNumber): NumberFault {
  const number = token.length > 40 ? `${token.slice(0, 40)}…` : token;
  return {
    path: joinPointer("", ...path),
    message: `JavaScript cannot hold the number ${number}.`,
  };
}
