import { parseTemplate } from "url-template";
import { describe, expect, test } from "vitest";
import { parseUriTemplate } from "../../src/core/uri-template.js";

/** `name`, `name?` for an optional variable, `name*` for a list. */
function shortly(template: string): string {
  const parsed = parseUriTemplate(template);
  if ("fault" in parsed) return parsed.fault;
  return parsed
    .map(({ name, isOptional, isList }) => `${name}${isList ? "*" : ""}${isOptional ? "?" : ""}`)
    .join(" ");
}

describe("the variables of", () => {
  test.each([
    ["file:///readme", ""],
    ["file:///{path}", "path"],
    ["file:///{+path}{?line,column}", "path line? column?"],
    ["{scheme}://{host}/{id:3}/{a.b}/{%41x}", "scheme host id a.b %41x"],
    ["x:{/parts*}{;a}{.b}{#c}{&d*}", "parts* a b c d*?"],
    ["x:{?id}{id}", "id"],
    ["x:{a*}{a:2}", "a"],
    ["x:{__proto__}/{constructor}", "__proto__ constructor"],
  ])("%s are %j", (template, variables) => {
    expect(shortly(template)).toBe(variables);
    // The library that expands templates reads the same names.
    const names = variables.split(" ").map((name) => name.replace(/[*?]/g, ""));
    const values = Object.fromEntries(names.map((name) => [name, "~"]));
    const expanded = parseTemplate(template).expand(values);
    expect(expanded.split("~").length - 1).toBeGreaterThanOrEqual(variables === "" ? 0 : names.length);
  });
});

test.each([
  ["x:{a", "its braces do not match"],
  ["x:a}", "its braces do not match"],
  ["x:{a{b}}", "its braces do not match"],
  ["x:{}", '"{}" is not an expression'],
  ["x:{a b}", '"{a b}" is not an expression'],
  ["x:{!a}", '"{!a}" is not an expression'],
  ["x:{a,}", '"{a,}" is not an expression'],
  ["x:{a:0}", '"{a:0}" is not an expression'],
  ["x:{a-b}", '"{a-b}" is not an expression'],
  ["x:{${a}}", "its braces do not match"],
  [`x:{${"a.".repeat(50_000)}!}`, `"{${"a.".repeat(25)}}" is not an expression`],
  [`x:${Array.from({ length: 200 }, (_item, at) => `{v${at}}`).join("")}`, "it has more than 100 variables"],
])("%.40s has none", (template, fault) => {
  expect(shortly(template)).toBe(fault);
});
