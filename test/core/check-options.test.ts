import { expect, it } from "vitest";
import * as kinds from "../../src/core/check-options.js";
import { LONGEST_WAIT } from "../../src/core/limits.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { emit } from "../../src/emit/emit.js";
import { printTypes } from "../../src/schema/print/print-types.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";

/** Options as a JavaScript program may give them. */
const loose = (options: object): never => options as never;

it.each<[string, () => unknown, string, string]>([
  ["a misspelt dialect of printZodModule", () => printZodModule({}, loose({ name: "X", dialect: "draft7" })), 'printZodModule: invalid dialect: "draft7".',
    'Use one of "draft-04", "draft-06", "draft-07", "2019-09", "2020-12", "wordpress".'],
  ["a misspelt option of printTypes", () => printTypes({}, loose({ name: "X", sides: "output" })), 'printTypes: unknown option "sides".',
    "Options: name, dialect, side, documents."],
  ["a wrong rule of diffTools", () => diffTools([], [], loose({ formats: true })), "diffTools: invalid formats: true.", 'Use one of "assert".'],
  ["a name that every object inherits", () => diffTools([], [], loose({ constructor: 1 })), 'diffTools: unknown option "constructor".', "Options: server,"],
  ["a wrong extension of emit", () => emit({ lockfileVersion: 1, servers: {} }, { servers: {} }, loose({ importExtension: ".js" })),
    'emit: invalid importExtension: ".js".', 'Use one of "js", "ts", "none".'],
])("refuses %s", async (_what, call, message, hint) => {
  const error: unknown = await Promise.resolve()
    .then(call)
    .catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "USAGE", message, hint: expect.stringContaining(hint) as string });
}); // prettier-ignore

it("treats an undefined option as absent", () => {
  expect(diffTools([], [], { dialect: undefined })).toEqual([]);
});

const pending = Promise.resolve();
const noop = (): void => undefined;

it.each<[kind: string, allowed: readonly unknown[], refused: readonly unknown[]]>([
  ["TEXT", ["", "a"], [1, null]],
  ["FLAG", [true, false], [0, "true"]],
  ["FUNCTION", [noop], [{}]],
  ["NUMBER", [0, 0.5, Infinity], [-0.1, Number.NaN, "1"]],
  ["COUNT", [0, 1, Infinity], [-1, 0.5, -Infinity, "1"]],
  ["MILLISECONDS", [1, 1.5, LONGEST_WAIT], [0, 0.5, LONGEST_WAIT + 1, Infinity, "1"]],
  ["OBJECT", [{}, new Map()], [[], null, noop, pending]],
  ["HOLDER", [{}, noop], [[], null, "a", pending]],
  ["SETTLED", [1, null, {}, undefined], [pending]],
  ["LIST", [[], [1]], [{}, "a"]],
  ["TEXTS", [[], ["a"]], [["a", 1], "a"]],
  ["SIGNAL", [new AbortController().signal, { addEventListener: noop, removeEventListener: noop }], [{ addEventListener: noop }, null, "a"]],
])("%s takes %j, and not %j", (name, allowed, refused) => {
  const kind = Reflect.get(kinds, name) as kinds.OptionKind;
  expect(allowed.map(kind.is)).toEqual(allowed.map(() => true));
  expect(refused.map(kind.is)).toEqual(refused.map(() => false));
}); // prettier-ignore
