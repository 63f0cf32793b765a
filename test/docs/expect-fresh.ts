import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { expect } from "vitest";

/** The path of a page. */
export const doc = (name: string): string => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));

/** Expects that the text between the marks of a page is the one that is generated, as Prettier formats it; `-u` writes it. */
export async function expectFresh(name: string, mark: string, generated: string): Promise<void> {
  const path = doc(name);
  const [before, rest] = readFileSync(path, "utf8").split(`<!-- ${mark} -->\n`);
  const after = rest?.split(`\n<!-- end of ${mark} -->`)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/${name} has no marks around its table.`);
  const written = `${before}<!-- ${mark} -->\n\n${generated}\n\n<!-- end of ${mark} -->${after}`;
  const formatted = await format(written, { ...(await resolveConfig(path)), parser: "markdown" });
  await expect(formatted).toMatchFileSnapshot(path);
}
