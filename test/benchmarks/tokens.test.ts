import { expect, test } from "vitest";
import { hasToolLists, measureSchemas, measureTokens } from "../../benchmarks/tokens/measure-tokens.js";
import { listZodTools } from "../../benchmarks/tokens/zod-tools.js";

test.skipIf(!hasToolLists).each([
  [75, 0.977],
  [300, 0.99],
  [1_000, 0.997],
])(
  `five meta-tools cost a model less than %i tools of public servers${hasToolLists ? "" : " (skipped without ../shared/data)"}`,
  async (count, share) => {
    const { metaTools, saved } = await measureTokens(count);
    expect(metaTools).toBeLessThanOrEqual(500);
    expect(saved).toBeGreaterThanOrEqual(share);
  },
);

test("tools of a Zod server cost a model less than half of the original definitions", async () => {
  const { tools, sent, shown } = await measureSchemas(await listZodTools());
  expect(tools).toBe(45);
  expect(shown).toBeLessThan(sent / 2);
});
