import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PhpLines } from "../../../src/sources/php/php-answer.js";
import { readPhp } from "../../../src/sources/php/read-php.js";
import { measureLines } from "../../../benchmarks/php-lines/measure-lines.js";
import { isSample } from "../../sample.js";
import { hasPhp, WITH_PHP } from "./has-php.js";

/** Returns the lines of each ability of plugins with these files, by pointer. */
async function linesOf(
  files: { readonly [name: string]: string },
  abilities: readonly string[],
): Promise<readonly ReadonlyMap<string, string>[]> {
  const dir = await mkdtemp(join(tmpdir(), "php-lines-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  const paths = Object.keys(files).filter((name) => name !== "schema.php");
  const lines: PhpLines = await (
    await readPhp("site", { paths }, { dir, lookup: (name) => process.env[name] })
  ).trace(abilities);
  return abilities.map(
    (name) => new Map([...(lines.get(name) ?? [])].map(([at, { file, line }]) => [at, `${file}:${line}`])),
  );
}

/** Returns PHP that registers an ability with these arguments, from line 4. */
function plugin(input: string, before = "", name = "shop/list"): string {
  return `<?php ${before}
add_action( 'wp_abilities_api_init', function () {
wp_register_ability( '${name}', array(
${input},
'label' => 'L', 'description' => 'D', 'category' => 'site',
'execute_callback' => '__return_true', 'permission_callback' => '__return_true',
) ); } );
`;
}

describe.skipIf(!hasPhp)(`the lines of an ability${WITH_PHP}`, () => {
  const CASES: readonly (readonly [
    what: string,
    input: string,
    before: string,
    at: string,
    place: string,
  ])[] = [
    ["a key", "'input_schema' => array(\n'type' => 'object' )", "", "/input_schema/type", "shop.php:5"],
    ["an item", "'input_schema' => array( 'enum' => array(\n'a',\n'b' ) )", "", "/input_schema/enum/1", "shop.php:6"],
    ["a short array", "'input_schema' => [\n'properties' => [\n'id' => [] ] ]", "", "/input_schema/properties/id", "shop.php:6"],
    [
      "a constant's item",
      "'input_schema' => array( 'enum' => array_merge( STATES,\narray( 'any' ) ) )",
      "\nconst STATES = array(\n'draft',\n'done' );",
      "/input_schema/enum/1",
      "shop.php:4",
    ],
    ["a constant's value", "'input_schema' => array( 'maximum' => MOST )", "\nconst MOST = 5;", "/input_schema/maximum", "shop.php:2"],
    [
      "a key of a constant",
      "'input_schema' => array( 'enum' => array_keys( Kinds::ALL ) )",
      "class Kinds { const ALL = array(\n'first' => 'First',\n'second' => 'Second' ); }",
      "/input_schema/enum/1",
      "shop.php:3",
    ],
    [
      "the result of a function",
      "'input_schema' => shop_schema()",
      "function shop_schema() { return array(\n'type' => 'object' ); }",
      "/input_schema/type",
      "shop.php:2",
    ],
    [
      "an argument of a function",
      "'input_schema' => shop_schema(\narray( 'id' => array( 'type' => 'integer' ) ) )",
      "function shop_schema( $properties ) { return array( 'type' => 'object', 'properties' => $properties ); }",
      "/input_schema/properties/id",
      "shop.php:5",
    ],
    [
      "a merged part",
      "'input_schema' => array( 'type' => 'object' ) + array(\n'properties' => array( 'a' => array( 'type' => 'string' ) ) )",
      "",
      "/input_schema/properties/a/type",
      "shop.php:5",
    ],
    [
      "a list in a helper",
      "'input_schema' => array(\n'enum' => shop_states() )",
      "function shop_states() {\nreturn array( 'draft', 'done' ); }",
      "/input_schema/enum/-",
      "shop.php:2",
    ],
    [
      "a list in a constant",
      "'input_schema' => array(\n'enum' => STATES )",
      "\nconst STATES = array( 'draft',\n'done' );",
      "/input_schema/enum/-",
      "shop.php:2",
    ],
    [
      "a list in a class constant that is merged",
      "'input_schema' => array(\n'enum' => array_merge( Kinds::ALL, array( 'any' ) ) )",
      "class Kinds {\nconst ALL = array( 'one', 'two' ); }",
      "/input_schema/enum/-",
      "shop.php:2",
    ],
    [
      "a list in a static property",
      "'input_schema' => array(\n'enum' => Kinds::$all )",
      "class Kinds {\npublic static $all = [ 'one', 'two' ]; }",
      "/input_schema/enum/-",
      "shop.php:2",
    ],
    ["a list in the schema", "'input_schema' => array(\n'enum' =>\narray( 'one', 'two' ) )", "", "/input_schema/enum/-", "shop.php:6"],
    [
      "a value set by a filter",
      "'input_schema' => array( 'type' => 'object' )",
      "add_filter( 'wp_register_ability_args', function ( $args ) {\n$args['meta']['mcp']['public'] = true; return $args; } );",
      "/meta/mcp/public",
      "shop.php:2",
    ],
    [
      "a property of an anonymous class in a function",
      "'input_schema' => shop_part()->schema",
      "function shop_part() {\nreturn new class() { public $schema = array(\n'type' => 'object' ); }; }",
      "/input_schema/type",
      "shop.php:3",
    ],
    [
      "the nearer of two equal arrays",
      "'output_schema' => array( 'properties' => array( 'id' => array( 'type' => 'integer' ) ) ),\n'input_schema' => array( 'properties' => array( 'id' => array( 'type' => 'integer' ) ) )",
      "",
      "/input_schema/properties/id/type",
      "shop.php:5",
    ],
  ]; // prettier-ignore

  test("is that of its definition", async () => {
    const files = CASES.map(([, input, before], index) => [
      `case-${index}.php`,
      // In a namespace, so that all cases run at once.
      plugin(input, `namespace Case${index}; ${before}`, `case/number-${index}`),
    ]);
    const lines = await linesOf(
      Object.fromEntries(files) as Record<string, string>,
      CASES.map((_, index) => `case/number-${index}`),
    );
    const found = CASES.map(([what, , , at], index) => [what, lines[index]?.get(at)]);
    expect(found).toEqual(
      CASES.map(([what, , , , place], index) => [what, place.replace("shop", `case-${index}`)]),
    );
  });

  test("are found in other files, and destructuring code runs unchanged", async () => {
    const files = {
      "shop.php": plugin("'input_schema' => $schema", "").replace(
        "wp_register_ability(",
        "[ [ $a ], $b ] = [ [ 1 ], 2 ]; list( $e, list( $f ) ) = array( 1, array( 2 ) ); [ 'x' => $x ] = array( 'x' => 1 );\nforeach ( array( array( 1, 2 ) ) as [ $c, $d ] ) {} $schema = require __DIR__ . '/schema.php';\nwp_register_ability(",
      ),
      "schema.php": "<?php return array(\n'type' => 'object',\n'required' => [ 'a' ] );",
    };
    const [lines] = await linesOf(files, ["shop/list"]);
    expect(lines?.get("/input_schema/required")).toBe("schema.php:3");
  });

  test("are not those of another ability's annotation, where WordPress itself puts null", async () => {
    const meta = (annotations: string): string =>
      `'meta' => array( 'annotations' => array( ${annotations} ) )`;
    const [get] = await linesOf(
      {
        "get.php": plugin(meta("'idempotent' => true"), "", "shop/get"),
        "list.php": plugin(meta("'readonly' => true"), "", "shop/list"),
      },
      ["shop/get"],
    );
    expect(get?.get("/meta/annotations/idempotent")).toBe("get.php:4");
    expect(get?.get("/meta/annotations/readonly")).toBeUndefined();
  });

  test.each(["/meta/public", "/meta/show_in_rest", "/input_schema/maximum"])(
    "are not those of another ability in the same function, for the value of %s that the PHP computes or omits",
    async (at) => {
      const other = (name: string): string =>
        `wp_register_ability( 'shop/${name}', array( 'label' => 'L', 'description' => 'D', 'category' => 'site', 'execute_callback' => '__return_true', 'permission_callback' => '__return_true',
        'meta' => array( 'public' => true, 'show_in_rest' => true ), 'input_schema' => array( 'maximum' => 9 ) ) );`;
      const mine = plugin(
        "'input_schema' => array_map( fn( $value ) => $value + 1, array( 'maximum' => 4, 'minimum' => 0 ) )",
      );
      const files = { "shop.php": mine.replace(") ); } );", `) );\n${other("one")}\n${other("two")} } );`) };
      const [lines] = await linesOf(files, ["shop/list"]);
      expect([undefined, "shop.php:4"]).toContain(lines?.get(at));
    },
  );

  test.each([["mu-plugins"], ["plugins/acme-shop"], ["plugins/acme-edge"]])(
    "are right for nineteen in twenty changes of one line in %s",
    async (path) => {
      // `npm run report php-lines` measures all of them.
      const { mutations, right, wrong } = await measureLines(
        "test/wordpress",
        [path],
        (index) => index % (isSample ? 18 : 6) === 0,
      );
      expect(mutations).toBeGreaterThan(1);
      expect(right / mutations, wrong.join("\n")).toBeGreaterThanOrEqual(0.95);
    },
  );
});
