import { expect, test } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { makeProject } from "./make-project.js";

const WARNING =
  'writes lines to standard output that are not messages; some clients fail on them: "chatty server listening on stdio"';

test("a server that writes text to stdout gets one warning of pull and doctor, and passes check", async () => {
  const project = await makeProject({ servers: { shop: fixtureCommand("chatty") } });
  const pulled = await project.prints(["pull"], 0);
  expect(pulled.stdout.split(WARNING)).toHaveLength(2);
  const { document } = await project.runJson(["doctor"]);
  expect(document["diagnoses"]).toContainEqual(
    expect.objectContaining({ about: "server", status: "warning", message: `"shop" ${WARNING}.` }),
  );
  await project.prints(["check"], 0);
});
