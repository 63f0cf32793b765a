/** Mode consumer of the Action, and mode check of the provider that gets the file. */
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { CONSUMER_NAME } from "../../src/core/consumer.js";
import { readShop } from "../impact/consumers/make-consumer.js";
import { commitAll } from "../e2e/git.js";
import { makeScratch, prepareStub, pullRequest, type Scratch } from "./run-action.js";

const APP = fileURLToPath(new URL("../impact/consumers/reader-app", import.meta.url));

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

it("exports, and a provider's pull request names whom it breaks", async () => {
  const scratch = await makeConsumerScratch();
  const written = await scratch.act({ mode: "consumer", consumer: "acme-reader" });
  expect(written.exitCode, written.log).toBe(0);
  const file = written.outputs["consumer-file"] ?? "";
  expect(basename(file)).toBe(CONSUMER_NAME);
  const text = await readFile(file, "utf8");

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

/** As `export`: with --check, it ends with 1 if the file does not have the name of the consumer. */
const PROGRAM = `
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const [, ...args] = process.argv.slice(2);
const file = args[args.indexOf("--out") + 1];
const name = args.includes("--consumer") ? args[args.indexOf("--consumer") + 1] : "app";
if (name === "a b") process.exit(2);
if (!args.includes("--check")) writeFileSync(file, name);
else if (!existsSync(file) || readFileSync(file, "utf8") !== name) process.exitCode = 1;
`;
const make = prepareStub(PROGRAM);

it("attaches the file to a release, and checks a file that is committed", async () => {
  const { act, dir, read, service } = await make();
  const inputs = { mode: "consumer", consumer: "acme-reader" };
  expect((await act(inputs)).outputs).toMatchObject({ "consumer-file": join(dir, CONSUMER_NAME) });
  expect(service.writes).toEqual([]);
  const upload_url = `${service.url}/api/uploads/releases/3/assets{?name,label}`;
  const release = {
    ...{ name: "release", ref: "refs/tags/v1.0.0" },
    payload: { release: { id: 3, upload_url } },
  };
  expect((await act(inputs, release)).exitCode).toBe(0);
  // A run of the same release again replaces the asset.
  expect((await act(inputs, release)).exitCode).toBe(0);
  expect(service.assets).toMatchObject([{ name: CONSUMER_NAME, text: "acme-reader" }]);

  // Once the file is committed, it is checked and not overwritten.
  await commitAll(dir, "Add the consumer's file");
  expect((await act(inputs)).exitCode).toBe(0);
  const stale = await act({ ...inputs, consumer: "acme-other" });
  expect(stale.exitCode).toBe(1);
  expect(stale.log).toContain("The committed consumer's file is out of date.");
  expect(await read(CONSUMER_NAME)).toBe("acme-reader");
});

it("passes on what the program reports", async () => {
  const { act } = await make();
  const { exitCode, outputs } = await act({ mode: "consumer", consumer: "a b" });
  expect([exitCode, outputs["exit-code"]]).toEqual([2, "2"]);
});
