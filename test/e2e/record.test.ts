import { describe, expect, it } from "vitest";
import { EXAMPLE, makePulled } from "./make-project.js";

describe("call --record", () => {
  it("calls a tool with flags, and writes its cassette", async () => {
    const project = await makePulled({ servers: { example: EXAMPLE } });
    const { exitCode, stdout, stderr } = await project.run([
      "call",
      "--record",
      "example__get-post",
      "--id",
      "1",
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Recorded in "cassettes/example/get-post.json".\n',
    });
    const file = JSON.parse(await project.read("cassettes/example/get-post.json")) as object;
    expect(file).toMatchObject({
      cassetteVersion: 1,
      server: "example",
      tool: "get-post",
      contract: "1.0.0",
      calls: [{ arguments: { id: 1 }, result: { structuredContent: JSON.parse(stdout) as object } }],
    });
    const again = await project.run(["call", "--record", "example__get-post", "--id", "1"]);
    expect(again.stderr).toBe('Recorded in "cassettes/example/get-post.json".\n');
    // A folder of its own, and options after the name of the tool.
    const other = await project.run([
      "call",
      "--record",
      "example__get-post",
      "--id",
      "2",
      "--cassette",
      "other",
    ]);
    expect(other.stderr).toBe('Recorded in "other/example/get-post.json".\n');
    expect(await project.paths()).toContain("other/example/get-post.json");
    const help = await project.run(["call", "--record", "example__get-post", "--help"]);
    expect(help.stdout).toContain("--id");
    await project.refuses(
      ["call", "example__get-post", "--id", "1", "--cassette", "other"],
      "--cassette requires --record.",
    );
    // The policy holds.
    await project.refuses(["call", "--record", "example__delete-post", "--id", "1"]);
    expect(await project.paths()).not.toContain("cassettes/example/delete-post.json");
  });

  it("records the failure of a tool, with its exit code", async () => {
    const project = await makePulled({ servers: { example: EXAMPLE }, cassettes: ["test/cassettes"] });
    const { exitCode, stderr } = await project.run(["call", "--record", "example__get-post", "--id", "4711"]);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('Recorded in "test/cassettes/example/get-post.json".'),
    ]);
  });
});

it("the paths of a configuration are redacted by generated code and by the command", async () => {
  const servers = { example: { ...EXAMPLE, record: { redact: ["result.structuredContent.title"] } } };
  const project = await makePulled({ servers });
  expect(await project.read("generated/example/server.ts")).toContain(
    'record: { redact: ["result.structuredContent.title"] }',
  );
  await project.run(["call", "--record", "example__get-post", "--id", "1"]);
  const text = await project.read("cassettes/example/get-post.json");
  expect(text).toContain('"title": "[redacted]"');
});
