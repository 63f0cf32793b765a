import fc from "fast-check";

// One seed for every property, so that a run that lands code says the same twice; `SEED` tries others. A failure prints it.
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 2026) });
