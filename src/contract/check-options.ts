import { McpCodegenError } from "./errors.js";

/** For each option its allowed values, or `any`. A forgotten option does not compile. */
export type OptionRules<T> = {
  readonly [K in keyof Required<T>]: readonly Exclude<T[K], undefined>[] | "any";
};

/**
 * Refuses options that TypeScript would refuse, for callers that it does not check: a misspelt value such as
 * `dialect: "draft7"` would otherwise be read as no value, and the result would be wrong.
 *
 * @param caller the function whose options they are, for the message
 * @throws McpCodegenError `USAGE`
 */
export function checkOptions<T extends object>(caller: string, options: T, rules: OptionRules<T>): void {
  const known: Readonly<Record<string, readonly unknown[] | "any">> = rules;
  for (const [name, value] of Object.entries(options)) {
    const allowed = Object.hasOwn(known, name) ? known[name] : undefined;
    if (allowed === undefined) {
      const names = Object.keys(rules).join(", ");
      throw new McpCodegenError("USAGE", `${caller}: unknown option "${name}".`, {
        hint: `Options: ${names}.`,
      });
    }
    if (allowed === "any" || value === undefined || allowed.includes(value)) continue;
    const values = allowed.map((each) => JSON.stringify(each)).join(", ");
    const given = typeof value === "string" ? JSON.stringify(value) : `a value of type ${typeof value}`;
    throw new McpCodegenError("USAGE", `${caller}: ${name} is ${given}.`, { hint: `Use one of ${values}.` });
  }
}
