/**
 * Commands of the real program with each hostile tool beside a good one: they end within a limit of memory and of steps, the
 * hostile tool alone is refused with the name of the limit, and the good one is generated. `pull` lists and generates, and
 * `check` compares, so each tool meets one of the other commands, and some tools one command in a sample; `npm run report
 * hostile-grid` runs all.
 */
import { spawnSync } from "node:child_process";
import { expect, it, describe } from "vitest";
import { BIN } from "../../benchmarks/speed/bench-project.js";
import { makeProject } from "../e2e/make-project.js";
import { HOSTILE_TOOLS } from "./hostile-sizes.js";
import { isSample, sample } from "../sample.js";

/** The limit of the heap in megabytes. */
const MEGABYTES = 600;
/** The limit of processor time in seconds, which a busy machine does not change. It ends a command that would not end. */
const SECONDS = 60;
/** The limit of wall-clock time in milliseconds, for a run that waits forever. */
const PATIENCE = 900_000;

const GOOD = '{"name":"good","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}';

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

function run(dir: string, argv: readonly string[]): Ran {
  // Ended by the system, so that an endless run fails only its own test.
  const shell = `ulimit -t ${SECONDS}; exec "$0" "$@"`;
  const args = ["-c", shell, process.execPath, `--max-old-space-size=${MEGABYTES}`, BIN, ...argv];
  const limits = { timeout: PATIENCE, killSignal: "SIGKILL", maxBuffer: 1e9 } as const;
  const options = { cwd: dir, encoding: "utf8", env: { ...process.env, CI: "" }, ...limits } as const;
  const { status, stdout, stderr } = spawnSync("sh", args, options);
  return { status, output: stdout + stderr };
}

const OTHERS = ["generate", "diff", "list"] as const;
const COMMANDS = isSample ? (["check", ...OTHERS] as const) : OTHERS;
const isWhole = process.env["HOSTILE_GRID"] === "whole";
const CASES = sample(Object.entries(HOSTILE_TOOLS), isWhole ? 1 : 3).map(([name, tool], at) => ({
  ...{ name, tool },
  others: COMMANDS.filter((_, index) => isWhole || index === at % COMMANDS.length),
}));

describe.skipIf(process.platform === "win32")("a hostile tool", () => {
  it.each(CASES)(
    "with $name: pull, $others",
    { timeout: PATIENCE },
    async ({ tool: { definition, note, isLeftOut = false }, others }) => {
      const project = await makeProject({ servers: { shop: { file: "list.json" } } });
      const [before, after] = [0, 1].map((version) => `{"tools":[${GOOD},${definition(version)}]}`);
      await project.write("a.json", before ?? "");
      await project.write("b.json", after ?? "");
      await project.write("list.json", before ?? "");
      const expected = note ?? /(?:)/;

      const saying = (text: RegExp) => expect.stringMatching(text) as unknown;
      const pulled = run(project.dir, ["pull"]);
      expect(pulled).toMatchObject({ status: 0, output: saying(expected) });
      if (others.includes("generate"))
        expect(run(project.dir, ["generate", "--force"])).toMatchObject({ status: 0 });
      const modules = (await project.paths()).filter((path) =>
        /generated\/.*(?:good|hostile)\.ts$/.test(path),
      );
      const usable = note === undefined ? ["good", "hostile"] : ["good"];
      expect(modules).toEqual(usable.map((name) => expect.stringContaining(`${name}.ts`) as unknown));

      await project.write("list.json", after ?? "");
      const reported = isLeftOut
        ? { status: 0, output: saying(expected) }
        : { status: 1, output: saying(/hostile/) };
      if (!isSample || others.includes("check")) expect(run(project.dir, ["check"])).toMatchObject(reported);
      if (others.includes("list")) expect(run(project.dir, ["list", "--live"])).toMatchObject({ status: 0 });
      if (!others.includes("diff")) return;
      const compared = run(project.dir, ["diff", "a.json", "b.json", "--fail-on", "any"]);
      expect(compared).toMatchObject(reported);
      if (note !== undefined && !isLeftOut)
        expect(compared.output).toMatch(/unknown +~ .*\n.*cannot be compared: .*50000/);
    },
  );
});
