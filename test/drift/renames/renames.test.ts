import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import type { ToolSnapshot, ServerSnapshot } from "../../../src/core/snapshot.js";
import { diffTools } from "../../../src/drift/diff-tools.js";
import { evidenceOf, findPropertyRenames, pairTools } from "../../../src/drift/renames/pair-tools.js";
import { findToolRenames } from "../../../src/drift/renames/find-tool-renames.js";
import { FOLDER, readHistories, type Step } from "../../../benchmarks/oracle/read-histories.js";
import { readTruth, scoreClaims, type Rename } from "../../../benchmarks/oracle/score-renames.js";
import type { Change } from "../../../src/core/change.js";
import { toolNameOf, type LockedAbility } from "../../../src/core/ability.js";
import { lockServer } from "../../../src/core/lock-server.js";
import { diffServer } from "../../../src/drift/diff-server.js";
import { OPTIONS, snapshotOf } from "../../core/locks.js";

const tool = (
  name: string,
  description: string,
  properties: JsonObject,
  rest: JsonObject = {},
): ToolSnapshot => ({ name, description, inputSchema: { type: "object", properties }, ...rest });
const text = { type: "string" };
const order = { orderId: text, reason: text };

describe("a renamed tool", () => {
  const renamesOf = (before: ToolSnapshot[], after: ToolSnapshot[], others: ToolSnapshot[] = []): string[] =>
    findToolRenames(before, after, others).renames.map((rename) => `${rename.before} > ${rename.after}`);

  it("is reported once, and compared under its new name", () => {
    const why = "Cancels an order that was not shipped.";
    const after = tool("order_cancel", why, { ...order, notify: { type: "boolean" } });
    const changes = diffTools([tool("cancel_order", why, order)], [after], { server: "shop" });
    expect(changes.map(({ rule, tool: name, path }) => [rule, name, path])).toEqual([
      ["tool-renamed", "cancel_order", ""],
      ["input-optional-property-added", "order_cancel", "/inputSchema/properties/notify"],
    ]);
    expect(changes[0]).toMatchObject({ before: "cancel_order", after: "order_cancel", confidence: 0.9 });
  });

  it.each<[string, ToolSnapshot[], ToolSnapshot[]]>([
    ["another tool", [tool("cancel_order", "Cancels an order.", order)], [tool("list_products", "Lists what the shop sells.", { page: { type: "integer" } })]],
    ["its opposite", [tool("delete_order", "Deletes an order.", { orderId: text })], [tool("create_order", "Creates an order.", { orderId: text })]],
    ["a tool that writes instead of reading", [tool("order", "About an order.", order, { annotations: { readOnlyHint: true } })],
      [tool("order_now", "About an order.", order, { annotations: { readOnlyHint: false } })]],
    ["either of two similar tools", [tool("order", "About an order.", order)],
      [tool("order_a", "About an order.", order), tool("order_b", "About an order.", order)]],
  ])("is not confused with %s", (_what, before, after) => {
    expect(renamesOf(before, after)).toEqual([]);
  }); // prettier-ignore

  it.each(["get fetch", "list search", "create add", "update edit", "delete remove"])(
    "is recognized by verbs that mean the same: %s",
    (verbs) => {
      const [before, after] = verbs.split(" ").map((verb) => `${verb}_order`);
      const changed = tool(String(after), "About one order of the shop.", { id: text, full: text });
      expect(renamesOf([tool(String(before), "About an order.", { id: text })], [changed])).toEqual([
        `${before} > ${after}`,
      ]);
    },
  );

  it("may be one of several tools that became one", () => {
    const before = ["get", "delete", "update"].map((verb) => tool(`${verb}_order`, `Order: ${verb}.`, order));
    const method = { enum: ["get", "delete", "update"], description: "What to do with the order." };
    const after = [tool("order_manage", "Order: get, delete or update one.", { method, ...order })];
    const names = ["delete_order", "get_order", "update_order"];
    expect(renamesOf(before, after)).toEqual(names.map((name) => `${name} > order_manage`));
    expect(diffTools(before, after).map(({ rule }) => rule)).toEqual(names.map(() => "tool-renamed"));
  });

  const paths = { paths: { type: "array", description: "Files to upload." } };
  const project = { project: text };

  it.each<[string, ToolSnapshot[], ToolSnapshot[], ToolSnapshot[], string]>([
    ["another verb with the same meaning", [tool("minimize_comment", "Hide a comment of an issue or of a pull request.", { comment: text })],
      [tool("hide_comment", "Hide a comment of an issue or of a pull request.", { comment: text, why: text })],
      [tool("add_comment", "Add a comment.", { body: text })], "minimize_comment > hide_comment"],
    ["words in another order, with another verb", [tool("page_choose_file", "Upload one or several files.", paths)],
      [tool("page_file_upload", "Upload one or several files.", paths)], [tool("page_click", "Click.", { at: text }), tool("page_type", "Type.", { at: text })],
      "page_choose_file > page_file_upload"],
    ["an abbreviation", [tool("switch-connection", "Switch to another database.", { connectionString: text })],
      [tool("connect", "Connect to a database.", { connectionString: text }), tool("export", "Export the result of a query.", { database: text, query: text })],
      [tool("list-databases", "Lists databases.", {})], "switch-connection > connect"],
  ])("is found under %s", (_what, before, after, others, expected) => {
    expect(renamesOf(before, after, others)).toEqual([expected]);
  }); // prettier-ignore

  it("needs less evidence if no other tool is similar", () => {
    const before = [tool("page_go_back", "Go back to the previous page.", {})];
    const back = tool("page_navigate_back", "Go back to the previous page of this tab.", {});
    const resize = tool("page_resize", "Resize the window.", { width: { type: "integer" } });
    expect(renamesOf(before, [back, resize])).toEqual(["page_go_back > page_navigate_back"]);
    // Without another tool to compare with, the same evidence is too little.
    expect(renamesOf(before, [back])).toEqual([]);
    const home = tool("page_navigate_home", "Go back to the previous page of this tab.", {});
    expect(renamesOf(before, [home, resize])).toEqual([]);
  });

  it("needs less evidence if several tools became one", () => {
    const action = { enum: ["list", "close", "new"], description: "What to do with tabs." };
    const before = [
      tool("page_tab_list", "List the open tabs.", {}),
      tool("page_tab_close", "Close a tab.", { index: { type: "integer" } }),
      tool("page_tab_new", "Create a blank tab.", { url: text }),
    ];
    const after = tool("page_tabs", "List, create or close a tab.", { action, index: { type: "integer" } });
    expect(renamesOf(before, [after])).toEqual(
      ["close", "list", "new"].map((verb) => `page_tab_${verb} > page_tabs`),
    );
    expect(renamesOf(before.slice(2), [after])).toEqual([]);
  });

  it("is not confused with a tool if other tools still use the lost word", () => {
    const before = [tool("list_tables", "List the tables of a cluster.", project)];
    const after = [tool("list_databases", "List the databases of a cluster.", project)];
    expect(renamesOf(before, after, [tool("get_table", "Get a table.", { id: text })])).toEqual([]);
  });

  it("is not confused with a larger tool that shares properties and words", () => {
    const before = [
      tool("list_pages", "List the wiki pages of a project.", { ...project, page: text, per_page: text }),
      tool("list_releases", "List the releases of a project.", { ...project, page: text, per_page: text }),
      tool("get_pipeline", "Get a pipeline of a project.", { ...project, pipeline: text }),
    ];
    const after = tool("list_statuses", "List the statuses of a commit of a project.", {
      ...project, page: text, per_page: text, pipeline: { ...text, description: "Get those of a pipeline." },
      kind: { enum: ["release", "page", "pipeline"] },
    }); // prettier-ignore
    expect(renamesOf(before, [after], [tool("get_user", "Get a user.", { id: text })])).toEqual([]);
  });

  it("is found or not in any order of properties whose names have the same words", () => {
    const list = { type: "array", items: text };
    const after = [tool("users_list_v2", "", { title: {}, tags: { type: "integer" }, userId: list })];
    const changes = [
      { user_id: {}, tags: { type: "integer" }, userId: list },
      { userId: list, tags: { type: "integer" }, user_id: {} },
    ].map((properties) => diffTools([tool("users_list", "", properties)], after));
    expect(changes[1]).toEqual(changes[0]);
  });

  it("is found among thousands of tools with a new prefix", () => {
    const tools = Array.from({ length: 3_000 }, (_, index) => tool(`tool-${index}`, `Does ${index}.`, order));
    const renamed = tools.map((each): ToolSnapshot => ({ ...each, name: `shop-${each.name}` }));
    expect(findToolRenames(tools, renamed, []).renames).toHaveLength(3_000);
  });
});

describe("a renamed property", () => {
  const found = (before: JsonObject, after: JsonObject): readonly (readonly string[])[] =>
    findPropertyRenames({ properties: before }, { properties: after }).map((rename) => [
      rename.before,
      rename.after,
    ]);
  const query = { type: "string", description: "What to search for." };

  it.each<[string, JsonObject, JsonObject, string, string]>([
    ["written in another case", { issueNumber: { type: "number" } }, { issue_number: { type: "string" } }, "issueNumber", "issue_number"],
    ["no longer abbreviated", { q: query }, { query }, "q", "query"],
    ["spelled differently", { color: text }, { colour: text }, "color", "colour"],
    ["a different word", { title: query }, { subject: query }, "title", "subject"],
  ])("is found when it is %s", (_what, before, after, was, is) => {
    expect(found(before, after)).toEqual([[was, is]]);
  }); // prettier-ignore

  it.each<[string, JsonObject, JsonObject]>([
    ["another property", { page: { type: "integer", description: "Which page." } }, { after: { ...text, description: "A cursor." } }],
    ["the other end", { startTime: { ...text, description: "Where it starts." } }, { endTime: { ...text, description: "Where it ends." } }],
    ["either of two similar properties", { title: query }, { subject: query, heading: query }],
  ])("is not confused with %s", (_what, before, after) => {
    expect(found(before, after)).toEqual([]);
  }); // prettier-ignore

  /** The renames found between tools with one renamed property each. */
  const renamedIn = (
    names: readonly (readonly [string, string])[],
    reads: (name: string) => string,
    others: ToolSnapshot[] = [],
  ) => {
    const toolsOf = (side: 0 | 1): ToolSnapshot[] =>
      names.map((pair, index) =>
        tool(`tool_${index}`, "Acts.", { [pair[side]]: { ...text, description: reads(pair[side]) } }),
      );
    return diffTools([...toolsOf(0), ...others], [...toolsOf(1), ...others])
      .filter(({ rule }) => rule === "input-property-renamed")
      .map(
        (change) =>
          `${String(change.tool)}: ${JSON.stringify(change.before)} > ${JSON.stringify(change.after)}`,
      );
  };
  const element = (name: string): string =>
    name.toLowerCase().endsWith("ref")
      ? "Exact element on the page"
      : "Exact element on the page, or a selector";

  // The evidence of a name gives a confidence of 0.417 and 0.45 of itself; without any, it is 0.313.
  it.each<[what: string, evidence: number, ofRival: number, isRenamed: boolean]>([
    ["a confidence of 0.646 with a clear lead", 0.51, 0, false],
    ["a confidence of 0.651 with a clear lead", 0.52, 0, true],
    ["a confidence of 0.651 with a lead of 0.189", 0.52, 0.1, false],
    ["a confidence of 0.696 with a lead of 0.234", 0.62, 0.1, false],
    ["a confidence of 0.700 with a lead of 0.239", 0.63, 0.1, true],
    ["a confidence of 0.732 with a lead of 0.153", 0.7, 0.36, true],
    ["a confidence of 0.732 with a lead of 0.144", 0.7, 0.38, false],
  ])("with %s is judged by both", (_what, evidence, ofRival, isRenamed) => {
    const keyOf = (what: string): JsonObject => ({
      ...text,
      description: `The key of a page in the ${what}.`,
    });
    const before = { properties: { wiki_ref: keyOf("wiki") } };
    const after = { properties: { space_point: keyOf("space"), space_target: keyOf("space") } };
    const renames = findPropertyRenames(before, after, (_name, other) => ({
      words: 0,
      name: other === "space_target" ? evidence : ofRival,
    }));
    expect(renames.map((rename) => rename.after)).toEqual(isRenamed ? ["space_target"] : []);
  });

  it("is found with evidence from other tools", () => {
    expect(renamedIn([["ref", "target"]], element)).toEqual([]);
    const pairs = [["ref", "target"], ["ref", "target"], ["ref", "target"], ["startRef", "startTarget"]] as const; // prettier-ignore
    expect(renamedIn(pairs, element)).toEqual([
      'tool_0: "ref" > "target"',
      'tool_1: "ref" > "target"',
      'tool_2: "ref" > "target"',
      'tool_3: "startRef" > "startTarget"',
    ]);
  });

  it.each<[string, readonly [string, string], ToolSnapshot[]]>([
    ["a word that the server used before", ["ref", "target"], [tool("find_target", "Finds.", {})]],
    ["the opposite", ["startElement", "endElement"], []],
  ])("is not confused with %s, regardless of the number of tools", (_what, pair, others) => {
    expect(renamedIn([pair, pair, pair, pair], element, others)).toEqual([]);
  });

  const eight = (was: string, is: string) => Array.from({ length: 8 }, () => [was, is] as const);
  const READS: Readonly<Record<string, (name: string) => string>> = {
    alike: (name) => `The ${name} to act on.`,
    "in other words": (name) =>
      name.startsWith("cluster") ? "Which one" : "Service mesh that owns the workload.",
    "not at all": () => "",
  };

  it.each(
    Object.entries(READS).flatMap(([how, reads]) =>
      (
        [
          ["clusterName", "meshCluster"],
          ["cluster_name", "mesh_cluster"],
          ["repo", "repo_slug"],
        ] as const
      ).map(([was, is]) => ({ how, reads, was, is })),
    ),
  )("is found if many tools rename it in the same way: $was > $is, described $how", ({ reads, was, is }) => {
    expect(renamedIn(eight(was, is), reads)).toHaveLength(8);
    const one = renamedIn([[was, is]], READS["in other words"] ?? reads);
    expect(one.length).toBeLessThanOrEqual(was === "repo" ? 1 : 0);
  });

  it("is found in tools that describe it otherwise if other tools keep the description", () => {
    const alike = (name: string, index: number): string =>
      index < 2 ? "Where the work is done, by name." : name;
    const toolsOf = (name: string): ToolSnapshot[] =>
      [0, 1, 2, 3].map((index) =>
        tool(`tool_${index}`, "Acts.", { [name]: { ...text, description: alike(name, index) } }),
      );
    const found = diffTools(toolsOf("place"), toolsOf("location")).filter(
      ({ rule }) => rule === "input-property-renamed",
    );
    expect(found.map(({ tool: name }) => name)).toEqual(["tool_0", "tool_1", "tool_2", "tool_3"]);
  });

  it.each<[string, string, string, ToolSnapshot[], ToolSnapshot[]]>([
    ["another value of the same thing", "cluster_name", "cluster_id", [], []],
    ["another thing of the same kind", "collectionId", "baseId", [], []],
    ["the other end", "sourceCluster", "targetCluster", [], []],
    ["a name that the server still uses", "clusterName", "meshCluster", [], [tool("keep", "Keeps.", { clusterName: text })]],
    ["a name that the server used before", "clusterName", "meshCluster", [tool("keep", "Keeps.", { meshCluster: text })], []],
  ])("is not confused with %s in many tools", (_what, was, is, before, after) => {
    const toolsOf = (name: string): ToolSnapshot[] =>
      "abcdefgh".split("").map((letter) => tool(`tool_${letter}`, "Acts.", { [name]: text }));
    const changes = diffTools([...toolsOf(was), ...before], [...toolsOf(is), ...after]);
    expect(changes.filter(({ rule }) => rule === "input-property-renamed")).toEqual([]);
  }); // prettier-ignore

  it("is not found if descriptions share only common words", () => {
    const reads = (name: string): string => `The ID of the ${name.replace("Id", "")}`;
    const pair = ["collectionId", "baseId"] as const;
    expect(renamedIn([pair, pair, pair, pair], reads)).toEqual([]);
  });

  it.each([
    ["organizationId", "orgId"],
    ["current_branch", "currentBranch"],
  ])("is found without a description: %s > %s", (was, is) => {
    expect(found({ [was]: text }, { [is]: text })).toEqual([[was, is]]);
  });

  const changesOf = (before: JsonObject, after: JsonObject, isRequired: boolean) => {
    const of = (properties: JsonObject): ToolSnapshot =>
      tool(
        "find",
        "Finds.",
        {},
        { inputSchema: { type: "object", properties, required: isRequired ? Object.keys(properties) : [] } },
      );
    return diffTools([of(before)], [of(after)]);
  };

  it("is reported once, with a witness, and compared under its new name", () => {
    expect(changesOf({ q: query }, { query: { ...query, maxLength: 9 } }, true)).toMatchObject([
      { rule: "input-property-renamed", class: "breaking", before: "q", after: "query", witness: { q: "" } },
      { rule: "input-bound-tightened", path: "/inputSchema/properties/query/maxLength" },
    ]);
  });

  it("only breaks types if the server ignores the old name", () => {
    const changes = changesOf({ q: query }, { query }, false);
    expect(changes).toMatchObject([
      { rule: "input-property-renamed", class: "breaking", impacts: ["types"] },
    ]);
    expect(changes[0]).not.toHaveProperty("witness");
  });
});

const histories = readHistories(FOLDER);

/** The renames of tools and properties in a step. */
function renamesIn(step: Step): readonly Rename[] {
  const [before, after] = [step.before, step.after].map(
    (tools) => new Map(tools.map((each) => [each.name, each])),
  );
  if (before === undefined || after === undefined) return [];
  const pairs = pairTools(before, after);
  const evidence = evidenceOf(pairs, before, after);
  const { history, commit } = step;
  return pairs.flatMap((pair): readonly Rename[] => {
    if (pair.kind === "renamed") return [{ history, commit, kind: "tool", ...pair.rename }];
    if (pair.kind !== "kept") return [];
    const schemas = ["inputSchema", "outputSchema"].map(
      (key) => [pair.before[key] ?? {}, pair.after[key] ?? {}] as const,
    );
    const found = schemas.flatMap(([old, now]) => findPropertyRenames(old, now, evidence));
    return found.map((rename) => ({ history, commit, kind: "property", tool: pair.after.name, ...rename }));
  });
}

describe.skipIf(histories.size === 0)(`the histories of public servers (need ${FOLDER})`, () => {
  const claims = [...histories.values()].flat().flatMap(renamesIn);

  it.each(["tool", "property"] as const)("have few wrong or missed %s renames", (kind) => {
    const truth = readTruth().filter((each) => each.kind === kind && histories.has(each.history));
    const details: string[] = [];
    const { right, claimed, known } = scoreClaims(
      claims.filter((each) => each.kind === kind),
      truth,
      details,
    );
    expect(right / claimed, details.join("\n")).toBeGreaterThanOrEqual(0.95);
    expect(right / known, details.join("\n")).toBeGreaterThanOrEqual(kind === "tool" ? 0.95 : 0.8);
  });
});

/** The declared replacement of each ability; "" for none. */
type Site = Readonly<Record<string, string>>;

function siteOf(site: Site, toolOf: (ability: string) => string = toolNameOf): ServerSnapshot {
  const names = Object.keys(site);
  const abilityOf = (name: string): LockedAbility => {
    const meta: JsonObject = site[name] ? { deprecated: { since: "2.0.0", replacement: site[name] } } : {};
    return { definition: { name, meta } };
  };
  const inputSchema = { type: "object" };
  return snapshotOf({
    wordpress: { profile: "0.5", route: "tools" },
    tools: names.map((name) => ({ name: toolOf(name), description: `Does ${name}.`, inputSchema })),
    abilities: Object.fromEntries(names.map((name) => [toolOf(name), abilityOf(name)])),
  });
}

function compare(before: Site, after: Site, toolOf?: (ability: string) => string): readonly string[] {
  const locked = lockServer(siteOf(before, toolOf), undefined, OPTIONS);
  return diffServer("shop", locked, siteOf(after, toolOf))
    .filter(({ rule }) => /^tool-(?:removed|added|renamed)$/.test(rule))
    .map(describeFinding);
}

/** A rename with a reason is certain and has no confidence. */
function describeFinding({ rule, tool, after, reason, confidence }: Change): string {
  if (reason !== undefined) expect(confidence).toBeUndefined();
  const name = typeof after === "string" ? ` → ${after}` : "";
  return `${rule} ${tool ?? "-"}${name}${reason === undefined ? "" : `: ${reason}`}`;
}

const NOTHING_ALIKE = "zebra/purge-cache";
const RENAMED = "tool-renamed acme-get-x → zebra-purge-cache: declared by the server";

it.each<[what: string, before: Site, after: Site, found: readonly string[]]>([
  ["a new tool that nothing else points to", { "acme/get-x": NOTHING_ALIKE }, { [NOTHING_ALIKE]: "" }, [RENAMED]],
  ["a tool that existed before", { "acme/get-x": NOTHING_ALIKE, [NOTHING_ALIKE]: "" }, { [NOTHING_ALIKE]: "" }, [RENAMED]],
  ["the name of the tool in place of the ability", { "acme/get-x": "zebra-purge-cache" }, { [NOTHING_ALIKE]: "" }, [RENAMED]],
  ["a replacement that was replaced too", { "acme/get-x": "acme/y", "acme/y": NOTHING_ALIKE }, { [NOTHING_ALIKE]: "" }, [RENAMED, "tool-renamed acme-y → zebra-purge-cache: declared by the server"]],
  ["a removed replacement", { "acme/get-x": "acme/y" }, { [NOTHING_ALIKE]: "" }, ["tool-removed acme-get-x", "tool-added zebra-purge-cache"]],
  ["replacements in a circle", { "acme/get-x": "acme/y", "acme/y": "acme/get-x" }, {}, ["tool-removed acme-get-x", "tool-removed acme-y"]],
  ["a deprecated tool that still exists", { "acme/get-x": NOTHING_ALIKE, [NOTHING_ALIKE]: "" }, { "acme/get-x": NOTHING_ALIKE, [NOTHING_ALIKE]: "" }, []],
  ["a declaration against a better guess", { "acme/get-posts": NOTHING_ALIKE }, { "acme/get-post": "", [NOTHING_ALIKE]: "" }, ["tool-added acme-get-post", "tool-renamed acme-get-posts → zebra-purge-cache: declared by the server"]],
])("treats a declared replacement as a certain rename: %s", (_what, before, after, found) => {
  expect(compare(before, after)).toEqual(found);
}); // prettier-ignore

it("finds the replacement on a server that gives its tools other names", () => {
  const rename = (name: string): string => `my_${name.replace("/", "_")}`;
  const found = compare({ "acme/get-x": "acme/y" }, { "acme/y": "" }, rename);
  expect(found).toEqual(["tool-renamed my_acme_get-x → my_acme_y: declared by the server"]);
});
