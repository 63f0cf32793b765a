import { measureAll } from "./measure.js";

/** Milliseconds that the runtime's entry may take over Zod, which every generated module imports with it. */
const OVER_ZOD = 15;

/** Measures the cold import of each entry, compared with Zod's. */
export function measureImports(cwd: string, rounds: number): string {
  const entries = ["zod", "mcp-codegen/runtime", "mcp-codegen/node"];
  const importing = (entry: string): readonly string[] => [
    "--input-type=module",
    "-e",
    `await import(${JSON.stringify(entry)})`,
  ];
  const [idle, ...measured] = measureAll(
    [
      { name: "nothing", cwd, args: ["--input-type=module", "-e", "0"] },
      ...entries.map((entry) => ({ name: entry, cwd, args: importing(entry) })),
    ],
    rounds,
  );
  const base = idle?.milliseconds ?? Number.NaN;
  const costs = new Map(measured.map(({ name, milliseconds }) => [name, milliseconds - base]));
  const limit = (costs.get("zod") ?? Number.NaN) + OVER_ZOD;
  const lines = [...costs].map(([name, cost]) => `import ${name}: ${cost.toFixed(0)} ms`);
  const verdict = (costs.get("mcp-codegen/runtime") ?? Number.NaN) <= limit ? "meets" : "MISSES";
  return `cold, over a process that imports nothing: ${lines.join(", ")}; ${verdict} runtime ≤ zod + ${OVER_ZOD} ms`;
}
