/** Arbitrary policies, and marks that reveal whether a tool was shown. */
import fc from "fast-check";
import type { Policy, PolicyRules } from "../../src/core/policy.js";
import type { RegisteredTool } from "../../src/core/tool.js";

/** Occurs in every text about a tool, and nowhere else. */
export function markOf({ name }: { readonly name: string }): string {
  return `mark ${Array.from(name, (letter) => letter.charCodeAt(0)).join(" ")} end`;
}

const annotations = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() },
  { requiredKeys: [] },
);
const CATEGORIES = ["content", "media", "users"];
const PATTERNS = ["*", "get-*", "*post*", "shop__*", "evil__shop__*", "{delete-post,wipe}", "l???_posts"];

/** Rules of a policy that name these categories and patterns of names. */
function anyRules(categoryNames: readonly string[], patterns: readonly string[]): fc.Arbitrary<PolicyRules> {
  const selector = fc
    .record(
      {
        categories: fc.array(fc.constantFrom(...categoryNames), { maxLength: 2 }),
        names: fc.array(fc.constantFrom(...patterns), { maxLength: 2 }),
        effects: fc.subarray(["reads", "writes", "destroys"] as const),
      },
      { requiredKeys: [] },
    )
    // A selector without a condition is refused.
    .filter((conditions) => Object.keys(conditions).length > 0);
  const selectors = fc.array(selector, { maxLength: 2 });
  return fc.record({ allow: selectors, deny: selectors }, { requiredKeys: [] });
}

const categories = fc.constantFrom(...CATEGORIES);
const ownNames = fc.constantFrom(
  "get-post",
  "list_posts",
  "add.post",
  "delete-post",
  "shop__get-post",
  "wipe",
);
export type DescribedTool = Pick<RegisteredTool, "name" | "server" | "category" | "annotations" | "isLocked">;

export const anyTool: fc.Arbitrary<DescribedTool> = fc
  .record(
    {
      own: ownNames,
      server: fc.constantFrom("shop", "evil", undefined),
      category: categories,
      annotations,
      isLocked: fc.boolean(),
    },
    { requiredKeys: ["own", "isLocked"] },
  )
  .map(({ own, server, ...rest }): DescribedTool => {
    // A static tool never has the name of a server's tool.
    if (server === undefined) return { name: own.replace("__", "-"), ...rest };
    return { name: `${server}__${own}`, server, ...rest };
  });

const rules = anyRules(CATEGORIES, PATTERNS);
const writes = fc.oneof(
  fc.boolean(),
  fc.record({ shop: fc.boolean(), static: fc.boolean() }, { requiredKeys: [] }),
);
/** The role `guest` exists but does not apply yet. */
export const anyOptions: fc.Arbitrary<Policy & { readonly role?: string }> = fc
  .record({
    focusMode: fc.constantFrom("own", "full-admin", "content-editing", "read-only"),
    mode: rules,
    guest: rules,
    writes,
    annotations: fc.dictionary(fc.constantFrom(...PATTERNS), annotations, { maxKeys: 2 }),
  })
  .map(({ mode, guest, ...rest }) => ({ ...rest, focusModes: { own: mode }, roles: { guest } }));

export type Answer = (name: string, args: object) => Promise<unknown>;

/** Finds and calls tools through the meta-tools. */
export async function useMetaTools(
  answer: Answer,
  { names, categories }: { readonly names: readonly string[]; readonly categories: Iterable<string> },
  prefix = "",
): Promise<readonly unknown[]> {
  const shown: unknown[] = [];
  for (const query of names) shown.push(await answer(`${prefix}search_tools`, { query, limit: 50 }));
  for (const category of categories)
    shown.push(await answer(`${prefix}search_tools`, { category, limit: 50 }));
  for (const format of ["schema", "typescript"])
    shown.push(await answer(`${prefix}describe_tools`, { tools: names.slice(0, 20), format }));
  for (const tool of names) shown.push(await answer(`${prefix}execute`, { tool, args: {} }));
  shown.push(
    await answer(`${prefix}introspect`, {}),
    await answer(`${prefix}context`, { maxTokens: 20_000 }),
  );
  return shown;
}
