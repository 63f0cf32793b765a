/** Generated wrappers on the real `@wordpress/abilities` in a real browser. Chromium is not installed for this test. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { CHROMIUM } from "../find-program.js";
import { makeProject } from "../e2e/make-project.js";

const PRODUCT = {
  type: "object",
  properties: { id: { type: "integer" }, price: { type: "string" } },
  required: ["id", "price"],
};

/** As `getAbilities()` of a page lists them. */
const ABILITIES = [
  {
    name: "acme/get-product",
    label: "Get a product",
    description: "Gets one product.",
    category: "shop",
    input_schema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    output_schema: PRODUCT,
  },
];

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

/** Serves a page with the bundle on loopback. */
async function serveFiles(files: ReadonlyMap<string, string>): Promise<string> {
  const server = createServer(({ url = "/" }, response) => {
    const isPage = url === "/";
    const text = isPage
      ? `<!doctype html><body></body>${ON_ERROR}<script type="module" src="/page.js"></script>`
      : files.get(url);
    response.writeHead(text === undefined ? 404 : 200, {
      "content-type": isPage ? "text/html" : "text/javascript",
    });
    response.end(text);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The page has no port.");
  return `http://127.0.0.1:${address.port}/`;
}

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
    const url = await serveFiles(files);
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
