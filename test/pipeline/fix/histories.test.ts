/** `mcp-codegen fix` on the renames of real servers' histories; skipped without `../shared/data`. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { nameOfRename, renamesIn, type Rename } from "../../../src/core/rename.js";
import type { ToolSnapshot } from "../../../src/core/snapshot.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { nameTool, typeOf } from "../../../src/emit/name-tools.js";
import { SHARED, hasShared } from "../../data/files.js";
import { commitAll } from "../../e2e/git.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { readHistories } from "../../../benchmarks/oracle/read-histories.js";
import { runs, sample } from "../../sample.js";
import { expectCompiles, prepare } from "./changed-project.js";

/** The renamed tools of one commit of a server. */
interface Renamed {
  readonly server: string;
  readonly before: readonly ToolSnapshot[];
  readonly after: readonly ToolSnapshot[];
  readonly renames: readonly Rename[];
}

function readRenamed(): readonly Renamed[] {
  const steps = sample([...readHistories(`${SHARED}tool-changes`).values()].flat(), 3);
  return steps.flatMap(({ before, after }, index): readonly Renamed[] => {
    const renames = renamesIn(diffTools(before, after));
    const names = new Set(
      renames.flatMap((rename) => (rename.kind === "tool" ? [rename.before, rename.after] : [rename.tool])),
    );
    const own = (tools: readonly ToolSnapshot[]) => tools.filter(({ name }) => names.has(name));
    const [was, is] = [own(before), own(after)];
    // With fewer tools there are fewer candidates.
    const found = renamesIn(diffTools(was, is));
    const kept = was.filter(({ name }) => is.some((tool) => tool.name === name)).length;
    const moved = found.flatMap(({ kind, after: to }) => (kind === "tool" ? [to] : []));
    // An import of two tools that became one is left for a person.
    const isWhole = moved.length + kept === was.length && new Set(moved).size === moved.length;
    return found.length > 0 && isWhole
      ? [{ server: `s${index}`, before: was, after: is, renames: found }]
      : [];
  });
}

/** A file that uses each renamed tool and property; with the new names once they are applied. */
function appOf({ server, before, renames }: Renamed, applied: readonly Rename[]): string {
  const wrapperOf = (tool: string): string => nameTool(server, { name: tool, hasOutput: false }, {}).wrapper;
  const lines = before.flatMap(({ name }): readonly string[] => {
    const isOf = (rename: Rename): boolean => rename.kind === "tool" && rename.before === name;
    const now = applied.find(isOf)?.after ?? name;
    const wrapper = wrapperOf(now);
    const own = renames.filter(({ kind, tool }) => kind !== "tool" && (tool === name || tool === now));
    return [
      `import { ${wrapper}, type ${typeOf(wrapper)}Input } from "../generated/${server}/index.js";`,
      `export const ${wrapperOf(name)}_ = [(given: ${typeOf(wrapper)}Input) => ${wrapper}(given)];`,
      ...own.map((property, index) => {
        const key = JSON.stringify(applied.includes(property) ? property.after : property.before);
        return property.change.rule.startsWith("input")
          ? `export const of${index}_${wrapperOf(name)} = (given: ${typeOf(wrapper)}Input) => given[${key}];`
          : `export const of${index}_${wrapperOf(name)} = async () => (await ${wrapper}({} as never))[${key}];`;
      }),
    ];
  });
  return `${lines.join("\n")}\n`;
}

async function pull(project: Project, servers: readonly Renamed[], side: "before" | "after"): Promise<void> {
  for (const one of servers) await project.writeJson(`${one.server}.json`, { tools: one[side] });
  const first = await project.run(["pull"]);
  if (first.exitCode === 0) return;
  // Texts of one server name tools of another here, since all are in one project.
  const findings = [...first.stdout.matchAll(/--accept ([0-9a-f]{12})/g)];
  const accept = findings.flatMap(([, id = ""]) => ["--accept", id]);
  await project.prints(["pull", ...accept, "--reason", "as published"], 0);
}

it.skipIf(!hasShared)("applies the renames of real servers, and changes nothing else", async () => {
  const found = readRenamed();
  const servers = Object.fromEntries(found.map(({ server }) => [server, { file: `${server}.json` }]));
  const project = await makeProject({ servers });
  const files = found.map((each) => [`src/${each.server}.ts`, appOf(each, [])] as const);
  await prepare(project, Object.fromEntries(files));
  await pull(project, found, "before");
  await commitAll(project.dir);
  await expectCompiles(project);
  await pull(project, found, "after");
  const { document } = await project.runJson(["fix"]);
  const guesses = (document["guessed"] as readonly JsonObject[]).flatMap(({ rename }) =>
    typeof rename === "string" ? ["--rename", rename] : [],
  );
  // Arguments and results of a tool may have the same rename, which has one name.
  const names = found.flatMap(({ server, renames }) =>
    renames.map((rename) => nameOfRename({ ...rename, server })),
  );
  expect(new Set(guesses.filter((word) => word !== "--rename"))).toEqual(new Set(names));
  expect(names.length).toBeGreaterThan(runs(12, 4));
  const fixed = await project.runJson(["fix", "--write", ...guesses]);
  expect(fixed.document["left"]).toEqual([]);
  for (const one of found) expect(await project.read(`src/${one.server}.ts`)).toBe(appOf(one, one.renames));
  await expectCompiles(project);
  expect((await project.runJson(["fix", ...guesses])).document["files"]).toEqual([]);
});
