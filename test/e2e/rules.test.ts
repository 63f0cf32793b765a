import { expect, it } from "vitest";
import { makeProject } from "./make-project.js";

it("explain describes the rules of check without a configuration", async () => {
  const project = await makeProject();
  const listed = await project.runJson(["explain"]);
  expect(listed.document["rules"]).toContainEqual(
    expect.objectContaining({ rule: "tool-removed", class: "breaking" }),
  );
  expect((await project.run(["explain"])).stdout).toContain("tool-removed");
  const explained = await project.runJson(["explain", "output-bound-tightened"]);
  expect(explained.document).toMatchObject({ class: "safe", otherSide: { class: "breaking" } });
});

it("explain suggests a similar rule", async () => {
  const project = await makeProject();
  await project.refuses(["explain", "input-bound-tighten"], 'Did you mean "input-bound-tightened"?');
  expect((await project.run(["explain", "nothing of the kind"])).stderr).toContain(
    'Run "npx mcp-codegen explain"',
  );
  const own = await project.run(["explain", "cassette-invalid"]);
  expect(own.stderr).toContain("It means: A file of recorded calls cannot be read or is not used.");
});

it("explain says what an unknown name means, and how to waive it", async () => {
  const project = await makeProject();
  await project.prints(
    ["explain", "mention-unknown"],
    0,
    "A file that agents read names a tool that the lock does not have: a permission or instruction has no effect.",
    "npx mcp-codegen check --waive mention-unknown <tool>",
  );
  expect((await project.runJson(["explain", "mention-unknown"])).document).toMatchObject({ class: "file" });
});
