/** Policies of any kind, and marks that tell whether a tool was shown. */
import fc from "fast-check";
import type { PolicyOptions } from "../../src/runtime/index.js";

/** Stands in all that is told of a tool, and nowhere else. */
export function markOf({ name }: { readonly name: string }): string {
  return `mark ${Array.from(name, (letter) => letter.charCodeAt(0)).join(" ")} end`;
}

export const annotations = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() },
  { requiredKeys: [] },
);
export const categories = fc.constantFrom("content", "media", "users");
const patterns = fc.constantFrom(
  "*",
  "get-*",
  "*post*",
  "shop__*",
  "evil__shop__*",
  "{delete-post,wipe}",
  "l???_posts",
);
const selector = fc.record(
  {
    categories: fc.array(categories, { maxLength: 2 }),
    names: fc.array(patterns, { maxLength: 2 }),
    effects: fc.subarray(["reads", "writes", "destroys"] as const),
  },
  { requiredKeys: [] },
);
const rules = fc.record(
  { allow: fc.array(selector, { maxLength: 2 }), deny: fc.array(selector, { maxLength: 2 }) },
  { requiredKeys: [] },
);
const writes = fc.oneof(
  fc.boolean(),
  fc.record({ shop: fc.boolean(), static: fc.boolean() }, { requiredKeys: [] }),
);
/** The role `guest` is there and does not apply yet. */
export const anyOptions: fc.Arbitrary<PolicyOptions> = fc
  .record({
    focusMode: fc.constantFrom("own", "full-admin", "content-editing", "read-only"),
    mode: rules,
    guest: rules,
    writes,
    annotations: fc.dictionary(patterns, annotations, { maxKeys: 2 }),
  })
  .map(({ mode, guest, ...rest }) => ({ ...rest, focusModes: { own: mode }, roles: { guest } }));
