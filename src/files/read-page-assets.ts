import { readFile } from "node:fs/promises";

const FILE = new URL("../../dist/page.json", import.meta.url);

interface BuiltAssets {
  readonly script: string;
  readonly style: string;
}

/** Reads the script and the style of pages, as built. */
export async function readPageAssets(): Promise<BuiltAssets> {
  return JSON.parse(await readFile(FILE, "utf8")) as BuiltAssets;
}
