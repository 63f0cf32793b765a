import { missingPackages } from "./missing-packages.js";
import type { Context } from "./context.js";

/** Returns what the user has to do before written code compiles: install packages, or change how modules are compiled. */
export async function adviseImports(
  { paint }: Pick<Context, "paint">,
  dir: string,
  output: string,
  hasNewCode: boolean,
): Promise<readonly string[]> {
  const install = missingPackages(output);
  if (install !== undefined)
    return [`Install the packages that the generated code imports: ${paint.bold(install)}`];
  // A start of the compiler is too slow for a run that writes nothing.
  if (!hasNewCode) return [];
  const { findImportConflict } = await import("./doctor/examine-tsconfig.js");
  const conflict = await findImportConflict(dir, output);
  if (conflict === undefined) return [];
  return [paint.yellow(`The generated code does not compile: ${conflict.reason}.`), conflict.fix];
}
