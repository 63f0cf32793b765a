/** Generated files are formatted by the project's Prettier if it uses Prettier, and by oxfmt otherwise. */
import { spawnSync } from "node:child_process";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../e2e/make-project.js";

const PRETTIER = fileURLToPath(new URL("../../node_modules/prettier", import.meta.url));

const LIST = {
  tools: [
    {
      name: "add-product",
      description: "Adds a product to the shop.",
      inputSchema: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1, description: "What customers see." },
          kinds: { type: "array", items: { enum: ["bread", "rolls", "cake", "pastries", "something else"] } },
        },
        required: ["name"],
      },
    },
  ],
};
const TOOL = "generated/shop/add-product.ts";

async function makeShop(files: { readonly [path: string]: string } = {}): Promise<Project> {
  const project = await makeProject({ servers: { shop: { file: "list.json" } } });
  await mkdir(join(project.dir, "node_modules/prettier"), { recursive: true });
  for (const [path, text] of Object.entries({ "list.json": JSON.stringify(LIST), ...files }))
    await project.write(path, text);
  return project;
}

async function installPrettier({ dir }: Project): Promise<void> {
  await rm(join(dir, "node_modules/prettier"), { recursive: true });
  await symlink(PRETTIER, join(dir, "node_modules/prettier"));
}

const succeeds = { exitCode: 0 };

/** Pulls in a project with these files, and returns its generated module. */
async function pullIn(project: Project): Promise<string> {
  expect(await project.run(["pull"])).toMatchObject(succeeds);
  return project.read(TOOL);
}

/** Prettier 2 has a synchronous format() and is a CommonJS module. */
const OTHER_PRETTIER = {
  "node_modules/prettier/package.json": '{ "name": "prettier", "version": "2.8.8", "main": "index.js" }',
  "node_modules/prettier/index.js":
    'module.exports = { resolveConfig: async () => ({ mark: "two" }), format: (text, { mark }) => `// ${mark}\\n${text}` };',
};

describe("the formatter of generated files", () => {
  it("is the project's Prettier with its configuration, so that prettier --check passes", async () => {
    const config = {
      semi: false,
      singleQuote: true,
      overrides: [{ files: "generated/**", options: { printWidth: 40 } }],
    };
    const project = await makeShop({
      ".prettierrc": JSON.stringify(config),
      ".editorconfig": "root = true\n[*]\nindent_style = tab\n",
    });
    await installPrettier(project);
    expect(await pullIn(project)).toContain("\t'bread'");
    const args = [join(PRETTIER, "bin/prettier.cjs"), "--check", "generated"];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: project.dir, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("is any version of Prettier that package.json lists", async () => {
    const files = { "package.json": '{ "devDependencies": { "prettier": "2" } }', ...OTHER_PRETTIER };
    const project = await makeShop(files);
    expect(await pullIn(project)).toContain("\n// two\n");
    expect(await project.run(["check", "--offline"])).toMatchObject(succeeds);
  });

  it.each<[string, { readonly [path: string]: string }, RegExp]>([
    ["oxfmt if Prettier is installed only for another package", { "package.json": "{}", ...OTHER_PRETTIER }, /^(?![^]*\/\/ two)/],
    ["oxfmt with the .editorconfig of a project without Prettier", { ".editorconfig": "root = true\n[*]\nindent_style = tab\n" }, /\n\tname: string;\n/],
    ["the Prettier of mcp-codegen if a project configures Prettier without installing it", { ".prettierrc": '{ "semi": false }' }, /\n {2}name: string\n/],
  ])("is %s", async (_what, files, text) => {
    expect(await pullIn(await makeShop(files))).toMatch(text);
  }); // prettier-ignore

  it("may change without making a file stale", async () => {
    const project = await makeShop({ "package.json": "{}" });
    const before = await pullIn(project);
    await project.write("package.json", '{ "devDependencies": { "prettier": "^3" } }');
    await installPrettier(project);
    expect(await project.run(["check", "--full"])).toMatchObject(succeeds);
    expect(await project.run(["generate"])).toMatchObject(succeeds);
    expect(await project.read(TOOL)).toBe(before);
  });

  it("is named if its configuration cannot be used", async () => {
    const project = await makeShop({ ".prettierrc": "{ semi: " });
    await installPrettier(project);
    await project.refuses(
      ["pull"],
      "error: The project's Prettier cannot be used: ",
      'hint: Run "npx prettier --check ." to see what Prettier reports.',
    );
  });
});
