import { ts } from "ts-morph";
import {
  sortCanonically,
  byCodeUnit,
  isEqual,
  isJsonArray,
  isJsonObject,
  type JsonValue,
} from "../core/json.js";
import { ANY_STEP, joinProperty, type PassedProperty } from "../core/consumer.js";
import { isSecretKey, isSecretValue } from "../core/secret-shapes.js";
import type { ToolCall } from "./tool-finder.js";
import {
  alternativesOf,
  evaluate,
  literalOf,
  propertyNameOf,
  typeOfExpression,
  valueOfElement,
  valuesOfType,
} from "./find-values.js";

/** The input of a call, or else the properties that it passes. */
export interface PassedInput {
  readonly input?: JsonValue;
  readonly passes?: readonly PassedProperty[];
}

/** Returns the input of a call if the code alone determines it, or else the properties that it passes. */
export function findPassed({ node }: ToolCall, checker: ts.TypeChecker): PassedInput {
  const [argument] = node.arguments;
  if (argument === undefined) return { input: {} };
  if (ts.isSpreadElement(argument)) return { passes: [{ path: "", unknown: "spreads a list of arguments" }] };
  const whole = evaluate(literalOf(argument, checker, 0), checker, 0);
  const [input] = whole ?? [];
  if (whole?.length === 1 && input !== undefined && isPublic(input)) return { input };
  const collector = new Collector(checker);
  collector.addExpression(argument, "", true, 0);
  return { passes: collector.list() };
}

/** Longer texts are content, not settings. */
const LONGEST_TEXT = 120;
/** Deeper than any input that is written by hand, and a limit for recursive types. */
const DEEPEST = 12;

/** Whether a literal may be written to a file that other people read. */
function isPublic(value: JsonValue): boolean {
  if (typeof value === "string") return value.length <= LONGEST_TEXT && !isSecretValue(value);
  if (isJsonArray(value)) return value.every(isPublic);
  if (!isJsonObject(value)) return true;
  return Object.entries(value).every(([key, member]) => !isSecretKey(key) && isPublic(member));
}

interface Passed {
  isAlways: boolean;
  /** Undefined if some value is not known. */
  values: JsonValue[] | undefined;
  unknown: string | undefined;
}

class Collector {
  readonly #checker: ts.TypeChecker;
  readonly #passed = new Map<string, Passed>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  list(): readonly PassedProperty[] {
    return [...this.#passed]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([path, { isAlways, values, unknown }]) => ({
        path,
        ...(values !== undefined &&
          values.every(isPublic) &&
          !isSecretPath(path) && { values: sortCanonically(values) }),
        ...(!isAlways && { sometimes: true as const }),
        ...(unknown !== undefined && { unknown }),
      }));
  }

  /** @param isAlways whether every run that passes the object around the path passes the path */
  addExpression(expression: ts.Expression, path: string, isAlways: boolean, depth: number): void {
    const checker = this.#checker;
    if (depth > DEEPEST) {
      this.#addUnknown(path, isAlways, "passes a value that is nested too deeply");
      return;
    }
    const inner = literalOf(expression, checker, 0);
    const choices = alternativesOf(inner);
    const values = path === "" ? undefined : evaluate(inner, checker, 0);
    if (values === undefined && choices.length > 0) {
      if (path !== "") this.#add(path, isAlways, undefined);
      this.#addEither(choices, (part, choice) => {
        part.addExpression(choice, path, true, depth + 1);
      });
    } else if (ts.isObjectLiteralExpression(inner)) {
      if (path !== "") this.#add(path, isAlways, undefined);
      for (const property of inner.properties) this.#addElement(property, path, true, depth);
    } else if (ts.isArrayLiteralExpression(inner)) {
      this.#add(path, isAlways, values);
      this.#addEither(inner.elements, (part, element) => {
        if (ts.isSpreadElement(element))
          part.#addItems(typeOfExpression(element.expression, checker), path, depth);
        else part.addExpression(element, `${path}/${ANY_STEP}`, true, depth + 1);
      });
    } else if (values === undefined) this.#addType(typeOfExpression(inner, checker), path, isAlways, depth);
    else this.#add(path, isAlways, values);
  }

  /** Adds the properties of one of several expressions: a property is always passed if each expression always passes it. */
  #addEither<T>(choices: readonly T[], add: (part: Collector, choice: T) => void): void {
    const parts = choices.map((choice) => {
      const part = new Collector(this.#checker);
      add(part, choice);
      return part.#passed;
    });
    for (const path of new Set(parts.flatMap((part) => [...part.keys()]))) {
      const outer = path.slice(0, path.lastIndexOf("/"));
      for (const part of parts) {
        const own = part.get(path);
        const isAlways =
          own !== undefined &&
          parts.every((other) => other.get(path)?.isAlways ?? (outer !== "" && !other.has(outer)));
        if (own === undefined) continue;
        this.#add(path, isAlways, own.values);
        if (own.unknown !== undefined) this.#addUnknown(path, isAlways, own.unknown);
      }
    }
  }

  #addElement(property: ts.ObjectLiteralElementLike, path: string, isAlways: boolean, depth: number): void {
    if (ts.isSpreadAssignment(property)) {
      // `...(condition && { property })` passes the property sometimes.
      const isSure =
        isAlways && alternativesOf(literalOf(property.expression, this.#checker, 0)).length === 0;
      this.#addSpread(property.expression, path, isSure, depth + 1);
      return;
    }
    const name = propertyNameOf(property.name);
    if (name === undefined) {
      this.#addUnknown(path, isAlways, "passes a property with a computed name");
      return;
    }
    const at = joinProperty(path, name);
    const value = valueOfElement(property);
    if (value === undefined) this.#addUnknown(at, isAlways, "passes a method");
    else this.addExpression(value, at, isAlways, depth + 1);
  }

  /** As `addExpression`, for an object whose properties are passed, but not the object. */
  #addSpread(expression: ts.Expression, path: string, isAlways: boolean, depth: number): void {
    const inner = literalOf(expression, this.#checker, 0);
    const choices = alternativesOf(inner);
    this.#addEither(choices, (part, choice) => {
      part.#addSpread(choice, path, isAlways, depth + 1);
    });
    if (choices.length > 0) return;
    if (ts.isObjectLiteralExpression(inner))
      for (const property of inner.properties) this.#addElement(property, path, isAlways, depth);
    else this.#addMembers(typeOfExpression(inner, this.#checker), path, isAlways, depth);
  }

  #addType(type: ts.Type, path: string, isAlways: boolean, depth: number): void {
    const values = valuesOfType(type, this.#checker);
    const isOptional = hasFlag(type, ts.TypeFlags.Undefined);
    if (values?.length === 0) return;
    if (path !== "") this.#add(path, isAlways && !isOptional, values);
    if (values === undefined) this.#addMembers(type, path, true, depth);
  }

  #addMembers(type: ts.Type, path: string, isAlways: boolean, depth: number): void {
    const parts = (type.isUnion() ? type.types : [type]).filter(
      (part) => (part.flags & NOTHING) === 0 && (part.flags & PRIMITIVE) === 0,
    );
    if (depth > DEEPEST && parts.length > 0) {
      this.#addUnknown(path, isAlways, "passes a value of a type that is nested too deeply");
      return;
    }
    for (const part of parts) {
      const isSure = isAlways && parts.length === 1;
      if (this.#checker.isArrayLikeType(part)) this.#addItems(part, path, depth);
      else if (isOpaque(part)) this.#addUnknown(path, isSure, "passes a value of unknown type");
      else this.#addProperties(part, path, isSure, depth);
    }
  }

  #addProperties(type: ts.Type, path: string, isAlways: boolean, depth: number): void {
    const checker = this.#checker;
    if (checker.getIndexInfosOfType(type).length > 0)
      this.#addUnknown(path, isAlways, "passes an object with keys that its type does not name");
    for (const symbol of type.getProperties()) {
      const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
      const at = joinProperty(path, symbol.getName());
      this.#addType(checker.getTypeOfSymbol(symbol), at, isAlways && !isOptional, depth + 1);
    }
  }

  #addItems(type: ts.Type, path: string, depth: number): void {
    const item = this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (item === undefined) this.#addUnknown(path, true, "passes a list of unknown type");
    else this.#addType(item, `${path}/${ANY_STEP}`, true, depth + 1);
  }

  #add(path: string, isAlways: boolean, values: readonly JsonValue[] | undefined): void {
    const known = this.#passed.get(path);
    if (known === undefined) {
      this.#passed.set(path, { isAlways, values: values && [...values], unknown: undefined });
      return;
    }
    known.isAlways ||= isAlways;
    if (values === undefined) known.values = undefined;
    for (const value of values ?? [])
      if (known.values?.every((other) => !isEqual(other, value)) === true) known.values.push(value);
  }

  #addUnknown(path: string, isAlways: boolean, reason: string): void {
    this.#add(path, isAlways && !this.#passed.has(path), undefined);
    const known = this.#passed.get(path);
    if (known !== undefined) known.unknown ??= reason;
  }
}

const NOTHING = ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Void | ts.TypeFlags.Never;
const PRIMITIVE =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.BigIntLike |
  ts.TypeFlags.ESSymbolLike;

/** Whether a type does not name the members of a value: `any`, `unknown`, `object`, `{}`, a type parameter. */
export function isOpaque(type: ts.Type): boolean {
  const flags =
    ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive | ts.TypeFlags.TypeParameter;
  if ((type.flags & flags) !== 0) return true;
  return (
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    type.getProperties().length === 0 &&
    type.getStringIndexType() === undefined &&
    type.getNumberIndexType() === undefined &&
    type.getCallSignatures().length === 0
  );
}

function hasFlag(type: ts.Type, flag: ts.TypeFlags): boolean {
  return (type.isUnion() ? type.types : [type]).some((part) => (part.flags & flag) !== 0);
}

function isSecretPath(path: string): boolean {
  return path.split("/").some(isSecretKey);
}
