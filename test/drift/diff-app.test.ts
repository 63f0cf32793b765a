import { expect, test } from "vitest";
import { digestOfTool } from "../../src/core/digest.js";
import type { JsonObject, JsonValue } from "../../src/core/json.js";
import { diffTools } from "../../src/drift/diff-tools.js";

/** The changes between these `_meta`, as `rule class path`; security findings have a mark. */
function diff(before: JsonValue | undefined, after: JsonValue | undefined): readonly string[] {
  const [old, now] = [before, after].map((meta) => ({
    name: "t",
    ...(meta !== undefined && { _meta: meta }),
  }));
  if (old === undefined || now === undefined) return [];
  return diffTools([old], [now]).map(
    ({ rule, class: kind, security, path }) => `${rule} ${kind}${security ? "!" : ""} ${path}`,
  );
}

const URI = "ui://shop/cart";
const ui = (rest: JsonObject): JsonObject => ({ ui: { resourceUri: URI, ...rest } });
const csp = (directives: JsonObject): JsonObject => ui({ csp: directives });

test.each<[string, JsonValue | undefined, JsonValue | undefined, readonly string[]]>([
  ["an added interface", undefined, ui({}), ["app-added dangerous! /_meta/ui/resourceUri"]],
  ["an added interface, in the early form", {}, { "ui/resourceUri": URI }, ["app-added dangerous! /_meta/ui~1resourceUri"]],
  ["the early form and the form of today", { "ui/resourceUri": URI }, ui({}), []],
  ["both forms at once", ui({}), { ...ui({}), "ui/resourceUri": "ui://other" }, []],
  ["another interface", { "ui/resourceUri": URI }, { ui: { resourceUri: "ui://shop/b" } }, ["app-changed dangerous! /_meta/ui/resourceUri"]],
  ["a removed interface", ui({}), undefined, ["app-removed safe /_meta/ui/resourceUri"]],
  ["no interface", undefined, { ui: {} }, []],
  ["PHP's empty objects", { ui: { csp: [], permissions: [] } }, [], []],
  ["an added origin", csp({ connectDomains: ["https://a.example"] }), csp({ connectDomains: ["https://a.example", "https://b.example"] }),
    ["app-origin-added dangerous! /_meta/ui/csp/connectDomains"]],
  ["an origin for another", csp({ resourceDomains: ["https://a.example"] }), csp({ resourceDomains: ["https://b.example"] }),
    ["app-origin-added dangerous! /_meta/ui/csp/resourceDomains"]],
  ["an origin in another directive", csp({ resourceDomains: ["https://a.example"] }), csp({ connectDomains: ["https://a.example"] }),
    ["app-origin-added dangerous! /_meta/ui/csp/connectDomains", "app-origin-removed safe /_meta/ui/csp/resourceDomains"]],
  ["an unknown directive", csp({}), csp({ workerDomains: ["https://a.example"] }), ["app-origin-added dangerous! /_meta/ui/csp/workerDomains"]],
  ["a removed origin", csp({ frameDomains: ["https://a.example"] }), ui({}), ["app-origin-removed safe /_meta/ui/csp/frameDomains"]],
  ["origins in another order, or empty", csp({ connectDomains: ["https://a.example", "https://b.example"], frameDomains: [] }),
    csp({ connectDomains: ["https://b.example", "https://a.example"] }), []],
  ["an origin that is not a text", csp({}), csp({ connectDomains: "*" }), ["definition-changed dangerous /_meta/ui/csp/connectDomains"]],
  ["a dedicated domain", ui({}), ui({ domain: "x.example" }), ["app-origin-added dangerous! /_meta/ui/domain"]],
  ["no dedicated domain any more", ui({ domain: "x.example" }), ui({}), ["app-origin-removed safe /_meta/ui/domain"]],
  ["an added permission", ui({ permissions: { camera: {} } }), ui({ permissions: { camera: {}, microphone: {} } }),
    ["app-permission-added dangerous! /_meta/ui/permissions/microphone"]],
  ["a removed permission", ui({ permissions: { camera: {} } }), ui({ permissions: {} }), ["app-permission-removed safe /_meta/ui/permissions/camera"]],
  ["a permission that is not an object", ui({}), ui({ permissions: ["camera"] }), ["definition-changed dangerous /_meta/ui/permissions"]],
  ["a tool for interfaces that models can call too", ui({ visibility: ["app"] }), ui({}), ["app-visibility-added dangerous! /_meta/ui/visibility"]],
  ["a tool that models can no longer call", ui({}), ui({ visibility: ["app"] }), ["app-visibility-removed dangerous /_meta/ui/visibility"]],
  ["the default visibility, written out", ui({}), ui({ visibility: ["app", "model"] }), []],
  ["a border", ui({}), ui({ prefersBorder: true }), ["meta-changed safe /_meta/ui/prefersBorder"]],
  ["an unknown key", ui({}), ui({ sandbox: "off" }), ["definition-changed dangerous /_meta/ui/sandbox"]],
  ["an interface that is not an object", {}, { ui: "x" }, ["definition-changed dangerous /_meta/ui"]],
  ["other metadata", ui({}), { ...ui({}), a: 1 }, ["meta-changed safe /_meta"]],
  ["an interface with an origin", { a: 1 }, { a: 1, ...csp({ connectDomains: ["https://a.example"] }) },
    ["app-added dangerous! /_meta/ui/resourceUri", "app-origin-added dangerous! /_meta/ui/csp/connectDomains"]],
])("%s", (_, before, after, findings) => {
  expect(diff(before, after)).toEqual(findings);
}); // prettier-ignore

test("the digest of a tool covers its user interface", () => {
  const digests = [ui({}), csp({ connectDomains: ["https://a.example"] }), {}].map((meta) =>
    digestOfTool({ definition: { name: "t", _meta: meta } }),
  );
  expect(new Set(digests).size).toBe(3);
});
