import { expect, it } from "vitest";
import { makeProject } from "./make-project.js";

it("rules and explain describe the rules of check without a configuration", async () => {
  const project = await makeProject();
  const listed = await project.runJson(["rules"]);
  expect(listed.document["rules"]).toContainEqual(
    expect.objectContaining({ rule: "tool-removed", class: "breaking" }),
  );
  expect((await project.run(["rules"])).stdout).toContain("tool-removed");
  const explained = await project.runJson(["explain", "output-bound-tightened"]);
  expect(explained.document).toMatchObject({ class: "safe", otherSide: { class: "breaking" } });
});

it("explain suggests a similar rule", async () => {
  const project = await makeProject();
  const { exitCode, stderr } = await project.run(["explain", "input-bound-tighten"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Did you mean "input-bound-tightened"?');
  expect((await project.run(["explain", "nothing of the kind"])).stderr).toContain("npx mcp-codegen rules");
  const finding = await project.run(["explain", "mention-unknown"]);
  expect(finding.stderr).toContain(
    "It means: A file that agents read names a tool that the lock does not have.",
  );
});
