import {
  AWAIT,
  describeValue,
  FUNCTION,
  HOLDER,
  isPromise,
  type OptionKind,
  TEXT,
} from "../../core/check-options.js";
import { listWords } from "../../core/collections.js";
import { isJsonObject } from "../../core/json.js";
import type { AnyTool } from "../../core/tool.js";
import { isTool } from "../../runtime/tool.js";

/** Why a value that looks like a tool is not one, and how to fix it. */
export interface ToolProblem {
  readonly why: string;
  readonly hint: string;
}

const HINT = "Make it with defineStaticTool({ name, input, execute }) of mcp-codegen/agent.";

/** The names that libraries of tools use for the parts of a tool. */
const FUNCTIONS = ["execute", "handler", "run", "invoke", "func", "callback"];
const SCHEMAS = ["input", "inputSchema", "input_schema", "parameters"];
const TEXTS = ["name", "description"];

/**
 * Explains why an export that looks like a tool is not one; undefined for a tool and for any other export. Reads keys of the value,
 * and calls nothing.
 *
 * @param key the name of the export
 */
export async function findToolProblem(value: unknown, key: string): Promise<ToolProblem | undefined> {
  try {
    if (isPromise(value)) {
      if (!(await mayBecomeTool(value, key))) return undefined;
      return { why: "it looks like a tool, but it is a promise.", hint: AWAIT };
    }
    const what = explain(value, key);
    return what === undefined ? undefined : { why: `it looks like a tool, but ${what}.`, hint: HINT };
  } catch {
    // A getter or a proxy that throws.
    return undefined;
  }
}

/** The default export of a module is its tool. Others are not waited for, since they may never settle. */
async function mayBecomeTool(promise: Promise<unknown>, key: string): Promise<boolean> {
  const pending = Symbol("pending");
  const settled = await Promise.race([promise, Promise.resolve(pending)]).catch(() => pending);
  if (settled === pending) return key === "default";
  return isTool(settled) || explain(settled, key) !== undefined;
}

function explain(value: unknown, key: string): string | undefined {
  return HOLDER.is(value) && !isTool(value) ? explainObject(Object(value) as object, key) : undefined;
}

function explainObject(value: object, key: string): string | undefined {
  const read = (name: string): unknown => Reflect.get(value, name);
  // Every function has a name and inherits methods.
  const has = (name: string): boolean =>
    typeof value === "function" ? name !== "name" && Object.hasOwn(value, name) : name in value;
  if (isClass(value)) {
    const isCalledTool = key === "default" || /tool$/i.test(value.name);
    return isCalledTool && FUNCTIONS.some((name) => name in value.prototype) ? "it is a class" : undefined;
  }
  if (has("safe") && has("definition")) {
    const definition = read("definition");
    // Prompts and resources have a definition without an input schema.
    if (!HOLDER.is(definition) || !("inputSchema" in Object(definition))) return undefined;
    const { name, input } = Object(definition) as { readonly name?: unknown; readonly input?: unknown };
    return TEXT.is(name)
      ? `its input is ${describeValue(input)} and not a schema such as one of Zod`
      : `its name is ${describeValue(name)}`;
  }
  if (has("~standard")) return undefined;
  const isCalled = FUNCTIONS.some(has);
  const isDescribed = SCHEMAS.some(has);
  if (!(isCalled && (isDescribed || TEXTS.some(has))) && !(isDescribed && "name" in value)) return undefined;
  const present = [...TEXTS, ...FUNCTIONS, ...SCHEMAS].filter(has);
  const wrong = present.find((name) => !kindOf(name).is(read(name)));
  if (wrong !== undefined) return `its "${wrong}" is ${describeValue(read(wrong))}`;
  if (!("name" in value)) return 'it has no "name"';
  return `it is ${describeValue(value)} with ${listWords(present.map((name) => `"${name}"`))}`;
}

/** Returns the tools in an array or a plain object, but not those of a connection. Runs no getter. */
export function findToolsIn(value: unknown): readonly AnyTool[] {
  try {
    if (Array.isArray(value)) return value.filter(isTool);
    if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype || "close" in value)
      return [];
    const members: readonly PropertyDescriptor[] = Object.values(Object.getOwnPropertyDescriptors(value));
    return members.map((member): unknown => member.value).filter(isTool);
  } catch {
    // A proxy that throws.
    return [];
  }
}

function kindOf(name: string): OptionKind {
  if (TEXTS.includes(name)) return TEXT;
  return FUNCTIONS.includes(name) ? FUNCTION : HOLDER;
}

function isClass(value: object): value is { readonly name: string; readonly prototype: object } {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
}
