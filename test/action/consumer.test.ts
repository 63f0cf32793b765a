/** Mode consumer of the Action, and mode check of the provider that gets the file. */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CONSUMER_NAME } from "../../src/contract/consumer.js";
import { readShop } from "../consumers/make-consumer.js";
import { commitAll } from "../e2e/git.js";
import { makeScratch, pullRequest, PUSH, type Scratch } from "./run-action.js";

const APP = fileURLToPath(new URL("../consumers/reader-app", import.meta.url));

async function makeConsumerScratch(): Promise<Scratch> {
  const files = (await readdir(APP, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const texts = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(APP.length + 1), await readFile(path, "utf8")] as const;
  });
  const config = { servers: { shop: { file: "tools.json" } } };
  return makeScratch(config, {
    "tools.json": await readShop(),
    ...Object.fromEntries(await Promise.all(texts)),
  });
}

it("exports, attaches the file to a release, and a provider's pull request names whom it breaks", async () => {
  const scratch = await makeConsumerScratch();
  const { service } = scratch;
  const inputs = { mode: "consumer", consumer: "acme-reader" };
  const written = await scratch.act(inputs);
  expect(written.exitCode, written.log).toBe(0);
  const file = written.outputs["consumer-file"] ?? "";
  expect(basename(file)).toBe(CONSUMER_NAME);
  const text = await readFile(file, "utf8");
  expect(service.writes).toEqual([]);

  const release = {
    name: "release",
    ref: "refs/tags/v1.0.0",
    payload: {
      release: { id: 3, upload_url: `${service.url}/api/uploads/releases/3/assets{?name,label}` },
    },
  };
  expect((await scratch.act(inputs, release)).exitCode).toBe(0);
  // A run of the same release again replaces the asset.
  expect((await scratch.act(inputs, release)).exitCode).toBe(0);
  expect(service.assets).toMatchObject([{ name: CONSUMER_NAME, text }]);

  // Once the file is committed, it is checked and not overwritten.
  await commitAll(scratch.dir, "Add the consumer's file");
  expect((await scratch.act(inputs)).exitCode).toBe(0);
  const stale = await scratch.act({ ...inputs, consumer: "acme-other" });
  expect(stale.exitCode).toBe(1);
  expect(stale.log).toContain("The committed consumer's file is out of date.");
  expect(await scratch.read(CONSUMER_NAME)).toBe(text);

  const provider = await makeScratch(
    { servers: { shop: { file: "tools.json" } }, output: false },
    { "tools.json": await readShop(), "consumers/acme-reader.json": text },
  );
  const asked = { consumers: "consumers/*.json", offline: "true", "fail-on-changes": "consumer" };
  expect((await provider.act(asked, pullRequest())).exitCode).toBe(0);
  await provider.write("tools.json", (await readShop()).replaceAll('"customer"', '"buyer"'));
  await provider.run(["pull"]);
  await commitAll(provider.dir, "Rename customer");
  const broken = await provider.act(asked, pullRequest());
  expect(broken.exitCode, broken.log).toBe(1);
  expect(provider.service.comments[0]?.body).toContain("acme-reader");
});

it("passes on what the program reports", async () => {
  const scratch = await makeScratch(
    { servers: { shop: { file: "tools.json" } }, output: false },
    { "tools.json": '{ "tools": [] }' },
  );
  const { exitCode, outputs } = await scratch.act({ mode: "consumer", consumer: "a b" }, PUSH);
  expect([exitCode, outputs["exit-code"]]).toEqual([2, "2"]);
});
