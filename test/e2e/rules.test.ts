import { expect, it } from "vitest";
import { makeProject } from "./make-project.js";

it("explain describes the rules of check without a configuration, says how to waive one, and suggests a similar one", async () => {
  const project = await makeProject();
  const listed = await project.runJson("explain");
  const removed = expect.objectContaining({ rule: "tool-removed", class: "breaking" }) as object;
  expect(listed.document["rules"]).toContainEqual(removed);
  await project.prints("explain", 0, "tool-removed");
  await project.reports("explain output-bound-tightened", {
    class: "safe",
    otherSide: { class: "breaking" },
  });
  await project.refuses("explain input-bound-tighten", 'Did you mean "input-bound-tightened"?');
  await project.refuses(["explain", "nothing of the kind"], 'Run "npx mcp-codegen explain"');
  const means = "It means: A file of recorded calls cannot be read or is not used.";
  await project.refuses("explain cassette-invalid", means);
  const says = "A file that agents read names a tool that the lock does not have";
  const waive = "npx mcp-codegen check --waive mention-unknown <tool>";
  await project.prints("explain mention-unknown", 0, says, waive);
  await project.reports("explain mention-unknown", { class: "file" });
});
