import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/contract/change.js";
import { findLiteral } from "../../../src/sources/php/find-literal.js";

const text = `<?php
function answer() { return array( 'status' => 404, 'state' => $state ); }
$schema = array(
    'status' => array( 'enum' => STATUSES ),
    'state'  => states_schema(),
    'note'   => 'A note.',
);
const STATUSES = array( 'draft', 'done' );
`;

const change = (property: string, values: Pick<Change, "before" | "after">): Change => ({
  rule: "input-enum-value-added",
  class: "safe",
  security: false,
  server: "site",
  tool: "save",
  path: `/inputSchema/properties/${property}/enum`,
  impacts: ["wire"],
  ...values,
});

describe("the line of PHP that a change is about", () => {
  it.each([
    ["has the text that is new", "status", { after: "done" }, 8],
    ["has the schema of the property, not a value of that name", "status", { before: "gone" }, 4],
    ["has what makes the schema", "state", { before: "gone" }, 5],
  ])("%s", (_, property, values, line) => {
    expect(findLiteral(change(property, values), [{ file: "a.php", text }])).toEqual({ file: "a.php", line });
  });

  it("is unknown where a value is all that has the name", () => {
    expect(findLiteral(change("note", { before: "gone" }), [{ file: "a.php", text }])).toBeUndefined();
  });
});
