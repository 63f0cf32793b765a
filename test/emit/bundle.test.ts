import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { describe, expect, it, onTestFinished } from "vitest";
import { emitCase, readCases, writeFiles } from "./golden-cases.js";

const INDEX = fileURLToPath(new URL("../../generated/example/index.ts", import.meta.url));
const LIBRARY = fileURLToPath(new URL("../golden/entries/library/index.ts", import.meta.url));
const ENTRY = "\0entry";

/** Returns the bundle of a program that imports these names from a server's index, without packages. */
async function bundle(names: readonly string[], index: string = INDEX): Promise<string> {
  const bundled = await rolldown({
    input: ENTRY,
    external: ["zod", "mcp-codegen/runtime", "mcp-codegen/codegen"],
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) =>
          id === ENTRY ? `export { ${names.join()} } from ${JSON.stringify(index)};` : undefined,
      },
    ],
  });
  const { output } = await bundled.generate({ format: "esm" });
  return output[0].code;
}

describe("a bundle", () => {
  it("of one tool contains only that tool and its raw schema", async () => {
    const code = await bundle(["getPost"]);
    expect(code).toContain('"get-post"');
    expect(code.match(/["']\{\\?"type\\?":\\?"object/g)).toHaveLength(1);
    expect(code.match(/defineTool\(/g)).toHaveLength(1);
  });

  it("of one tool contains no prompt and no resource of its server", async () => {
    const code = await bundle(["ping"], LIBRARY);
    expect(code).toContain('"ping"');
    expect(code).not.toMatch(/define(?:Prompt|Resource|ResourceTemplate)\(/);
    expect(await bundle(["connect"], LIBRARY)).toMatch(/definePrompt\(/);
  });

  it("of one Zod schema contains no tool and no raw schema", async () => {
    const code = await bundle(["GetPostInput"]);
    expect(code).toContain("strictObject");
    expect(code).not.toMatch(/defineTool\(|defineServer\(|Schema\(/);
  });

  it("of one open Zod schema contains only that schema", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-codegen-bundle-"));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    for (const entry of readCases()) if (entry.name === "open") writeFiles(folder, await emitCase(entry));
    const code = await bundle(["AddProductOutput"], join(folder, "shop/index.ts"));
    expect(code.match(/openSchema\(/g)).toHaveLength(1);
    expect(code).not.toMatch(/defineTool\(|defineServer\(|z\.lazy\(/);
  });
});
