/**
 * Worker thread that runs the harness in PHP as WebAssembly. The harness writes its answer to the file in the
 * job.
 */
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { WasmJob } from "./php-in-wasm.js";

/** The used part of `@php-wasm/node`. */
interface NodePackage {
  readonly loadNodeRuntime: (
    version: string,
    options: { readonly emscriptenOptions: { readonly processId: number } },
  ) => Promise<number>;
  readonly createNodeFsMountHandler: (folder: string) => unknown;
}

/** The used part of `@php-wasm/universal`, a dependency of it. */
interface UniversalPackage {
  readonly PHP: new (runtime: number) => Php;
  readonly setPhpIniEntries: (php: Php, entries: Readonly<Record<string, string>>) => Promise<void>;
}

interface Php {
  readonly mkdir: (path: string) => void;
  readonly mount: (path: string, handler: unknown) => Promise<unknown>;
  readonly run: (request: { readonly code: string }) => Promise<unknown>;
}

await runHarness(workerData as WasmJob);
// Otherwise the runtime keeps the thread alive.
parentPort?.postMessage("done");

async function runHarness({ version, from, harness, job, folders, settings }: WasmJob): Promise<void> {
  const load = createRequire(from);
  const node = load(from) as NodePackage;
  const universal = load("@php-wasm/universal") as UniversalPackage;
  const php = new universal.PHP(await node.loadNodeRuntime(version, { emscriptenOptions: { processId: 1 } }));
  await universal.setPhpIniEntries(php, settings);
  for (const folder of folders) {
    php.mkdir(folder);
    await php.mount(folder, node.createNodeFsMountHandler(folder));
  }
  const [cwd, argv, file] = [folders[0], ["harness", job], harness].map((value) => JSON.stringify(value));
  // These JSON values are also valid PHP.
  await php.run({ code: `<?php chdir( ${cwd ?? ""} ); $argv = ${argv ?? ""}; require ${file ?? ""};` });
}
