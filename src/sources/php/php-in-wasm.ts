import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { SETTINGS, WALL_SECONDS, type RunPhp } from "./php-process.js";

/** One of the versions in the package. */
const VERSION = "8.3";
const PACKAGE = "@php-wasm/node";

/** The input of the worker thread. */
export interface WasmJob {
  readonly version: string;
  /** The path of the package. */
  readonly from: string;
  readonly harness: string;
  readonly job: string;
  /** The folders that PHP can read. */
  readonly folders: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Runs PHP as WebAssembly, with the package `@php-wasm/node` if it is installed. PHP can only read the
 * folders of the run.
 */
export const runPhpInWasm: RunPhp = async ({ harness, job, folders, signal }) => {
  const from = findPackage();
  if (from === undefined) return undefined;
  const data: WasmJob = {
    version: VERSION,
    from,
    harness,
    job,
    folders: topmost(folders),
    settings: SETTINGS,
  };
  const worker = new Worker(workerUrl(), {
    workerData: data,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  const how = await new Promise<string>((done) => {
    const timer = setTimeout(() => {
      done(`It was stopped after ${WALL_SECONDS} s.`);
    }, WALL_SECONDS * 1_000);
    const end = (text: string): void => {
      clearTimeout(timer);
      done(text);
    };
    signal?.addEventListener("abort", () => {
      end("It was stopped.");
    });
    worker.once("error", (error) => {
      end(`It ended with ${error instanceof Error ? error.message : "an error"}.`);
    });
    for (const event of ["message", "exit"]) {
      worker.once(event, () => {
        end("It ended without an answer.");
      });
    }
  });
  await worker.terminate();
  return how;
};

/** A test runner loads this module as TypeScript, which a worker cannot load, so it uses the built worker. */
function workerUrl(): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(
    isSource ? "../../../dist/sources/php/wasm-worker.js" : "../sources/php/wasm-worker.js",
    import.meta.url,
  );
}

function findPackage(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

function topmost(folders: readonly string[]): readonly string[] {
  const unique = [...new Set(folders)];
  return unique.filter(
    (folder) => !unique.some((other) => other !== folder && folder.startsWith(`${other}/`)),
  );
}
