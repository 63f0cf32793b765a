import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findOwn, getOwn, isJsonObject, type JsonObject, type JsonValue } from "../../../src/core/json.js";
import { splitWords } from "../../../src/core/words/words.js";
import { effectOfVerb, verbOfName } from "../../../src/core/words/verbs.js";
import { dataFiles, expected } from "../../data/files.js";

it.each([
  // The first word.
  ["delete-list", "delete"],
  ["create-todo-task-list", "create"],
  ["list_items", "list"],
  ["search", "search"],
  ["search-query", "search"],
  ["getOrderList", "get"],
  // The last word.
  ["order_create", "create"],
  ["sql_db_delete", "delete"],
  ["kusto_cluster_list", "list"],
  ["pull_request_read", "read"],
  ["post_update", "update"],
  ["search_index_get", "get"],
  ["list_delete", "delete"],
  // After a prefix of the server.
  ["github_delete_list", "delete"],
  ["ebay_list_offers", "list"],
  ["hosting_createWebsiteRedirectV1", "create"],
  ["domains_getIncomingDomainMoveV1", "get"],
  ["hosting_deployWordpressTheme", "deploy"],
  ["acme_search_open_list", "search"],
  // Beside other verbs.
  ["search_and_replace", "replace"],
  ["list_updates", "list"],
  ["track_order", "track"],
  ["order", "order"],
  // Nouns only.
  ["user_profile", undefined],
  ["length_tool", undefined],
  ["", undefined],
])("finds the verb of the name %j: %s", (name, verb) => {
  expect(verbOfName(splitWords(name))).toBe(verb);
});

const files = dataFiles("tool-lists");

it.skipIf(files.length === 0)("finds the effect that the annotations of public tools state", () => {
  const tools = files.flatMap((file): readonly JsonObject[] => {
    const list = findOwn(JSON.parse(readFileSync(file, "utf8")) as JsonValue, "tools");
    return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
  });
  const judged = tools.flatMap((tool) => {
    const given = getOwn(tool, "name");
    const name = typeof given === "string" ? given : "";
    const reads = findOwn(getOwn(tool, "annotations"), "readOnlyHint");
    const verb = verbOfName(splitWords(name));
    const effect = verb === undefined ? undefined : effectOfVerb(verb);
    return effect === undefined || typeof reads !== "boolean"
      ? []
      : [{ name, isRight: (effect === "reads") === reads }];
  });
  const wrong = judged.filter(({ isRight }) => !isRight).map(({ name }) => name);
  expect(judged.length).toBeGreaterThan(expected(10, 1_000));
  // Most of these have a wrong annotation, such as `get_network_request`, which is annotated as writing.
  expect(wrong.length, wrong.join("\n")).toBeLessThan(0.02 * judged.length);
});
