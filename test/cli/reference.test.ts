import { it } from "vitest";
import { expectFresh } from "../docs/expect-fresh.js";
import { printReference } from "./print-reference.js";

it("docs/cli.md has the commands and options of the parser", () =>
  expectFresh("cli.md", "commands", printReference()));
