import { expect, test } from "vitest";
import { commandWith } from "../../../src/sources/php/read-php.js";

const EVAL = ["eval-file", "-"];
const CODE = ["--", "-r", " code", "/wordpress"];

test.each([
  ["wp", ["wp", ...EVAL]],
  ["vendor/bin/wp --path=web", ["vendor/bin/wp", "--path=web", ...EVAL]],
  ["php wp-cli.phar", ["php", "wp-cli.phar", ...EVAL]],
  ["ddev wp", ["ddev", "wp", ...EVAL]],
  ["npx wp-env run cli --", ["npx", "wp-env", "run", "cli", "--", "wp", ...EVAL]],
  ["docker compose exec -T cli", ["docker", "compose", "exec", "-T", "cli", "wp", ...EVAL]],
  ["npx @wp-playground/cli php --auto-mount", ["npx", "@wp-playground/cli", "php", "--auto-mount", ...CODE]],
  ["npx @wp-playground/cli@latest --wp=6.9 --", ["npx", "@wp-playground/cli@latest", "php", "--wp=6.9", ...CODE]],
  ["wp-playground-cli php", ["wp-playground-cli", "php", ...CODE]],
])("%s", (text, command) => {
  const found = commandWith(text.split(" "), "<?php code");
  expect(found.command).toEqual(command);
  expect(found.stdin).toBe(command.includes("-r") ? "" : "<?php code");
}); // prettier-ignore
