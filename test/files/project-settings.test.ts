import { join } from "node:path";
import { resolveConfigFile } from "prettier";
import { beforeEach, describe, expect, it } from "vitest";
import { detectImportExtension, findPrettierConfig } from "../../src/files/project-settings.js";
import { makeFolder, put } from "./folder.js";

const options = (compilerOptions: object): string => JSON.stringify({ compilerOptions });

describe("detectImportExtension", () => {
  it.each<["js" | "ts" | "none", string, { readonly [path: string]: string }]>([
    ["js", "an empty folder", {}],
    ["js", "nodenext", { "tsconfig.json": options({ module: "NodeNext" }) }],
    ["none", "bundler", { "tsconfig.json": options({ module: "esnext", moduleResolution: "Bundler" }) }],
    ["none", "preserve", { "tsconfig.json": options({ module: "preserve" }) }],
    ["js", "node16 over preserve", { "tsconfig.json": options({ module: "preserve", moduleResolution: "node16" }) }],
    ["ts", "type stripping", { "tsconfig.json": options({ module: "nodenext", allowImportingTsExtensions: true }) }],
    ["ts", "Deno", { "deno.json": "{}" }],
    ["none", "Next.js", { "package.json": '{"dependencies":{"next":"16"}}', "tsconfig.json": options({ module: "nodenext" }) }],
    ["none", "comments", { "tsconfig.json": '{ // "a"\n "compilerOptions": { /* x */ "moduleResolution": "bundler", }, }' }],
    ["none", "a base", { "tsconfig.json": '{"extends":"./config/base"}', "config/base.json": options({ moduleResolution: "bundler" }) }],
    [
      "none",
      "a base from a package",
      { "tsconfig.json": '{"extends":["@tsconfig/vite"]}', "node_modules/@tsconfig/vite/tsconfig.json": options({ moduleResolution: "bundler" }) },
    ],
    ["js", "a base that extends itself", { "tsconfig.json": '{"extends":"./tsconfig.json"}' }],
    ["js", "a file that is not JSON", { "tsconfig.json": "{{" }],
  ])("is %s for %s", async (extension, _, files) => {
    const root = makeFolder();
    put(root, files);
    expect(await detectImportExtension(join(root, "src/generated"))).toBe(extension);
  }); // prettier-ignore

  it.each([
    [16, "none"],
    [17, "js"],
  ] as const)("follows at most 16 settings that extend each other, here %i", async (count, extension) => {
    const root = makeFolder();
    put(root, { [`base-${count}.json`]: options({ moduleResolution: "bundler" }) });
    for (let at = 0; at < count; at += 1) {
      const name = at === 0 ? "tsconfig.json" : `base-${at}.json`;
      put(root, { [name]: JSON.stringify({ extends: `./base-${at + 1}.json` }) });
    }
    expect(await detectImportExtension(root)).toBe(extension);
  });
});

describe("findPrettierConfig", () => {
  let root = "";
  beforeEach(() => {
    root = makeFolder();
    // Nothing above the repository counts.
    put(root, { ".git/HEAD": "" });
  });

  it.each([
    [".prettierrc", "semi: false"],
    [".prettierrc.json", "{}"],
    [".prettierrc.toml", "semi = false"],
    ["prettier.config.mjs", "export default {};"],
    ["package.json", '{"name":"x","prettier":{"semi":false}}'],
    ["package.yaml", "prettier:\n  semi: false\n"],
  ])("finds %s as Prettier does", async (name, text) => {
    put(root, { [name]: text, "app/package.json": '{"name":"app"}', "app/generated/x.ts": "" });
    const found = await findPrettierConfig(join(root, "app/generated"));
    expect(found.path).toBe(join(root, name));
    expect(found.path).toBe(await resolveConfigFile(join(root, "app/generated/x.ts")));
  });

  it("finds the nearest file, and of two in one folder the one that Prettier reads", async () => {
    put(root, { ".prettierrc": "", "app/prettier.config.js": "", "app/.prettierrc.json": "{}" });
    const found = await findPrettierConfig(join(root, "app/generated"));
    expect(found.path).toBe(join(root, "app/.prettierrc.json"));
    expect(found.path).toBe(await resolveConfigFile(join(root, "app/generated/x.ts")));
  });

  it("reads only the prettier key of package.json", async () => {
    put(root, { "package.json": '{"version":"1","prettier":{"semi":false}}' });
    const before = await findPrettierConfig(root);
    put(root, { "package.json": '{"version":"2","prettier":{"semi":false}}' });
    expect(await findPrettierConfig(root)).toEqual(before);
    put(root, { "package.json": '{"version":"2","prettier":{"semi":true}}' });
    expect(await findPrettierConfig(root)).not.toEqual(before);
  });

  it("reads every .editorconfig up to the root of the repository", async () => {
    const none = await findPrettierConfig(join(root, "app"));
    put(root, { ".editorconfig": "[*]\nindent_style = tab" });
    const one = await findPrettierConfig(join(root, "app"));
    put(root, { "app/.editorconfig": "[*]\nindent_size = 8" });
    const two = await findPrettierConfig(join(root, "app"));
    expect(new Set([none.bytes, one.bytes, two.bytes]).size).toBe(3);
  });

  it("finds nothing without configuration", async () => {
    expect((await findPrettierConfig(join(root, "not/there"))).path).toBeUndefined();
  });
});
