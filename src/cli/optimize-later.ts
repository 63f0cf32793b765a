import process from "node:process";

/** By version of V8, which prints an error for a flag that it does not have. */
const FLAGS: Readonly<Record<string, string>> = {
  11: "--interrupt-budget=1000000",
  12: "--invocation-count-for-turbofan=100000",
};

/**
 * Makes V8 wait longer before it optimizes a function. In a run of a second or two, Node 20 and 22 spend a quarter of the
 * processor time on machine code that hardly runs. Affects the whole process, so it is for commands only.
 */
export function optimizeLater(): void {
  const { v8, bun } = process.versions;
  const flag = FLAGS[v8.slice(0, v8.indexOf("."))];
  if (flag === undefined || bun !== undefined) return;
  process.getBuiltinModule("node:v8").setFlagsFromString(flag);
}
