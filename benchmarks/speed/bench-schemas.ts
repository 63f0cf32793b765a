import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "../../src/core/json.js";
import { printZodModule } from "../../src/schema/print/print-modules.js";
import { createProject, ROOT } from "./bench-project.js";
import type { BenchTool } from "./bench-tools.js";

/** The minimum number of schemas per second of processor time. */
const GOAL = 5_000;

/** Measures how many schemas the warm printer prints per second of processor time, unformatted. */
export function measurePrinter(tools: readonly BenchTool[]): string {
  const schemas = tools.flatMap(({ inputSchema, outputSchema }) =>
    [inputSchema, outputSchema].filter((schema) => schema !== undefined),
  ) as readonly JsonValue[];
  const printAll = (): number => {
    const before = process.cpuUsage();
    for (const schema of schemas) printZodModule(schema, { name: "Printed" });
    const { user, system } = process.cpuUsage(before);
    return Math.round(schemas.length / ((user + system) / 1_000_000));
  };
  printAll();
  // The best of several rounds, since other work also evicts the processor's caches.
  const rate = Math.max(...Array.from({ length: 4 }, printAll));
  const goal = `${rate >= GOAL ? "meets" : "MISSES"} ≥ ${GOAL.toLocaleString("en")} a second`;
  return `${schemas.length.toLocaleString("en")} schemas printed as Zod, ${rate.toLocaleString("en")} a second of one core, ${goal}`;
}

/** Returns tsc's own figures for checking the code of all tools in one program. */
export function measureTypes(dir: string, tools: readonly BenchTool[]): string {
  const project = createProject(dir, { all: tools }, "json");
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "dom"],
    module: "nodenext",
    types: [],
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    isolatedDeclarations: true,
    declaration: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  };
  writeFileSync(
    join(project.dir, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["generated/**/*.ts"] }),
  );
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const ran = spawnSync(process.execPath, [tsc, "-p", project.dir, "--extendedDiagnostics"], {
    encoding: "utf8",
  });
  if (ran.status !== 0) throw new Error(`tsc exited ${String(ran.status)}:\n${ran.stdout.slice(0, 4_000)}`);
  const valueOf = (name: string): string =>
    new RegExp(`^${name}:\\s*(\\S+)`, "mu").exec(ran.stdout)?.[1] ?? "?";
  const seconds = ["Parse time", "Bind time", "Check time", "Total time"].map(
    (name) => `${name.toLowerCase()} ${valueOf(name)}`,
  );
  const memory = Math.round(Number(valueOf("Memory used").replace("K", "")) / 1000);
  return (
    `${tools.length.toLocaleString("en")} tools checked by tsc in one program: ` +
    `${Number(valueOf("Instantiations")).toLocaleString("en")} instantiations, ${seconds.join(", ")}, ${memory} MB`
  );
}
