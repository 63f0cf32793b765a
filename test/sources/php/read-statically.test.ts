import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/contract/json.js";
import { readStatically, type Registration } from "../../../src/sources/php/static/read-statically.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "read-statically-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function read(php: string): Promise<readonly Registration[]> {
  const file = join(dir, "plugin.php");
  await writeFile(file, `<?php\n${php}`);
  return readStatically([file], () => "plugin.php");
}

/** Returns the input schema of the only registration. */
async function schemaOf(expression: string, around = "%s"): Promise<JsonValue | undefined> {
  const call = `wp_register_ability( 'a/b', array( 'label' => 'L', 'input_schema' => ${expression} ) );`;
  const [only] = await read(around.replace("%s", () => call));
  return only?.ability === undefined ? { reason: only?.reason ?? "" } : only.ability["input_schema"];
}

test("returns literal definitions as WordPress prints them", async () => {
  const [only] = await read(
    `wp_register_ability( 'a/b', [ 'label' => __( 'L', 'x' ), 'description' => 'D', 'category' => 'c', 'input_schema' => [],
      'execute_callback' => fn() => 1, 'meta' => [ 'mcp' => [ 'public' => true ], 'annotations' => [ 'readonly' => true ] ] ] );`,
  );
  expect(only).toEqual({
    file: join(dir, "plugin.php"),
    line: 2,
    name: "a/b",
    ability: {
      label: "L",
      description: "D",
      category: "c",
      meta: {
        mcp: { public: true },
        annotations: { readonly: true, destructive: null, idempotent: null },
        show_in_rest: false,
        public: false,
      },
      name: "a/b",
    },
  });
});

describe("reads", () => {
  test.each<[string, string, JsonValue, string?]>([
    ["constants", "array( 'x' => A . '-' . \\B )", { x: "a-2" }, "const A = 'a'; define( 'B', 2 ); %s"],
    [
      "lists and maps",
      "array( array( 1, 2 ), array( 1 => 'a' ), array( '0' => true ) )",
      [[1, 2], { "1": "a" }, [true]],
    ],
    [
      "class constants",
      "self::A + D::B",
      { a: 1, b: -1.5 },
      "class C { const A = [ 'a' => 1 ]; function f() { %s } } class D { const B = [ 'b' => -1.5, 'a' => 2 ]; }",
    ],
    [
      "methods and functions with only a return",
      "array_merge( $this->s(), t() )",
      { s: 1, t: null },
      "function t() { return [ 't' => null ]; } class C { function s() { return [ 's' => 1 ]; } function f() { %s } }",
    ],
    [
      "variables with one value",
      "array( 'v' => $v )",
      { v: [1] },
      "add_action( 'x', function () { $v = [ 1 ]; %s } );",
    ],
    ["keys of a list", "array_keys( array( 'a' => 1, 'b' => 2 ) )", ["a", "b"]],
  ])("%s", async (_what, expression, expected, around) => {
    expect(await schemaOf(expression, around)).toEqual(expected);
  });
});

describe("does not guess", () => {
  test.each<[string, string, string, string?]>([
    [
      "functions of other plugins",
      "wc_get_order_statuses()",
      "the function wc_get_order_statuses() in line 2",
    ],
    [
      "functions with parameters",
      "f( 1 )",
      "the call of f() in line 2",
      "function f( $x ) { return $x; } %s",
    ],
    ["properties", "$this->schema", "a property in line 2", "class C { function f() { %s } }"],
    ["variables that change", "$v", "the variable $v in line 2", "$v = [ 1 ]; $v['x'] = 2; %s"],
    ["conditions", "$x ? [] : [ 1 ]", "a condition in line 2"],
    [
      "methods that a subclass may override",
      "$this->s()",
      "the method s() in line 2",
      "class C { function s() { return []; } function f() { %s } } class D extends C {}",
    ],
    ["circular references", "A", "a circular reference in line 2", "const A = B; const B = A; %s"],
    ["a registration in a condition", "array()", "a condition in line 2", "if ( get_option( 'x' ) ) { %s }"],
    ["a registration in a loop", "array()", "a loop in line 2", "foreach ( $x as $y ) { %s }"],
    [
      "filtered definitions",
      "array()",
      '"plugin.php" filters what is registered',
      "add_filter( 'wp_register_ability_args', 'f' ); %s",
    ],
    ["an unpacked list", "array( ...A )", "an unpacked list in line 2", "const A = [ 1 ]; %s"],
  ])("%s", async (_what, expression, reason, around) => {
    expect(await schemaOf(expression, around)).toEqual({ reason });
  });

  test("names", async () => {
    const [only] = await read("function f( $name ) { wp_register_ability( $name, array() ); }");
    expect(only).toMatchObject({ line: 2, reason: "the variable $name in line 2" });
    expect(only).not.toHaveProperty("name");
  });
});

test("ignores a check that the API exists", async () => {
  expect(await schemaOf("array( 1 )", "if ( function_exists( 'wp_register_ability' ) ) { %s }")).toEqual([1]);
});

test("reports a file that does not parse", async () => {
  await expect(read("if ( {")).rejects.toMatchObject({
    code: "PHP_FAILED",
    message: expect.stringMatching(/^"plugin\.php" does not parse: .*line 2/) as string,
  });
});

test("agrees with PHP where it is certain", async () => {
  const found = await readStatically(
    [resolve("test/wordpress/mu-plugins"), resolve("test/wordpress/plugins")],
    (file) => file,
  );
  const { default: real } = (await import("../../wordpress/abilities.json", { with: { type: "json" } })) as {
    readonly default: readonly { readonly name: string }[];
  };
  const read = found.flatMap(({ ability }) => (ability === undefined ? [] : [ability]));
  for (const ability of read) expect(ability).toEqual(real.find(({ name }) => name === ability.name));
  // Most of the others have loops and filters, so PHP is run when it is installed.
  expect(found.length).toBeGreaterThan(5);
});
