/** Generated wrappers on the real `@wordpress/abilities` in a real browser. Chromium is not installed for this test. */
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { startHttp } from "../client/start-http.js";
import { CHROMIUM } from "../find-program.js";
import { makeProject } from "../e2e/make-project.js";

const INPUT = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const PRODUCT = { type: "object", properties: { price: { type: "string" } }, required: ["price"] };
const ABILITY = { name: "acme/get-product", label: "Get", description: "Gets one.", category: "shop" };
/** As `getAbilities()` of a page lists them. */
const ABILITIES = [{ ...ABILITY, input_schema: INPUT, output_schema: PRODUCT }];

const PAGE = `
import * as abilities from "@wordpress/abilities";
import { abilitiesClient } from "mcp-codegen/runtime";
import { connect } from "./generated/editor/index.js";

abilities.registerAbilityCategory("shop", { label: "Shop", description: "Products." });
for (const ability of ${JSON.stringify(ABILITIES)}) {
  // The page answers whatever the plugin does: the generated schema judges it.
  const { output_schema, ...rest } = ability;
  abilities.registerAbility({ ...rest, callback: ({ id }) => ({ id, price: id === 2 ? 2 : "9.00" }) });
}
const editor = connect({ client: abilitiesClient(abilities) });
const codeOf = async (call) => call().then((value) => value, (error) => error.code);
const found = {
  agent: navigator.userAgent.includes("Chrome"),
  right: await codeOf(() => editor.acmeGetProduct({ id: 1 })),
  wrongInput: await codeOf(() => editor.acmeGetProduct({ id: "1" })),
  wrongAnswer: await codeOf(() => editor.acmeGetProduct({ id: 2 })),
};
show(found);
`;

/** The test reads the page's text, also if it is an error. */
const ON_ERROR = `<script>
const show = (found) => (document.body.appendChild(document.createElement("pre")).textContent = JSON.stringify(found));
addEventListener("error", ({ message }) => show({ message }));
addEventListener("unhandledrejection", ({ reason }) => show({ message: String(reason) }));
</script>`;

test.skipIf(CHROMIUM === undefined)(
  `a browser calls abilities through generated code${CHROMIUM === undefined ? " (skipped: no Chromium in PATH)" : ""}`,
  async () => {
    const project = await makeProject({ servers: { editor: { file: "abilities.json" } } });
    await project.writeJson("abilities.json", ABILITIES);
    await project.prints(["pull"], 0);
    await project.write("page.js", PAGE);
    const modules = join(project.dir, "node_modules");
    await mkdir(join(modules, "@wordpress"), { recursive: true });
    await symlink(resolve("."), join(modules, "mcp-codegen"));
    for (const name of ["zod", "@wordpress/abilities"])
      await symlink(resolve("node_modules", name), join(modules, name));
    const bundled = await build({
      entryPoints: [join(project.dir, "page.js")],
      bundle: true,
      write: false,
      format: "esm",
      // In a single file, esbuild would run generated modules before Zod.
      splitting: true,
      outdir: "out",
      platform: "browser",
      logLevel: "error",
      define: { "process.env.NODE_ENV": '"production"' },
      absWorkingDir: project.dir,
      // The repository's tsconfig resolves "#stdio" to the module for Node; a user's package has none.
      tsconfigRaw: "{}",
    });
    const files = new Map(bundled.outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]));
    const page = `<!doctype html><body></body>${ON_ERROR}<script type="module" src="/page.js"></script>`;
    const url = await startHttp((_message, { url: path = "" }, response) => {
      const isScript = files.has(path);
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
      response.end(isScript ? files.get(path) : page);
    });
    const { stdout } = await promisify(execFile)(
      CHROMIUM ?? "",
      [
        ...["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"],
        `--user-data-dir=${join(project.dir, "profile")}`,
        url,
      ],
      { timeout: 90_000, maxBuffer: 64 * 1024 * 1024 },
    );
    const text = /<pre>(.*?)<\/pre>/s.exec(stdout)?.[1] ?? JSON.stringify(stdout.slice(0, 500));
    expect(JSON.parse(text)).toEqual({
      agent: true,
      right: { id: 1, price: "9.00" },
      wrongInput: "TOOL_INVALID_INPUT",
      wrongAnswer: "TOOL_INVALID_OUTPUT",
    });
  },
);
