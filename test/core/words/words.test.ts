import { describe, expect, it } from "vitest";
import { splitWords } from "../../../src/core/words/words.js";

describe("the words of a name", () => {
  it.each([
    ["create_blog_post", "create blog post"],
    ["create-blog.post", "create blog post"],
    ["createBlogPost", "create blog post"],
    ["HTTPServer2Name", "http server2 name"],
    ["hosting_installSSLV1", "hosting install ssl v1"],
    ["DNS_getDNSRecordsV1", "dns get dns records v1"],
    ["listVMs", "list vms"],
    ["r2_get_object", "r2 get object"],
    ["the P&L report", "the p&l report"],
    ["search&replace", "search replace"],
    ["créer un café", "creer un cafe"],
    ["", ""],
    ["💡 -- ", ""],
  ])("%j: %s", (name, words) => {
    expect(splitWords(name).join(" ")).toBe(words);
  });
});
