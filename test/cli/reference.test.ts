import { format } from "prettier";
import { expect, it } from "vitest";
import { printReference } from "./print-reference.js";

it("docs/cli.md says what the parser does", async () => {
  const text = await format(printReference(), { parser: "markdown", printWidth: 110 });
  await expect(text).toMatchFileSnapshot("../../docs/cli.md");
});
