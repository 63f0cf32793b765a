const FILE = new URL("../../dist/page.js", import.meta.url);

interface BuiltAssets {
  readonly script: string;
  readonly style: string;
  /** Takes the address of a view, too. */
  readonly toHtml: (data: unknown, address?: string) => string;
}

/** Loads the script and the style of pages, and what prints their first view, as built. */
export async function readPageAssets(): Promise<BuiltAssets> {
  return (await import(FILE.href)) as BuiltAssets;
}
