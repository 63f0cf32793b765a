import { expect, test } from "vitest";
import { addRole, type Policy } from "../../../src/core/policy.js";
import { openCatalog } from "../../../src/agent/toolset/toolset-catalog.js";
import { shopTools } from "./fake-registry.js";

const roles = { clerk: { deny: [{ names: ["*_order"] }] } };
const hint = { readOnlyHint: true };

const ROWS: [string, Policy, Policy, boolean][] = [
  ["the same settings", { writes: true }, { writes: true }, true],
  ["the same role", { roles, role: "clerk" }, { roles, role: "clerk" }, true],
  ["the same hints", { annotations: { "list_*": hint } }, { annotations: { "list_*": hint } }, true],
  ["other writes", { writes: true }, {}, false],
  ["another mode", {}, { focusMode: "read-only" }, false],
  ["a role", { roles }, { roles, role: "clerk" }, false],
  ["a role of the same name", { roles, role: "clerk" }, { roles: { clerk: { deny: [] } }, role: "clerk" }, false],
  ["hints for others", { annotations: { "list_*": hint } }, { annotations: { "get_*": hint } }, false],
  ["other hints", { annotations: { "list_*": hint } }, { annotations: { "list_*": { readOnlyHint: false } } }, false],
]; // prettier-ignore

test.each(ROWS)("policies of %s share a catalog or not", (_what, a, b, isShared) => {
  const tools = shopTools();
  const one = openCatalog(tools, { policy: a });
  const other = openCatalog(tools, { policy: b });
  expect(other === one).toBe(isShared);
});

test("sessions that were narrowed alike share one, and other lists have their own", () => {
  const policy = { writes: true };
  const tools = shopTools();
  const one = openCatalog(tools, { policy: addRole(policy, "content-editor") });
  expect(openCatalog(tools, { policy: addRole(policy, "content-editor") })).toBe(one);
  expect(openCatalog([...tools], { policy: addRole(policy, "content-editor") })).not.toBe(one);
  expect(one.byName.has("shop__delete_order")).toBe(false);
  expect(openCatalog(tools, { policy }).byName.has("shop__delete_order")).toBe(true);
});

test("many policies at once are answered for each", () => {
  const tools = shopTools();
  const policies = tools.map(({ name }) => ({
    focusMode: "own",
    focusModes: { own: { allow: [{ names: [name] }] } },
  }));
  for (const [at, policy] of [...policies.entries(), ...policies.entries()]) {
    expect([...openCatalog(tools, { policy }).byName.keys()]).toEqual([tools[at]?.name]);
  }
});
