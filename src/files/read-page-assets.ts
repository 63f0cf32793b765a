import { readFile } from "node:fs/promises";

const FOLDER = new URL("../../dist/report/page/browser/", import.meta.url);

/** Reads the script and the style of pages, as built. */
export async function readPageAssets(): Promise<{ readonly script: string; readonly style: string }> {
  const [script, style] = await Promise.all(
    ["page.js", "page.css"].map((name) => readFile(new URL(name, FOLDER), "utf8")),
  );
  return { script: script ?? "", style: style ?? "" };
}
