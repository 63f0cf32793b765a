import { expect, it } from "vitest";
import { EXAMPLE, makePulled } from "./make-project.js";

it("call --record calls a tool with flags, and writes its cassette", async () => {
  const redact = ["result.structuredContent.title"];
  const project = await makePulled({ servers: { example: { ...EXAMPLE, record: { redact } } } });
  const line = "call --record example__get-post --id 1";
  const recorded = 'Recorded in "cassettes/example/get-post.json".\n';
  const { exitCode, stdout, stderr } = await project.run(line);
  expect([exitCode, stderr]).toEqual([0, recorded]);
  const structuredContent = { ...(JSON.parse(stdout) as object), title: "[redacted]" };
  expect(JSON.parse(await project.read("cassettes/example/get-post.json"))).toMatchObject({
    cassetteVersion: 1,
    server: "example",
    tool: "get-post",
    contract: "1.0.0",
    calls: [{ arguments: { id: 1 }, result: { structuredContent } }],
  });
  expect((await project.run(line)).stderr).toBe(recorded);
  expect(await project.read("generated/example/server.ts")).toContain(
    'record: { redact: ["result.structuredContent.title"] }',
  );
  // A folder of its own, and options after the name of the tool.
  const other = await project.run("call --record example__get-post --id 2 --cassette other");
  expect(other.stderr).toBe('Recorded in "other/example/get-post.json".\n');
  expect(await project.paths()).toContain("other/example/get-post.json");
  await project.prints("call --record example__get-post --help", 0, "--id");
  await project.refuses("call example__get-post --id 1 --cassette other", "--cassette requires --record.");
  // The policy holds.
  await project.refuses("call --record example__delete-post --id 1");
  expect(await project.paths()).not.toContain("cassettes/example/delete-post.json");

  // The failure of a tool, with its exit code.
  await project.configure({ servers: { example: EXAMPLE }, cassettes: ["test/cassettes"] });
  const failed = await project.prints("call --record example__get-post --id 4711", 1);
  expect(failed.stderr).toContain('Recorded in "test/cassettes/example/get-post.json".');
});
