import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { FAULTS, type Fault, type FaultProxy } from "../../servers/fault-proxy.js";
import { openFixture, openProxy } from "../open-fixture.js";
import { countingTools } from "./counting-tools.js";

let url: string;
let sandbox: FaultProxy;
let production: FaultProxy;
let fault: Fault = "none";

beforeEach(async () => {
  fault = "none";
  ({ url } = await openFixture("counting", { args: ["--answer", "sse"] }));
  sandbox = await openProxy(url, ({ method }) => (method === "tools/call" ? fault : "none"));
  production = await openProxy(url);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const setToken = (token: string): unknown => vi.stubEnv("COUNTING_TOKEN", token);
const failing = (message: string | RegExp) => ({
  error: { code: "TOOL_UNAVAILABLE", message: expect.stringMatching(message) as string },
});
const auth = { bearer: "${COUNTING_TOKEN}" };

test("environments share neither credentials nor sessions nor breakers", async () => {
  setToken("sandbox-t0ken");
  const { server, tools } = countingTools({
    url: sandbox.url,
    auth,
    headers: { "x-key": "${COUNTING_TOKEN}" },
    environments: { production: { url: production.url } },
  });
  await using here = connectTools(server, tools);
  await using there = connectTools(server, tools, { environment: "production" });
  expect((await here.whoami({})).text).toBe("Bearer sandbox-t0ken");
  expect((await there.whoami({})).text).toBe("anonymous");
  expect(inspect(production.requests, { depth: null })).not.toContain("t0ken");
  for (const { requests } of [sandbox, production])
    expect(requests.filter(({ method }) => method === "initialize")).toHaveLength(1);

  fault = "error-500";
  for (let n = 0; n < 3; n += 1) await here.read.safe({}, { retry: false });
  expect(await here.read.safe({})).toMatchObject(failing("left alone"));
  expect(await there.read.safe({})).toMatchObject({ ok: true });
});

describe("credentials", () => {
  test("are looked up for every connection, and again when they are refused", async () => {
    let accepted = "new";
    const { url: guarded } = await openProxy(url, ({ headers }) =>
      headers.authorization === `Bearer ${accepted}-token` ? "none" : "unauthorized",
    );
    const { server, tools } = countingTools({ url: guarded, auth });
    await using connection = connectTools(server, tools);
    expect(await connection.whoami.safe({})).toMatchObject(failing('"COUNTING_TOKEN" has no value'));
    setToken("old-token");
    const refused = failing("refused the credentials");
    expect(await connection.whoami.safe({})).toMatchObject(refused);
    setToken("new-token");
    expect((await connection.whoami({})).text).toBe("Bearer new-token");
    // They change while a session is open.
    accepted = "second";
    const error = { ...refused.error, retryable: false };
    expect(await connection.write.safe({ id: 1 })).toMatchObject({ error });
    setToken("second-token");
    await connection.write({ id: 1 });
    accepted = "third";
    setToken("third-token");
    expect((await connection.whoami({})).text).toBe("Bearer third-token");
  });

  test.each(FAULTS)("are in no error and in no event, whatever %s gives back", async (kind) => {
    setToken("t0p-secret");
    const { server, tools } = countingTools({ url: sandbox.url, auth });
    const told: unknown[] = [];
    await using connection = connectTools(server, tools, {
      timeout: 100,
      retry: 1,
      logResults: true,
      logger: (event, fields) => told.push(event, fields),
      onProgress: (progress) => told.push(progress),
    });
    fault = kind;
    for (const name of ["read", "write", "failing", "steps"] as const)
      told.push(await connection[name].safe({}));
    expect(told.length).toBeGreaterThan(8);
    expect(inspect(told, { depth: null, showHidden: true })).not.toContain("t0p-secret");
  });

  test("are not in the error of an answer that does not fit", async () => {
    setToken("t0p-secret");
    const { definition } = countingTools({ url, auth }).tools.whoami;
    const result = await defineTool({ ...definition, output: z.looseObject({ name: z.string() }) }).safe({});
    expect(result).toMatchObject({ error: { code: "TOOL_INVALID_OUTPUT" } });
    expect(inspect(result, { depth: null, showHidden: true })).not.toContain("t0p-secret");
  });
});
