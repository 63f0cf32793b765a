import fc from "fast-check";
import { afterAll, vi } from "vitest";

// One seed for all properties makes runs repeatable; `SEED` sets another. A failure prints the seed.
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 2026) });

// A failing command has already begun to import its module. Test files share modules, so wait for pending imports
// before the next file starts.
afterAll(() => vi.dynamicImportSettled());
