import { cp, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { findAbilityPlugins } from "../../../src/sources/php/plugin-files.js";
import { makeProject } from "../../e2e/make-project.js";

describe("findAbilityPlugins", () => {
  it("finds plugins that register abilities", async () => {
    const { dir } = await makeProject();
    const content = join(dir, "wp-content");
    for (const folder of ["mu-plugins", "plugins"])
      await cp(resolve("test/wordpress", folder), join(content, folder), { recursive: true });
    await mkdir(join(content, "plugins/hello"));
    await writeFile(join(content, "plugins/hello/hello.php"), "<?php\n/* Plugin Name: Hello */\n");
    expect(await findAbilityPlugins(dir)).toEqual([
      "wp-content/mu-plugins",
      "wp-content/plugins/acme-edge",
      "wp-content/plugins/acme-shop",
    ]);
    expect(await findAbilityPlugins(join(dir, "wp-content/plugins/acme-shop"))).toEqual(["."]);
    expect(await findAbilityPlugins(join(dir, "wp-content/plugins/hello"))).toEqual([]);
    expect(await findAbilityPlugins(join(dir, "nowhere"))).toEqual([]);
  });

  it("skips dependencies, and returns a file outside plugins that no other loads", async () => {
    const { dir, write } = await makeProject();
    await mkdir(join(dir, "vendor"));
    await mkdir(join(dir, "inc"));
    const php = "<?php\nwp_register_ability( 'a/b', array() );\n";
    await write("vendor/a.php", php);
    await write("mention.php", "<?php // wp_register_ability is elsewhere\n");
    await write("main.php", "<?php require __DIR__ . '/inc/more.php';");
    for (const file of ["inc/abilities.php", "inc/more.php"]) await write(file, php);
    expect(await findAbilityPlugins(dir)).toEqual(["inc/abilities.php"]);
  });
});
