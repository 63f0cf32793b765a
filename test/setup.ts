import fc from "fast-check";
import { afterAll, vi } from "vitest";

// One seed for every property, so that a run that lands code says the same twice; `SEED` tries others. A failure prints it.
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 2026) });

// A command that is refused has begun to load what would have run it. Files share what they load, and one that ends in
// the midst of it would leave the next with half of it.
afterAll(() => vi.dynamicImportSettled());
