import { canonicalJson, getOwn, type JsonValue, listOrEmpty, objectOrEmpty } from "../../core/json.js";
import { bitOf, typeOfValue } from "../../schema/ir/node-types.js";
import type { Atom, Bound, Term } from "./term.js";
import { hasFormat } from "../../schema/validation/format.js";
import { matchPattern } from "../../schema/pattern/match-pattern.js";

/** Whether a value fits a term; undefined if that depends on a pattern that is not run or on an opaque rule. */
export function evaluateTerm(term: Term, value: JsonValue): boolean | undefined {
  if ("of" in term) return evaluateAtom(term, value);
  switch (term.kind) {
    case "any":
      return true;
    case "never":
      return false;
    case "types":
      return (term.types & bitOf(typeOfValue(value))) !== 0;
    case "literal":
      return term.texts.has(canonicalJson(value));
    case "and":
      return every(term.terms.map((part) => evaluateTerm(part, value)));
    case "or":
      return negate(every(term.terms.map((part) => negate(evaluateTerm(part, value)))));
    case "not":
      return negate(evaluateTerm(term.term, value));
    case "later":
      return evaluateTerm(term.open(), value);
    case "opaque":
      return undefined;
    default:
      return term satisfies never;
  }
}

function every(answers: readonly (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

function negate(answer: boolean | undefined): boolean | undefined {
  return answer === undefined ? undefined : !answer;
}

function evaluateAtom(atom: Atom, value: JsonValue): boolean | undefined {
  if (atom.of !== typeOfValue(value)) return true;
  const items = listOrEmpty(value);
  const object = objectOrEmpty(value);
  switch (atom.kind) {
    case "lower":
    case "upper":
      return isWithin(atom, sizeOf(value));
    case "multipleOf":
      return typeof value !== "number" || judgeMultiple(value, atom.by);
    case "pattern":
      return typeof value === "string" ? matchPattern(atom.pattern, value) : true;
    case "format":
      return typeof value !== "string" || hasFormat(value, atom.format);
    case "item":
      return evaluateIfPresent(atom.term, items[atom.index]);
    case "rest":
      return every(items.slice(atom.from).map((item) => evaluateTerm(atom.term, item)));
    case "unique":
      return new Set(items.map(canonicalJson)).size === items.length;
    case "contains":
    case "containsAtMost": {
      const fits = items.map((item) => evaluateTerm(atom.term, item));
      const sure = fits.filter((fit) => fit === true).length;
      const possible = sure + fits.filter((fit) => fit === undefined).length;
      if (atom.kind === "contains") return sure >= atom.min ? true : possible < atom.min ? false : undefined;
      return possible <= atom.max ? true : sure > atom.max ? false : undefined;
    }
    case "required":
      return Object.hasOwn(object, atom.name);
    case "property":
      return evaluateIfPresent(atom.term, getOwn(object, atom.name));
    case "matching":
      return every(
        Object.entries(object).map(([name, item]) =>
          either(negate(matchPattern(atom.pattern, name)), evaluateTerm(atom.term, item)),
        ),
      );
    case "additional":
      return every(
        Object.entries(object).map(([name, item]) =>
          either(isCovered(name, atom.names, atom.patterns), evaluateTerm(atom.term, item)),
        ),
      );
    case "names":
      return every(Object.keys(object).map((name) => evaluateTerm(atom.term, name)));
    default:
      return atom satisfies never;
  }
}

function evaluateIfPresent(term: Term, value: JsonValue | undefined): boolean | undefined {
  return value === undefined ? true : evaluateTerm(term, value);
}

function sizeOf(value: JsonValue): number {
  if (typeof value === "number") return value;
  if (typeof value === "string") return Array.from(value).length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : 0;
}

function isWithin({ kind, bound, isExclusive }: Bound, size: number): boolean {
  if (size === bound) return !isExclusive;
  return kind === "lower" ? size > bound : size < bound;
}

/** Undefined if decimals are too inexact to decide. */
function judgeMultiple(value: number, by: number): boolean | undefined {
  if (by === 1) return Number.isInteger(value);
  if (Number.isSafeInteger(value) && Number.isSafeInteger(by)) return value % by === 0;
  return value === by || value === 0 ? true : undefined;
}

function either(a: boolean | undefined, b: boolean | undefined): boolean | undefined {
  return negate(every([negate(a), negate(b)]));
}

/** Whether a property is in `names` or matches a pattern; undefined if that cannot be decided. */
export function isCovered(
  name: string,
  names: ReadonlySet<string>,
  patterns: readonly string[],
): boolean | undefined {
  if (names.has(name)) return true;
  return negate(every(patterns.map((pattern) => negate(matchPattern(pattern, name)))));
}
