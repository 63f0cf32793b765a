import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { CORE } from "./wordpress/core.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Folders with long tests, in this order: what runs programs, and then what compiles or compares much, since starting a
 * program takes longer the more memory a worker has.
 */
const LONG = [
  // Threads with limits of memory start in a worker that is still small.
  /\/test\/code-mode\//,
  /\/test\/(?:e2e|package|protocol|action)\//,
  /\/test\/(?:hostile|docs|serve|sources|runtime)\//,
  /\/test\/(?:emit|fix|impact|schema)\//,
];

/** The tests of a WordPress that pass in a stand-in and in a real one, see `test/wordpress/real/run-wordpress.ts`. */
const IN_WORDPRESS = [
  "test/e2e/{php-and-site,php-site,three-way,wordpress,wordpress-live}.test.ts",
  "test/client/listing/wordpress/served-plugins.test.ts",
  "test/wordpress/**/*.test.ts",
];
const isReal = process.env["REAL_WORDPRESS"] !== undefined;
/** Those that `npm run check` runs once, in the real one if it can be built, and the others in the stand-in. */
const SHARED_WITH_STAND_IN = IN_WORDPRESS.map((pattern) => pattern.replace("php-site,", ""));

function filesOf(mode: string): { readonly include: string[]; readonly exclude: string[] } {
  if (isReal) return { include: mode === "check" ? SHARED_WITH_STAND_IN : IN_WORDPRESS, exclude: [] };
  const real = "test/wordpress/real/**";
  if (mode === "stand-in") return { include: SHARED_WITH_STAND_IN, exclude: [real] };
  return {
    include: ["test/**/*.test.ts"],
    exclude: mode === "check" ? [real, ...SHARED_WITH_STAND_IN] : [real],
  };
}

/** Starts long tests first: the last of them would otherwise run alone. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONG.findIndex((folder) => folder.test(moduleId));
      return rank === -1 ? LONG.length : rank;
    };
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

export default defineConfig(({ mode }) => ({
  root,
  resolve: {
    alias: [
      { find: /^mcp-codegen$/, replacement: `${root}src/index.ts` },
      { find: /^mcp-codegen\/runtime$/, replacement: `${root}src/runtime/index.ts` },
      { find: /^mcp-codegen\/codegen$/, replacement: `${root}src/codegen.ts` },
      { find: /^mcp-codegen\/agent$/, replacement: `${root}src/agent/index.ts` },
      // Its threads are files of the build.
      { find: /^mcp-codegen\/agent\/code$/, replacement: `${root}dist/code-mode/index.js` },
      { find: /^mcp-codegen\/replay$/, replacement: `${root}src/agent/replay/index.ts` },
      { find: /^mcp-codegen\/node$/, replacement: `${root}src/agent/modules/index.ts` },
      { find: /^mcp-codegen\/serve$/, replacement: `${root}src/serve/index.ts` },
      { find: /^cross-spawn$/, replacement: `${root}test/servers/in-process.ts` },
      { find: "#stdio", replacement: `${root}src/client/stdio.ts` },
      { find: "#cassette", replacement: `${root}src/runtime/cassette/index.ts` },
    ],
  },
  test: {
    ...filesOf(mode),
    // The native compiler and esbuild are Go programs that end soon: do not collect garbage below a gigabyte.
    // A PHP that loads WordPress ends in half the time with large pages of memory.
    env: {
      GOGC: "off",
      GOMEMLIMIT: "1GiB",
      USE_ZEND_ALLOC_HUGE_PAGES: "1",
      ...(CORE !== undefined && { WP_CORE_DIR: CORE }),
    },
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    sequence: { sequencer: LongFirst },
    // Files share loaded modules, which saves a quarter of the time. A test restores global state that it changes.
    isolate: false,
    // Most tests wait for processes that they started, so use more workers than cores. A check runs a real WordPress beside.
    maxWorkers: Math.ceil(availableParallelism() * (isReal ? 1 : 1.5)),
    // Compiling leaves many short-lived objects; with more space for them, collecting garbage takes less time. Most code
    // runs for some seconds: optimizing it later, after a million bytes of bytecode, saves a fifth of the processor's time.
    execArgv: ["--max-semi-space-size=64", "--interrupt-budget=1000000"],
    // Only what waits for ever takes so long: a busy machine must not fail a test.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
}));
