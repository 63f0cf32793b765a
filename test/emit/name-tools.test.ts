import { describe, expect, it } from "vitest";
import { findCollisions, nameServer, nameTool } from "../../src/emit/name-tools.js";
import type { ToolCodeNames } from "../../src/emit/render-task.js";

const nameOne = (name: string, rules = {}): ToolCodeNames =>
  nameTool("shop", { name, hasOutput: true }, rules);

const collisions = (...names: readonly string[]): readonly string[] =>
  findCollisions(
    "github",
    names.map((name) => nameTool("github", { name, hasOutput: true }, {})),
  );

describe("nameTool", () => {
  it.each([
    ["get-sum", "getSum", "get-sum", "GetSumInput"],
    ["get_user", "getUser", "get-user", "GetUserInput"],
    ["getUserById", "getUserById", "get-user-by-id", "GetUserByIdInput"],
    ["wordpress/posts.list", "wordpressPostsList", "wordpress-posts-list", "WordpressPostsListInput"],
    ["delete", "delete_", "delete", "DeleteInput"],
    ["connect", "connect_", "connect", "ConnectInput"],
    ["then", "then_", "then", "ThenInput"],
    ["define-tool", "defineTool_", "define-tool", "DefineToolInput"],
    ["z", "z_", "z", "ZInput"],
    ["undefined", "undefined_", "undefined", "UndefinedInput"],
    ["server", "server_", "server_", "ServerInput"],
    ["index", "index", "index_", "IndexInput"],
    ["schemas", "schemas", "schemas_", "SchemasInput"],
    ["con", "con", "con_", "ConInput"],
    ["AUX", "aux", "aux_", "AuxInput"],
    ["lpt1", "lpt1", "lpt1_", "Lpt1Input"],
    ["3d-render", "_3dRender", "3d-render", "_3dRenderInput"],
    ["../../etc/passwd", "etcPasswd", "etc-passwd", "EtcPasswdInput"],
    ['say "hi"\u0000', "sayHi", "say-hi", "SayHiInput"],
    ["__proto__", "proto", "proto", "ProtoInput"],
    ["constructor", "constructor", "constructor", "ConstructorInput"],
  ])("names %j", (tool, wrapper, file, input) => {
    const type = input.replace(/Input$/, "");
    const types = { input, output: `${type}Output` };
    expect(nameOne(tool)).toEqual({ tool, wrapper, file, ...types });
  });

  it.each([["🎉"], ["///"], ["."], ["\u0000"], [" "]])("names %j, which has no letters", (tool) => {
    const names = nameOne(tool);
    expect(names.wrapper).toMatch(/^tool[0-9a-f]{8}$/);
    expect(names.file).toMatch(/^tool[0-9a-f-]{8,}$/);
    expect(nameOne(`${tool}${tool}`).wrapper).not.toBe(names.wrapper);
  });

  it.each([
    [80, /^a{80}$/],
    [81, /^a{71}-[0-9a-f]{8}$/],
  ])("has a file name of at most 80 characters for a name of %i", (length, file) => {
    expect(nameOne("a".repeat(length)).file).toMatch(file);
  });

  it("keeps letters of other scripts in code and out of file names", () => {
    const names = nameOne("получить-пост");
    expect(names.wrapper).toBe("получитьПост");
    expect(names.file).toMatch(/^[0-9a-f]{8}$/);
    expect(nameOne("café").file).toMatch(/^caf-[0-9a-f]{8}$/);
  });

  it("shortens a long file name and keeps it unique", () => {
    const [a, b] = [nameOne(`${"long-".repeat(200)}a`), nameOne(`${"long-".repeat(200)}b`)];
    expect(a.file).toHaveLength(80);
    expect(a.file).not.toBe(b.file);
  });

  it("gives any tool a file name that is safe on every file system", () => {
    const odd = [
      "a/b", "..", "a\\b", "C:\\x", "a:b", "*?", "NUL", "nul.txt", "a\nb", "-", "x".repeat(1000), "𝒳",
    ]; // prettier-ignore
    for (const name of odd) expect(nameOne(name).file).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9_])?$/);
  });

  it("strips a prefix, but never the whole name", () => {
    expect(nameOne("wordpress-list", { stripPrefix: "wordpress-" }).wrapper).toBe("list");
    expect(nameOne("wordpress-", { stripPrefix: "wordpress-" }).wrapper).toBe("wordpress");
  });

  it("also uses a name from rename for the file", () => {
    const names = nameOne("get-post", { rename: { "get-post": "readPost" } });
    expect(names).toMatchObject({ wrapper: "readPost", file: "read-post", input: "ReadPostInput" });
  });

  it.each(["not an identifier", "1st", "", "a-b", "delete", "connect", "then", "__proto__"])(
    "refuses %j in rename",
    (name) => {
      expect(() => nameOne("get-post", { rename: { "get-post": name } })).toThrow(
        /^servers\.shop\.tools\.rename\["get-post"\] is /,
      );
    },
  );

  it("reads rename by own keys only", () => {
    expect(nameOne("constructor", { rename: {} }).wrapper).toBe("constructor");
  });
});

describe("findCollisions", () => {
  it("names both tools and the key that resolves the collision", () => {
    expect(collisions("get-user", "get_user")).toEqual([
      'Tools "get-user" and "get_user" both become getUser. Set servers.github.tools.rename.',
    ]);
  });

  it("reports every collision, also of three tools", () => {
    expect(collisions("a-b", "a_b", "aB", "x.y", "x/y", "alone")).toEqual([
      'Tools "a-b", "a_b" and "aB" all become aB. Set servers.github.tools.rename.',
      'Tools "x.y" and "x/y" both become xY. Set servers.github.tools.rename.',
    ]);
  });

  it("reports names that differ only by case or by the suffix of a reserved word", () => {
    expect(collisions("Delete", "delete")).toHaveLength(1);
    expect(collisions("connect", "Connect")).toHaveLength(1);
  });

  it("reports a wrapper with the name of another tool's schema", () => {
    const names = [nameOne("get"), nameOne("other", { rename: { other: "GetOutput" } })];
    expect(findCollisions("shop", names)).toEqual([
      'Tools "get" and "other" both become GetOutput. Set servers.shop.tools.rename.',
    ]);
  });

  it("reports two tools that share only a file", () => {
    const names = ["a", "b"].map((name) =>
      nameTool("shop", { name, hasOutput: false }, { rename: { a: "getUrl", b: "getURL" } }),
    );
    expect(findCollisions("shop", names)).toHaveLength(1);
  });

  it("accepts tools with similar names", () => {
    expect(collisions("get", "get-input", "get-output", "x", "x-output")).toEqual([]);
  });
});

describe("nameServer", () => {
  it.each([
    ["shop", "shop", "shop"],
    ["delete", "delete", "delete_"],
    ["con", "con_", "con"],
    ["then", "then", "then_"],
  ])("names %s", (server, folder, namespace) => {
    expect(nameServer(server)).toEqual({ server, folder, namespace });
  });
});
