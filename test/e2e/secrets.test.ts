import { describe, expect, it } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { makeProject, type Project } from "./make-project.js";

const SECRET = "tr0ub4dor-and-3-more-characters";
const ENCODED = Buffer.from(`me:${SECRET}`).toString("base64");

const echo = (at: string): object => ({
  ...fixtureCommand("secret-echo", "--at", at),
  env: { SECRET_TOKEN: "${SHOP_TOKEN}" },
});

/** Everything that a run wrote to its streams and to disk. */
async function leavings(project: Project, argv: readonly string[]): Promise<string> {
  const { stdout, stderr } = await project.run(argv, { SHOP_TOKEN: SECRET });
  return [stdout, stderr, ...Object.values(await project.files())].join("\n");
}

describe("a secret", () => {
  it.each(
    ["initialize", "list", "call"].flatMap((at) =>
      [["pull"], ["pull", "--json"], ["check"], ["check", "--json"]].map((argv) => [at, argv] as const),
    ),
  )("that a server repeats at %s is not in the output or files of %j", async (at, argv) => {
    const project = await makeProject({ servers: { leaky: echo(at) } });
    if (argv[0] === "check") {
      const calm = await makeProject({ servers: { leaky: echo("call") } });
      await calm.run(["pull"], { SHOP_TOKEN: SECRET });
      for (const [path, text] of Object.entries(await calm.files())) {
        if (path.endsWith("lock.json")) await project.write(path, text);
      }
    }
    const left = await leavings(project, argv);
    expect(left).not.toBe("");
    expect(left).not.toContain(SECRET);
  });

  it("that a server repeats over HTTP is not there, plain or encoded", async () => {
    const fixture = await startFixture("secret-echo", { args: ["--at", "list"] });
    try {
      const auth = { basic: { username: { value: "me", public: true }, password: "${SHOP_TOKEN}" } };
      const project = await makeProject({ servers: { leaky: { url: fixture.url, auth } } });
      const left = await leavings(project, ["pull"]);
      expect(left).toContain("leaky");
      expect(left).not.toContain(SECRET);
      expect(left).not.toContain(ENCODED);
    } finally {
      await fixture.close();
    }
  });

  it("in the configuration is rejected, and not repeated", async () => {
    const url = "https://example.com/mcp";
    const project = await makeProject({ servers: { leaky: { url, auth: { bearer: SECRET } } } });
    const { exitCode, stdout, stderr } = await project.run(["pull"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("servers.leaky.auth.bearer");
    expect(stdout + stderr).not.toContain(SECRET);
  });
});
