import { describe, expect, it, onTestFinished } from "vitest";
import { fixtureCommand, startFixture } from "../servers/start-fixture.js";
import { makePulled } from "./make-project.js";

const shop = {
  ...fixtureCommand("drifted"),
  env: { DRIFT: "${DRIFT:-none}" },
  environments: {
    sandbox: { env: { DRIFT: "${SANDBOX:-none}" } },
    production: { env: { DRIFT: "${PRODUCTION:-none}" } },
  },
};

describe("check --env", () => {
  it("compares that environment with the same lock", async () => {
    const project = await makePulled({ servers: { shop } });
    const argv = ["check", "--env", "production"];
    await project.prints(argv, 0);
    // The server's own settings are not used.
    await project.withEnv({ DRIFT: "tool-removed" }).prints(argv, 0);
    const drifted = project.withEnv({ PRODUCTION: "tool-removed" });
    const { document, stderr } = await drifted.reports(argv, {
      exitCode: 1,
      changes: [{ rule: "tool-removed", server: "shop", environment: "production", tool: "cancel-order" }],
      checked: { servers: ["shop"], environments: [{ server: "shop", environment: "production" }] },
      repairs: [],
    });
    expect(document["environments"]).toBeUndefined();
    expect(stderr).toContain("shop (production) · 1 breaking\n");
    expect(stderr.replaceAll("\n", " ")).toContain(
      'The lock has one contract for all environments, that of the main endpoint. If production is behind, deploy there. If it is ahead, deploy to the main endpoint too, then run "npx mcp-codegen pull".',
    );
    // As the report says.
    const waiving = "--waive tool-removed cancel-order --until 2999-12-31 --reason deployed".split(" ");
    for (const more of [waiving, []]) await drifted.prints([...argv, ...more], 0);
  });

  it("exits 2 for an unknown environment before contacting a server, and lists the configured ones", async () => {
    const project = await makePulled({ servers: { shop, plain: fixtureCommand("paged") } });
    const { stderr } = await project.reports("check --env staging shop", {
      exitCode: 2,
      error: { code: "SERVER_UNKNOWN", message: 'Server "shop" has no environment "staging".' },
    });
    expect(stderr).toMatch(/^(?!.*connecting).*Configured environments: "sandbox", "production"/s);
    await project.refuses(
      "check --env production",
      'Server "plain" has no environment "production".',
      "No environment is configured",
    );
    await project.prints("check --env production shop", 0);
  });

  it("uses the account of the environment", async () => {
    const live = await startFixture("drifted", { args: ["--basic", "ada:pw-of-production"] });
    onTestFinished(() => live.close());
    const auth = { basic: { username: { value: "ada", public: true }, password: "${PASSWORD}" } };
    const production = { url: live.url.replace("127.0.0.1", "localhost"), auth };
    const project = await makePulled({ servers: { shop: { ...shop, environments: { production } } } });
    const env = { PASSWORD: "pw-of-production" };
    await project.withEnv(env).prints("check --env production", 0);
  });
});

describe("check --env all", () => {
  it("shows missing and different tools by environment", async () => {
    const project = await makePulled({ servers: { shop } });
    const env = { SANDBOX: "tool-added", PRODUCTION: "tool-removed" };
    const { document, stderr } = await project.runJson("check --env all", env);
    expect(document).toMatchObject({
      exitCode: 1,
      checked: {
        servers: ["shop"],
        environments: [
          { server: "shop" },
          { server: "shop", environment: "sandbox" },
          { server: "shop", environment: "production" },
        ],
      },
      environments: [
        {
          server: "shop",
          environments: [null, "sandbox", "production"],
          rows: [
            { tool: "cancel-order", states: ["as-locked", "as-locked", "missing"] },
            { tool: "refund-order", states: ["as-locked", "not-locked", "as-locked"] },
          ],
        },
      ],
    });
    expect(stderr).toContain(
      [
        "shop by environment:",
        "                (own settings)  sandbox     production",
        "  cancel-order  as locked       as locked   missing",
        "  refund-order  as locked       not locked  as locked",
      ].join("\n"),
    );
    expect(stderr).toContain("Checked 3 environments of 1 server and");
  });

  it("shows the worst class of each row, the server first, and unverified environments", async () => {
    const environments = { ...shop.environments, away: { url: "http://127.0.0.1:9/mcp" } };
    const project = await makePulled({ servers: { shop: { ...shop, environments } } });
    const env = { SANDBOX: "input-bound-tightened", PRODUCTION: "server-name-changed" };
    const { document } = await project.runJson("check --env all", env);
    expect(document["environments"]).toEqual([
      {
        server: "shop",
        environments: [null, "sandbox", "production", "away"],
        rows: [
          { tool: null, states: ["as-locked", "as-locked", "breaking", "unverified"] },
          { tool: "cancel-order", states: ["as-locked", "breaking", "as-locked", "unverified"] },
        ],
      },
    ]);
  });

  it("prints no table without differences, or for a server without environments", async () => {
    const project = await makePulled({ servers: { shop, plain: fixtureCommand("paged") } });
    await project.prints(
      "check --env all",
      0,
      /^Up to date: checked 4 environments of 2 servers and \d+ files against the lock\.\n$/,
    );
  });
});
