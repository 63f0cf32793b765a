import type { Rule } from "./rules.js";

const WIDENED = { class: "dangerous", security: true, impacts: ["trust"] } as const;
const NARROWED = { class: "safe", impacts: ["trust"] } as const;

/** Rules about the user interface of a tool (MCP Apps, `_meta.ui`). */
export const APP_RULES = {
  "app-added": {
    ...WIDENED,
    impacts: ["behaviour", "trust"],
    says: "The tool now has a user interface",
    why: "hosts run its HTML, which can call the server's tools",
  },
  "app-changed": {
    ...WIDENED,
    impacts: ["behaviour", "trust"],
    says: "The tool now has another user interface",
    why: "hosts run other HTML, which may not have been reviewed",
  },
  "app-removed": {
    ...NARROWED,
    impacts: ["behaviour"],
    says: "The tool no longer has a user interface",
    why: "hosts show its answers as text",
  },
  "app-origin-added": {
    ...WIDENED,
    says: "The tool's user interface may use another origin",
    why: "it may send data there, or load code from there",
  },
  "app-origin-removed": {
    ...NARROWED,
    says: "The tool's user interface may no longer use an origin",
    why: "it can reach less",
  },
  "app-permission-added": {
    ...WIDENED,
    says: "The tool's user interface requests another permission",
    why: "it may use a part of the user's device, such as the camera",
  },
  "app-permission-removed": {
    ...NARROWED,
    says: "The tool's user interface no longer requests a permission",
    why: "it can use less of the user's device",
  },
  "app-visibility-added": {
    ...WIDENED,
    impacts: ["model", "trust"],
    says: "Models or user interfaces can now call the tool",
    why: "it was not approved for them",
  },
  "app-visibility-removed": {
    class: "dangerous",
    impacts: ["behaviour", "model"],
    says: "Models or user interfaces can no longer call the tool",
    why: "hosts no longer offer it to them",
  },
} satisfies Readonly<Record<string, Rule>>;
