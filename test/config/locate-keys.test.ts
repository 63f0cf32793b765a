import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { makeFolder } from "../temporary-folder.js";

async function problemsOf(name: string, text: string): Promise<readonly string[]> {
  const cwd = await makeFolder({ [name]: text });
  const error: unknown = await loadConfig({ cwd, path: name }).catch((thrown: unknown) => thrown);
  return error instanceof Error ? error.message.split("\n") : [];
}

const TYPO = '"mcp-codegen.config.ts:§": servers.shop: unknown key "comand", did you mean "command"?';

describe("errors of a JSON configuration", () => {
  it.each([
    ["an unknown key", '{\n  "servers": {\n    "shop": { "url": "http://a", "x1": 1 }\n  }\n}', "3:34"],
    ["a wrong value", '{\n  "output": 1,\n  "servers": {}\n}', "2:3"],
    ["a missing key, at its parent", '{\n  "output": "x"\n}', "1:1"],
    ["a key that contradicts another", '{ "servers": {\n  "shop": { "url": "http://a", "args": [] } } }', "2:32"], // prettier-ignore
    ["an item of a list", '{ "servers": {\n "shop": { "command": "a",\n  "args": ["b", 1] } } }', "3:17"],
    ["a key with a dot", '{ "servers": {\n  "my.server": { "url": "http://a" } } }', "2:3"],
    ["a byte order mark", '\uFEFF{ "servers": {}, "x1": 1 }', "1:18"],
    ["a key that is there twice, at the last", '{ "servers": { "shop": {} },\n  "servers": {\n    "shop": { "x1": 1 } } }', "2:3"], // prettier-ignore
    ["an unknown rule", '{ "servers": {}, "check": { "rules": {\n    "no-such-rule": "safe" } } }', "2:5"],
    ["an unknown role", '{ "servers": {}, "policy": {\n  "role": "guest" } }', "2:3"],
  ])("report the place of %s", async (_, text, place) => {
    const [problem] = await problemsOf("mcp-codegen.config.json", text);
    expect(problem).toMatch(new RegExp(`^"mcp-codegen\\.config\\.json:${place}": `));
  });

  it("report the place in package.json", async () => {
    expect(
      await problemsOf("package.json", '{\n  "mcp-codegen": { "servers": {},\n    "x1": 1 }\n}'),
    ).toEqual([expect.stringMatching(/^"package\.json:3:5": unknown key "x1"/) as string]);
  });

  it("report a place for each problem", async () => {
    const text = '{\n  "servers": {\n    "a": { "x1": 1 },\n    "b": { "url": 1 }\n  }\n}';
    const places = (await problemsOf("mcp-codegen.config.json", text)).map((line) => line.split('"')[1]);
    expect(places).toContain("mcp-codegen.config.json:3:12");
    expect(places).toContain("mcp-codegen.config.json:4:12");
  });

  it("report the place of a secret, not the secret", async () => {
    const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    const text = `{ "servers": { "shop": { "url": "http://a",\n  "auth": { "bearer": "${secret}" } } } }`;
    const [problem] = await problemsOf("mcp-codegen.config.json", text);
    expect(problem).toMatch(/^"mcp-codegen\.config\.json:2:13": servers\.shop\.auth\.bearer: /);
    expect(problem).not.toContain(secret);
  });
});

describe("errors of a TypeScript configuration", () => {
  const SHOP = 'shop: { comand: "node" }';

  const PLACES: [what: string, text: string, place: string | undefined][] = [
    ["defineConfig", `import { defineConfig } from "mcp-codegen";\nexport default defineConfig({\n  servers: { ${SHOP} },\n});`, "3:22"],
    ["defineConfig under another name", `import { defineConfig as define } from "mcp-codegen";\nexport default define({\n  servers: { ${SHOP} } });`, "3:22"],
    ["a typed constant", `import type { Config } from "mcp-codegen";\nconst config: Config = {\n  servers: { ${SHOP} },\n} as Config;\nexport default config;`,
      "3:22"],
    ["satisfies", `export default {\n  servers: { ${SHOP} } } satisfies object;`, "2:22"],
    ["quoted keys", 'export default {\n  "servers": { "shop": { "comand": 1 } } };', "2:26"],
    ["a shorthand constant", `const shop = {\n  comand: 1 };\nexport default { servers: { shop } };`, "2:3"],
    ["a key after a spread", `const base = {};\nexport default { ...base,\n  servers: { ${SHOP} } };`, "3:22"],
    ["CRLF and wide characters", `// ä🍞\r\nexport default { /* 🍞 */ servers: { ${SHOP} } };`, "2:46"],
    // These cases are ambiguous: the place is that of the nearest unambiguous key.
    ["a spread", `const base = { comand: 1 };\nexport default { servers: {\n  shop: { ...base } } };`, "3:3"],
    ["a key that a spread replaces", `const base = { comand: 1 };\nexport default { servers: {\n  shop: { comand: 2, ...base } } };`, "3:3"],
    ["a computed key", `const key = "comand";\nexport default { servers: {\n  shop: { [key]: 1 } } };`, "3:3"],
    ["a function's result", `const make = () => ({ comand: 1 });\nexport default { servers: {\n  shop: make() } };`, "3:3"],
    ["a constant that is changed", `const shop: Record<string, unknown> = {};\nshop.comand = 1;\nexport default { servers: {\n  shop } };`, "4:3"],
    ["a function's result at the top", `const make = (x: object) => x;\nexport default make({ servers: { ${SHOP} } });`, undefined],
  ]; // prettier-ignore

  it.each(PLACES)("report the place in %s", async (_, text, place) => {
    const problems = await problemsOf("mcp-codegen.config.ts", text);
    const expected = TYPO.replace(":§", place === undefined ? "" : `:${place}`);
    expect(problems).toContain(expected);
  });

  it("report the place in JavaScript", async () => {
    const problems = await problemsOf(
      "mcp-codegen.config.mjs",
      `export default {\n  servers: { ${SHOP} } };`,
    );
    expect(problems[0]).toMatch(/^"mcp-codegen\.config\.mjs:2:22": /);
  });
});
