import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { detectImportExtension } from "../../src/files/project-settings.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "import-extension-"));
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

const options = (compilerOptions: object): string => JSON.stringify({ compilerOptions });

describe("detectImportExtension", () => {
  it.each<["js" | "ts" | "none", string, { readonly [path: string]: string }]>([
    ["js", "an empty folder", {}],
    ["js", "nodenext", { "tsconfig.json": options({ module: "NodeNext" }) }],
    ["none", "bundler", { "tsconfig.json": options({ module: "esnext", moduleResolution: "Bundler" }) }],
    ["none", "preserve", { "tsconfig.json": options({ module: "preserve" }) }],
    [
      "js",
      "node16 over preserve",
      { "tsconfig.json": options({ module: "preserve", moduleResolution: "node16" }) },
    ],
    [
      "ts",
      "type stripping",
      { "tsconfig.json": options({ module: "nodenext", allowImportingTsExtensions: true }) },
    ],
    ["ts", "Deno", { "deno.json": "{}" }],
    [
      "none",
      "Next.js",
      { "package.json": '{"dependencies":{"next":"16"}}', "tsconfig.json": options({ module: "nodenext" }) },
    ],
    [
      "none",
      "comments",
      { "tsconfig.json": '{ // "a"\n "compilerOptions": { /* x */ "moduleResolution": "bundler", }, }' },
    ],
    [
      "none",
      "a base",
      {
        "tsconfig.json": '{"extends":"./config/base"}',
        "config/base.json": options({ moduleResolution: "bundler" }),
      },
    ],
    [
      "none",
      "a base from a package",
      {
        "tsconfig.json": '{"extends":["@tsconfig/vite"]}',
        "node_modules/@tsconfig/vite/tsconfig.json": options({ moduleResolution: "bundler" }),
      },
    ],
    ["js", "a base that extends itself", { "tsconfig.json": '{"extends":"./tsconfig.json"}' }],
    ["js", "a file that is not JSON", { "tsconfig.json": "{{" }],
  ])("is %s for %s", async (extension, _, files) => {
    put(files);
    expect(await detectImportExtension(join(root, "src/generated"))).toBe(extension);
  });

  it.each([
    [16, "none"],
    [17, "js"],
  ] as const)("follows at most 16 settings that extend each other, here %i", async (count, extension) => {
    put({ [`base-${count}.json`]: options({ moduleResolution: "bundler" }) });
    for (let at = 0; at < count; at += 1)
      put({
        [at === 0 ? "tsconfig.json" : `base-${at}.json`]: JSON.stringify({
          extends: `./base-${at + 1}.json`,
        }),
      });
    expect(await detectImportExtension(root)).toBe(extension);
  });
});
