/** The comment on a pull request: which one a job updates, and how much it holds. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { git } from "../e2e/git.js";
import { TOKEN } from "./hosting-service.js";
import { ACTION, prepareStub, pullRequest, type Scratch, variablesOf } from "./run-action.js";

const actionFile = (name: string): string => new URL(`../../action/${name}`, import.meta.url).href;
const { markerOf } = (await import(actionFile("check.js"))) as { markerOf: (job: object) => string };
const { readJob } = (await import(actionFile("job.js"))) as {
  readJob: (env: NodeJS.ProcessEnv) => Promise<object>;
};

/** Writes the reports that it is asked for, with the text in the file `report.md`, which is one change if there is any. */
const PROGRAM = `
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const own = process.argv.includes("--against") ? "branch" : "server";
const markdown = readFileSync(existsSync(own + ".md") ? own + ".md" : "report.md", "utf8");
if (existsSync(own + ".exit")) process.exitCode = Number(readFileSync(own + ".exit", "utf8"));
if (markdown === "none") process.exit();
const change = { class: "breaking", ...(markdown.includes("waived") && { waiver: { reason: "Known." } }) };
const findings = markdown === "" || markdown.startsWith("##") ? [] : [change];
const json = JSON.stringify({ rows: [{ section: "changes", findings }] });
for (const [index, option] of process.argv.entries()) {
  if (option !== "--report") continue;
  const [format, path] = process.argv[index + 1].split("=");
  writeFileSync(path, { json, markdown, sarif: "{}" }[format]);
}
`;

const make = prepareStub(PROGRAM, {
  "report.md": "One change\n",
  "app/report.md": "In app\n",
  "a/report.md": "In a\n",
  "a b/report.md": "In a b\n",
});

/** A checkout of the service's merge commit, whose parent is there: nothing is fetched. */
async function makeMerge(): Promise<Scratch> {
  const scratch = await make();
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

it("is not written for changes that are waived", async () => {
  const { service, act, write } = await makeMerge();
  await write("report.md", "One change, waived\n");
  const { outputs, log } = await act({}, pullRequest());
  expect(outputs, log).toMatchObject({ "exit-code": "0", changes: "0", breaking: "0" });
  expect(service.comments).toEqual([]);
});

it("is written once, updated, and says when the changes are gone", async () => {
  const { service, act, write } = await makeMerge();
  await write("report.md", "");
  await act({}, pullRequest());
  expect(service.comments).toEqual([]);
  // A stranger's comment with the marker, and more comments than a page has.
  const stranger = { login: "eve", type: "User" };
  service.comments.push({ id: 1, body: "<!-- mcp-codegen . -->\nAll is well.", user: stranger });
  for (let id = 2; id < 130; id++) service.comments.push({ id, body: "Hello", user: stranger });

  await write("report.md", "One change\n");
  const first = await act({}, pullRequest());
  // The change is in the report on the branch, and in that on the servers.
  expect(first.outputs, first.log).toMatchObject({ "exit-code": "0", changes: "2", breaking: "2" });
  const own = service.comments.at(-1);
  expect(own?.body).toContain("One change");
  // Both reports on PHP have the same change, unless the lock has it already.
  expect((await act({ php: "true" }, pullRequest({ from: "eve/app" }))).outputs).toMatchObject({
    changes: "1",
  });
  expect(service.comments).toHaveLength(130);

  await write("report.md", "Another change\n");
  await act({}, pullRequest());
  expect(own?.body).toContain("Another change");
  await write("report.md", "");
  await act({}, pullRequest());
  expect(own?.body).not.toContain("change");
  expect(service.comments).toHaveLength(130);
  expect(service.comments[0]?.body).toContain("All is well.");
  expect(service.writes).toEqual([
    "POST /issues/5/comments",
    "PATCH /issues/comments/130",
    "PATCH /issues/comments/130",
  ]);
});

it("is not written for a fork or for Dependabot, and no server is contacted", async () => {
  const { service, act } = await makeMerge();
  for (const event of [pullRequest({ from: "eve/app" }), pullRequest({ by: "dependabot[bot]" })]) {
    const { exitCode, log } = await act({ sarif: "true" }, event);
    expect(exitCode, log).toBe(0);
    const commands = [...log.matchAll(/^::group::mcp-codegen check (\S+)/gm)].map(([, option]) => option);
    expect(commands).toEqual(["--offline", "--against"]);
  }
  expect(service.writes).toEqual([]);
});

it("is only a warning where it is not allowed, as an upload to code scanning is", async () => {
  const { service, act } = await makeMerge();
  service.denied.add("POST /issues/5/comments").add("POST /code-scanning/sarifs");
  const { exitCode, log } = await act({ sarif: "true" }, pullRequest());
  expect(exitCode).toBe(0);
  const refused =
    "was answered with 403: Resource not accessible by integration. The token needs the permission";
  expect(log).toContain(
    `::warning title=mcp-codegen::Cannot comment: POST issues/5/comments ${refused} "pull-requests: write".`,
  );
  expect(log).toContain(
    `::warning title=mcp-codegen::Cannot upload to code scanning: POST code-scanning/sarifs ${refused} "security-events: write".`,
  );
  expect(log).not.toContain(TOKEN);
});

/** Inputs that change nothing in the report of mode check. */
const WITHOUT_EFFECT = ["mode", "comment", "sarif", "token"];

it("is another one for each input that makes another report", async () => {
  const { act, dir, service } = await makeMerge();
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
  const runner = {
    ...{ GITHUB_WORKSPACE: dir, RUNNER_TEMP: join(dir, "node_modules"), INPUT_TOKEN: "" },
    ...{ GITHUB_REPOSITORY: "acme/app", GITHUB_REF: "refs/heads/main", GITHUB_SHA: "0" },
  };
  const readMarker = async (inputs: object): Promise<string> =>
    markerOf(await readJob({ ...variablesOf({ ...inputs }), ...runner }));
  const markers = await Promise.all(jobs.map(readMarker));
  expect(new Set(markers).size).toBe(jobs.length);
  // Spellings of the same values.
  for (const job of [{ "working-directory": "./app/" }, { "fail-on-changes": "never" }, { sarif: "true" }])
    expect(markers).toContain(await readMarker(job));
  for (const job of [{}, { "working-directory": "app" }, { "working-directory": "./app/" }])
    await act(job, pullRequest());
  expect(service.comments.map(({ body }) => body)).toEqual([
    expect.stringMatching(/^<!-- mcp-codegen \. -->\nOne change\n/),
    expect.stringMatching(/^<!-- mcp-codegen app -->\nIn app\n/),
  ]);
});

it("holds whole lines of a report that is too long, and of one long line only a note", async () => {
  const { act, service, write } = await makeMerge();
  await write("report.md", `${"x".repeat(100)}\n`.repeat(700));
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

it("has the head of the report that is not clean, and says when a check failed", async () => {
  const { service, act, write } = await makeMerge();
  const bodyAfter = async (): Promise<string> => {
    await act({}, pullRequest());
    return service.comments.at(-1)?.body ?? "";
  };
  await write("report.md", "");
  await write("server.md", "## mcp-codegen: 1 not verified\n");
  await write("server.exit", "3");
  await write("branch.md", "## mcp-codegen: up to date\n");
  const [, ...lines] = (await bodyAfter()).split("\n");
  expect(lines).toEqual(["## mcp-codegen: 1 not verified", "", "## mcp-codegen: up to date", ""]);
  // Without a report, such as for a lock that is not valid.
  await write("server.md", "none");
  await write("server.exit", "2");
  expect(await bodyAfter()).toMatch(
    /-->\n## mcp-codegen: not checked\n\nThe check ended with exit code 2; .+\n\n## mcp-codegen: up to date\n$/,
  );
});
