import * as z from "zod";
import { McpCodegenError } from "../../src/core/errors.js";
import type { JsonObject } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";
import { GROWING_SCHEMAS, type GrowingSchema } from "../../test/hostile/growing-schemas.js";
import { evaluateModule, printToolModule } from "../../test/schema/support/evaluate-module.js";

const SIZES = [250, 500] as const;

/**
 * Measures how time grows with the size of expensive schemas: for each shape, the time at the larger of two sizes, and
 * its ratio to the time at half that size. 2 is linear, 4 is quadratic.
 */
export async function measureGrowth(): Promise<string> {
  const rows: string[] = [];
  for (const [name, make] of Object.entries(GROWING_SCHEMAS)) {
    const small = await measureShape(make, SIZES[0]);
    const large = await measureShape(make, SIZES[1]);
    const cells = Object.entries(large).map(
      ([phase, time]) => `${phase} ${describeTime(time, small[phase])}`.padEnd(24), // prettier-ignore
    );
    rows.push(`  ${name.padEnd(44)}${cells.join("").trimEnd()}`);
  }
  const head = `growing schemas at ${SIZES[1]}: milliseconds (times as long as at ${SIZES[0]})`;
  return [head, ...rows].join("\n");
}

/** Milliseconds of each phase; undefined for a schema beyond a limit. */
type Times = { readonly [phase: string]: number | undefined };

async function measureShape(make: GrowingSchema, size: number): Promise<Times> {
  const schema = make(size);
  const toolOf = (inputSchema: JsonObject) => ({ name: "grow", inputSchema });
  let text: string | undefined;
  let parser: z.ZodType = z.unknown();
  const emit = await timeOf(() => {
    text = printToolModule(schema);
  });
  const printed = text;
  if (printed === undefined) return { emit };
  return {
    emit,
    import: await timeOf(() => {
      parser = evaluateModule(printed, "ToolInput");
    }),
    parse: await timeOf(() => {
      for (const value of [{}, {}, { value: {}, p0: "x" }]) parser.safeParse(value);
    }),
    diff: await timeOf(() => {
      diffTools([toolOf(schema)], [toolOf({ ...make(size), minProperties: 1 })]);
    }),
  };
}

async function timeOf(work: () => unknown): Promise<number | undefined> {
  const start = performance.now();
  try {
    await work();
  } catch (error) {
    if (error instanceof McpCodegenError && error.code === "SCHEMA_INVALID") return undefined;
    throw error;
  }
  return performance.now() - start;
}

// A ratio of times below five milliseconds is noise.
function describeTime(time: number | undefined, half: number | undefined): string {
  if (time === undefined) return "refused";
  return `${time.toFixed(0)}${half === undefined || half < 5 ? "" : ` (×${(time / half).toFixed(1)})`}`;
}
