/** Renames in code without a command line: against generated modules that were never written. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { toolRenamesNamed } from "../../../src/core/rename.js";
import { applyEdits } from "../../../src/impact/renames/text-edits.js";
import type { ServerSnapshot, ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffServer } from "../../../src/drift/diff-server.js";
import { openCodeToRename } from "../../../src/impact/renames/rename-code.js";
import { renderInMemory } from "../../../src/pipeline/check/find-hits.js";
import { listRenames } from "../../../src/pipeline/fix/list-renames.js";
import { placeRenames } from "../../../src/pipeline/fix/user-code.js";
import { Project } from "../../../src/project/project.js";
import { linkPackages, TSCONFIG } from "../../e2e/user-project.js";
import { lockOf } from "../../emit/golden-cases.js";

interface Request {
  /** The tools of server `shop`. */
  readonly before: readonly ToolSnapshot[];
  readonly after: readonly ToolSnapshot[];
  /** By path. The TypeScript project has those in `src`. */
  readonly files: Readonly<Record<string, string>>;
  /** Without the server: `get_order=fetch_order`. */
  readonly renames: readonly string[];
}

interface Renamed {
  /** All files after the edits. */
  readonly files: Readonly<Record<string, string>>;
  /** The places for a person, as `file:line message`. */
  readonly left: readonly string[];
  /** The same, as `file:line`, once each. */
  readonly places: readonly string[];
}

/** Edits code for renames between two lists of tools. */
export async function renameCode({ before, after, files, renames }: Request): Promise<Renamed> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mcp-codegen-rename-")));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await linkPackages(dir);
  const given = { "tsconfig.json": TSCONFIG, ...files };
  for (const [path, text] of Object.entries(given)) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }
  const config = { servers: { shop: { file: "tools.json" } }, output: "generated" };
  const [was, is] = [before, after].map((tools) => lockOf(config, { shop: tools }));
  const { shop } = was?.servers ?? {};
  if (was === undefined || is === undefined || shop === undefined) throw new Error("There is no lock.");
  const names = renames.map((name) => `shop/${name}`);
  const snapshot: ServerSnapshot = {
    ...{ server: "shop", identity: shop.identity, listing: shop.listing, tools: after },
    ...{ unusable: {}, diagnostics: [] },
  };
  const options = { renames: toolRenamesNamed(names), counterexamples: false };
  const changes = diffServer("shop", shop, snapshot, options);
  const { certain } = listRenames(changes, names, { before: was, after: is }, "HEAD");
  const output = join(dir, "generated");
  const project = new Project({ config, dir, path: join(dir, "mcp-codegen.config.json") });
  const [old, now] = [await renderInMemory(project, was), await renderInMemory(project, is)];
  const placed = placeRenames(certain, old.tools, now.tools);
  const sources = Object.keys(files)
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path))
    .map((path) => join(dir, path));
  const location = { dir, output, sources, before: old, tsconfig: join(dir, "tsconfig.json") };
  const opened = openCodeToRename(location, placed, now);
  const edits = opened.editsOf(certain);
  const left = opened.findLeft(certain);
  const editsIn = (file: string): typeof edits => edits.filter(({ path }) => path === file);
  const edited = Object.entries(files).map(
    ([path, text]) => [path, applyEdits(text, editsIn(path))] as const,
  );
  return {
    files: Object.fromEntries(edited),
    left: left.map(({ file, line, message }) => `${file}:${line} ${message}`),
    places: [...new Set(left.map(({ file, line }) => `${file}:${line}`))],
  };
}
