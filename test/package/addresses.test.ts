import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const dist = new URL("../../dist/", import.meta.url);

/** The bundler moves modules to other folders, and a thread whose file is missing is replaced by slower work in the main one. */
test("every file that the built code finds by its own address exists", () => {
  const addresses = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => {
      const file = new URL(name, dist);
      const found = readFileSync(file, "utf8").matchAll(/new URL\("([^"]+\.js)", import\.meta\.url\)/g);
      return [...found].map(([, path = ""]) => ({ name, path, target: new URL(path, file) }));
    });
  expect(addresses.map(({ path }) => path)).toContain("../serve/judge-worker.js");
  expect(addresses.filter(({ target }) => !existsSync(fileURLToPath(target)))).toEqual([]);
});
