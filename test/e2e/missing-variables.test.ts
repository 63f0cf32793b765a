/** Servers whose variables are not set, next to servers that can be reached. */
import { expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject, type Project } from "./make-project.js";

const SERVERS = {
  blog: { ...fixtureCommand("drifted"), env: { A: "${BLOG_USER}", B: "${BLOG_TOKEN}" } },
  shop: fixtureCommand("drifted"),
  wiki: { ...fixtureCommand("drifted"), env: { A: "${WIKI_TOKEN}" } },
};
const VARIABLES = { BLOG_USER: "ada", BLOG_TOKEN: "t", WIKI_TOKEN: "t" };
const OF_BLOG =
  'Variables "BLOG_USER" (for servers.blog.env.A) and "BLOG_TOKEN" (for servers.blog.env.B) have no value.';

async function makeLocked(): Promise<Project> {
  const project = await makeProject({ servers: SERVERS });
  await project.withEnv(VARIABLES).prints(["pull"], 0);
  return project;
}

it("do not prevent a check or a pull of others, and exit with 3", async () => {
  const { run, runJson } = await makeLocked();
  const { exitCode, document } = await runJson(["check"]);
  expect(exitCode).toBe(3);
  expect(document).toMatchObject({ changes: [], checked: { servers: ["shop"] } });
  expect(document["unverified"]).toMatchObject([
    { server: "blog", message: OF_BLOG },
    {
      server: "wiki",
      hint: 'Set WIKI_TOKEN in the environment, or for the command line in ".env.local", or give it a default: ${WIKI_TOKEN:-…}.',
    },
  ]);
  expect(await run(["pull"])).toMatchObject({ exitCode: 3 });
  expect(await run(["check"], VARIABLES)).toMatchObject({ exitCode: 0 });
});

it("are invalid input if no other server can be contacted, and exit with 2", async () => {
  const { prints } = await makeLocked();
  for (const command of ["pull", "check"]) {
    const { stderr } = await prints([command, "blog", "wiki"], 2);
    for (const name of Object.keys(VARIABLES)) expect(stderr).toContain(`"${name}"`);
  }
});
