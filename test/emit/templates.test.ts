import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

describe("the templates", () => {
  it("are compiled (npm run templates)", () => {
    const { status, stderr } = spawnSync(process.execPath, ["templates/compile.js", "--check"], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });
});
