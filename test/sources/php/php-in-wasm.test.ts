import { createRequire } from "node:module";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { findPluginFiles } from "../../../src/sources/php/plugin-files.js";
import { runPhpInWasm } from "../../../src/sources/php/php-in-wasm.js";
import { runPlugins } from "../../../src/sources/php/run-plugins.js";

/** The package has half a gigabyte, so it is not a dependency. NODE_PATH may name its folder. */
function hasPackage(): boolean {
  try {
    createRequire(import.meta.url).resolve("@php-wasm/node");
    return true;
  } catch {
    return false;
  }
}

const has = hasPackage();

describe.skipIf(!has)(`PHP as WebAssembly${has ? "" : " (skipped: @php-wasm/node is not installed)"}`, () => {
  test("returns the same as php", async () => {
    const files = await findPluginFiles(resolve("test/wordpress"), ["mu-plugins", "plugins"], "x");
    const run = await runPlugins(files, { run: runPhpInWasm, nameOf: (file) => file });
    const found = (run?.answer.abilities ?? []).map(({ json }) => JSON.parse(json) as unknown);
    await expect(`${JSON.stringify(found, undefined, 2)}\n`).toMatchFileSnapshot(
      resolve("test/wordpress/abilities.json"),
    );
  });
});
