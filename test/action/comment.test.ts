/** The comment on a pull request: which one a job updates, and how much it holds. */
import { expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { ACTION, makeStubScratch, pullRequest, type Scratch } from "./run-action.js";

/** Writes the reports that it is asked for, with the text in the file `report.md` of the repository. */
const PROGRAM = `
const { readFileSync, writeFileSync } = require("node:fs");
for (const [index, option] of process.argv.entries()) {
  if (option !== "--report") continue;
  const [format, path] = process.argv[index + 1].split("=");
  const texts = { json: '{ "changes": [{ "class": "breaking" }] }', markdown: readFileSync("report.md"), sarif: "{}" };
  writeFileSync(path, texts[format]);
}
`;

/** A checkout of the service's merge commit, whose parent is there: nothing is fetched. */
async function makeMerge(files: { readonly [path: string]: string }): Promise<Scratch> {
  const scratch = await makeStubScratch(PROGRAM, files);
  const other = await git(scratch.dir, "commit-tree", "HEAD^{tree}", "-m", "Topic");
  const merge = await git(
    scratch.dir,
    "commit-tree",
    "HEAD^{tree}",
    ...["-m", "Merge", "-p", "HEAD", "-p", other],
  );
  await git(scratch.dir, "reset", "--quiet", merge);
  return scratch;
}

/** Inputs that change nothing in the report of mode check. */
const WITHOUT_EFFECT = ["mode", "comment", "sarif", "consumer", "token"];

it("is another one for each input that makes another report", async () => {
  const { act, service } = await makeMerge({
    "report.md": "One change\n",
    "app/report.md": "In app\n",
    "a/report.md": "",
    "a b/report.md": "",
  });
  const values: { readonly [name: string]: string } = {
    "working-directory": "app",
    offline: "true",
    php: "true",
  };
  const inputs = Object.keys(ACTION.inputs).filter((name) => !WITHOUT_EFFECT.includes(name));
  const jobs = [
    {},
    ...inputs.map((name) => ({ [name]: values[name] ?? "x" })),
    { servers: "php" },
    { "fail-on": "never" },
    { "working-directory": "a", servers: "b" },
    { "working-directory": "a b" },
  ];
  for (const [index, job] of jobs.entries()) {
    const { log } = await act(job, pullRequest());
    expect(service.comments, `${JSON.stringify(job)}: ${log}`).toHaveLength(index + 1);
  }
  // Spellings of the same values.
  for (const job of [{ "working-directory": "./app/" }, { "fail-on-changes": "never" }, { sarif: "true" }])
    await act(job, pullRequest());
  expect(service.comments).toHaveLength(jobs.length);
  expect(service.comments[0]?.body).toMatch(/^<!-- mcp-codegen \. -->\n/);
});

it("holds whole lines of a report that is too long, and of one long line only a note", async () => {
  const { act, service, write } = await makeMerge({ "report.md": `${"x".repeat(100)}\n`.repeat(700) });
  const note = "\n\nThe rest does not fit here: the summary of the run has it.\n";
  await act({}, pullRequest());
  const lines = service.comments[0]?.body.split("\n") ?? [];
  expect(service.comments[0]?.body.endsWith(note)).toBe(true);
  expect(service.comments[0]?.body.length).toBeGreaterThan(65_000);
  expect(service.comments[0]?.body.length).toBeLessThanOrEqual(65_536);
  expect(new Set(lines.slice(1, -4).map(({ length }) => length))).toEqual(new Set([100]));
  await write("report.md", "x".repeat(70_000));
  await act({}, pullRequest());
  expect(service.comments.map(({ body }) => body)).toEqual([`<!-- mcp-codegen . -->\n${note}`]);
});
