import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** Returns our modules that importing a file loads, and the packages they import, without types and `import()`. */
function loadedBy(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  for (const [, to = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";/gm)) {
    if (to.startsWith(".")) loadedBy(join(dirname(path), to.replace(/\.js$/, ".ts")), seen);
    else seen.add(to);
  }
  return seen;
}

describe("planning", () => {
  it.each(["emit/plan-files.ts", "emit/emit.ts"])("%s loads no printer and no formatter", (entry) => {
    const loaded = [...loadedBy(join(src, entry))].map((path) =>
      path.startsWith(src) ? relative(src, path).replaceAll("\\", "/") : path,
    );
    expect(loaded).toContain("emit/plan-files.ts");
    const schema = loaded.filter((path) => path.startsWith("schema/"));
    expect(schema).toEqual(["schema/print/identifiers.ts"]);
    const packages = loaded.filter((path) => !path.endsWith(".ts") && !path.startsWith("node:"));
    expect(packages).toEqual([]);
  });
});
