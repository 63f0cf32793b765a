import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/core/json.js";
import { findPluginFiles } from "../../../src/sources/php/plugin-files.js";
import { runPhpFromPath } from "../../../src/sources/php/php-process.js";
import { runPlugins } from "../../../src/sources/php/run-plugins.js";
import { hasPhp, WITH_PHP } from "./has-php.js";

const OWN = resolve("test/wordpress");

describe.skipIf(!hasPhp)(`the plugins in test/wordpress${WITH_PHP}`, () => {
  test("register all their abilities in the first run", async () => {
    const files = await findPluginFiles(OWN, ["mu-plugins", "plugins"], "servers.own.php");
    const run = await runPlugins(files, { run: runPhpFromPath, nameOf: (file) => file });
    expect(run?.runs).toBe(1);
    expect(run?.answer.refused).toEqual([]);
    const found = (run?.answer.abilities ?? []).map(({ json }) => JSON.parse(json) as JsonValue);
    // Reviewed by hand; accept a change with `npm test -- test/sources/php -u`.
    await expect(`${JSON.stringify(found, undefined, 2)}\n`).toMatchFileSnapshot(
      resolve(OWN, "abilities.json"),
    );
    expect(found).toHaveLength(52);
    expect(run?.answer.abilities.filter(({ unknown }) => unknown.length > 0)).toEqual([]);
  });
});
