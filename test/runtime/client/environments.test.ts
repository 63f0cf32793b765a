import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { FAULTS, startFaultProxy, type Fault, type FaultProxy } from "../../servers/fault-proxy.js";
import { startFixture } from "../../servers/start-fixture.js";
import { countingTools } from "./counting-tools.js";

let fixture: Awaited<ReturnType<typeof startFixture>>;
let sandbox: FaultProxy;
let production: FaultProxy;
let fault: Fault = "none";

beforeEach(async () => {
  fault = "none";
  fixture = await startFixture("counting", { args: ["--answer", "sse"] });
  sandbox = await startFaultProxy(fixture.url, ({ method }) => (method === "tools/call" ? fault : "none"));
  production = await startFaultProxy(fixture.url, () => "none");
});
afterEach(async () => {
  for (const name of ["COUNTING_TOKEN", "COUNTING_OTHER"]) Reflect.deleteProperty(process.env, name);
  await sandbox.close();
  await production.close();
  await fixture.close();
});

const failing = (message: string | RegExp) => ({
  error: { message: expect.stringMatching(message) as string },
});
const auth = { bearer: "${COUNTING_TOKEN}" };

const initializations = (proxy: FaultProxy): number =>
  proxy.requests.filter(({ method }) => method === "initialize").length;

describe("environments", () => {
  test("share neither credentials nor sessions nor breakers", async () => {
    process.env["COUNTING_TOKEN"] = "sandbox-t0ken";
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
    expect([initializations(sandbox), initializations(production)]).toEqual([1, 1]);

    fault = "error-500";
    for (let n = 0; n < 3; n += 1) await here.read.safe({}, { retry: false });
    expect(await here.read.safe({})).toMatchObject(failing("left alone"));
    expect(await there.read.safe({})).toMatchObject({ ok: true });
  });

  test("with an address and credentials of their own need no variable of the base settings", async () => {
    process.env["COUNTING_TOKEN"] = "production-t0ken";
    const { server, tools } = countingTools({
      url: "${COUNTING_BASE_URL}/mcp",
      auth: { bearer: "${COUNTING_BASE_TOKEN}" },
      environments: { production: { url: production.url, auth } },
    });
    await using there = connectTools(server, tools, { environment: "production" });
    expect((await there.whoami({})).text).toBe("Bearer production-t0ken");
    await using here = connectTools(server, tools);
    const unset = /"COUNTING_BASE_URL" .*"COUNTING_BASE_TOKEN"/;
    expect(await here.whoami.safe({})).toMatchObject(failing(unset));
  });

  test("that are not configured are not an outage", async () => {
    const { tools } = countingTools({ url: sandbox.url, environments: { staging: { url: production.url } } });
    const error = { ...failing('"staging"').error, code: "TOOL_UNAVAILABLE", retryable: false };
    expect(await tools.read.safe({}, { environment: "stagin" })).toMatchObject({ error });
  });
});

describe("credentials", () => {
  test("are looked up for every connection, and again when they are refused", async () => {
    await fixture.close();
    fixture = await startFixture("counting", { args: ["--bearer", "n3w-token"] });
    const guarded = await startFaultProxy(fixture.url, () => "none");
    try {
      const { server, tools } = countingTools({ url: guarded.url, auth });
      await using connection = connectTools(server, tools);
      expect(await connection.whoami.safe({})).toMatchObject(failing('"COUNTING_TOKEN" has no value'));
      process.env["COUNTING_TOKEN"] = "0ld-token";
      expect(await connection.whoami.safe({})).toMatchObject(failing("refused the credentials"));
      process.env["COUNTING_TOKEN"] = "n3w-token";
      expect((await connection.whoami({})).text).toBe("Bearer n3w-token");
    } finally {
      await guarded.close();
    }
  });

  test("that changed while a session was open do not make the call fail", async () => {
    let accepted = "Bearer first-token";
    const guarded = await startFaultProxy(fixture.url, ({ headers }) =>
      headers.authorization === accepted ? "none" : "unauthorized",
    );
    try {
      const { server, tools } = countingTools({ url: guarded.url, auth });
      process.env["COUNTING_TOKEN"] = "first-token";
      await using connection = connectTools(server, tools);
      expect((await connection.whoami({})).text).toBe("Bearer first-token");
      accepted = "Bearer second-token";
      const error = { code: "TOOL_UNAVAILABLE", retryable: false };
      expect(await connection.write.safe({ id: 1 })).toMatchObject({ error });
      process.env["COUNTING_TOKEN"] = "second-token";
      await connection.write({ id: 1 });
      accepted = "Bearer third-token";
      process.env["COUNTING_TOKEN"] = "third-token";
      expect((await connection.whoami({})).text).toBe("Bearer third-token");
    } finally {
      await guarded.close();
    }
  });

  test.each(FAULTS)("are in no error and in no event, whatever %s gives back", async (kind) => {
    process.env["COUNTING_TOKEN"] = "t0p-secret";
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
    process.env["COUNTING_TOKEN"] = "t0p-secret";
    const { definition } = countingTools({ url: sandbox.url, auth }).tools.whoami;
    const result = await defineTool({ ...definition, output: z.looseObject({ name: z.string() }) }).safe({});
    expect(result).toMatchObject({ error: { code: "TOOL_INVALID_OUTPUT" } });
    expect(inspect(result, { depth: null, showHidden: true })).not.toContain("t0p-secret");
  });
});
