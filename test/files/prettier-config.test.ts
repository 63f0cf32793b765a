import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { resolveConfigFile } from "prettier";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPrettierConfig } from "../../src/files/project-settings.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "prettier-config-"));
  mkdirSync(join(root, ".git"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function put(files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe("findPrettierConfig", () => {
  it.each([
    [".prettierrc", "semi: false"],
    [".prettierrc.json", "{}"],
    [".prettierrc.toml", "semi = false"],
    ["prettier.config.mjs", "export default {};"],
    ["package.json", '{"name":"x","prettier":{"semi":false}}'],
    ["package.yaml", "prettier:\n  semi: false\n"],
  ])("finds %s as Prettier does", async (name, text) => {
    put({ [name]: text, "app/package.json": '{"name":"app"}', "app/generated/x.ts": "" });
    const found = await findPrettierConfig(join(root, "app/generated"));
    expect(found.path).toBe(join(root, name));
    expect(found.path).toBe(await resolveConfigFile(join(root, "app/generated/x.ts")));
  });

  it("finds the nearest file, and of two in one folder the one that Prettier reads", async () => {
    put({ ".prettierrc": "", "app/prettier.config.js": "", "app/.prettierrc.json": "{}" });
    const found = await findPrettierConfig(join(root, "app/generated"));
    expect(found.path).toBe(join(root, "app/.prettierrc.json"));
    expect(found.path).toBe(await resolveConfigFile(join(root, "app/generated/x.ts")));
  });

  it("reads only the prettier key of package.json", async () => {
    put({ "package.json": '{"version":"1","prettier":{"semi":false}}' });
    const before = await findPrettierConfig(root);
    put({ "package.json": '{"version":"2","prettier":{"semi":false}}' });
    expect(await findPrettierConfig(root)).toEqual(before);
    put({ "package.json": '{"version":"2","prettier":{"semi":true}}' });
    expect(await findPrettierConfig(root)).not.toEqual(before);
  });

  it("reads every .editorconfig up to the root of the repository", async () => {
    const none = await findPrettierConfig(join(root, "app"));
    put({ ".editorconfig": "[*]\nindent_style = tab" });
    const one = await findPrettierConfig(join(root, "app"));
    put({ "app/.editorconfig": "[*]\nindent_size = 8" });
    const two = await findPrettierConfig(join(root, "app"));
    expect(new Set([none.bytes, one.bytes, two.bytes]).size).toBe(3);
  });

  it("finds nothing without configuration", async () => {
    expect((await findPrettierConfig(join(root, "not/there"))).path).toBeUndefined();
  });
});
