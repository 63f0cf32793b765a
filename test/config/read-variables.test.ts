import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readVariables } from "../../src/config/read-variables.js";

async function folderWith(files: { readonly [name: string]: string }): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "mcp-codegen-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(dir, name), text)));
  return dir;
}

it("reads the environment, then the named file, then .env.local, then .env", async () => {
  const dir = await folderWith({
    ".env": "A=env\nB=env\nC=env\nD=env\n",
    ".env.local": "A=local\nB=local\nC=local\n",
    "my.env": "A=named\nB='named'\n",
  });
  const lookup = await readVariables({ dir, environment: { A: "", Z: undefined }, envFile: "my.env" });
  expect(["A", "B", "C", "D", "E", "Z", "constructor"].map(lookup)).toEqual([
    "",
    "named",
    "local",
    "env",
    undefined,
    undefined,
    undefined,
  ]);
});

it("requires no file except the named one", async () => {
  const dir = await folderWith({});
  expect((await readVariables({ dir, environment: {} }))("A")).toBeUndefined();
  await expect(readVariables({ dir, environment: {}, envFile: "my.env" })).rejects.toMatchObject({
    code: "CONFIG_NOT_FOUND",
    message: 'The environment file "my.env" cannot be read.',
  });
});
