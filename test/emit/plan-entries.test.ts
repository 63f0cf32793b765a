import { parseTemplate } from "url-template";
import { describe, expect, it, test } from "vitest";
import type { Config, ServerConfig } from "../../src/config/config.js";
import type { JsonObject } from "../../src/core/json.js";
import { outlineOf } from "../../src/core/lock-server.js";
import { findModuleCollisions, parseUriTemplate, planEntries } from "../../src/emit/plan-entries.js";
import { type FilePlan, planFiles } from "../../src/emit/plan-files.js";
import { lockOf } from "./golden-cases.js";

interface Lists {
  readonly prompts?: readonly JsonObject[];
  readonly resources?: readonly JsonObject[];
  readonly resourceTemplates?: readonly JsonObject[];
}

const CONTEXT = { prettierConfig: "", importExtension: "js" } as const;
const SETTINGS = { importExtension: "js" } as const;

function planned(
  lists: Lists,
  tools: readonly string[] = ["ping"],
  more: Partial<ServerConfig> = {},
): FilePlan {
  const config: Config = { servers: { shop: { url: "https://example.com/mcp", ...more } } };
  return planFiles(outlineOf(lockOf(config, { shop: tools }, { shop: lists })), config, CONTEXT);
}

const pathsOf = (plan: FilePlan): readonly string[] => plan.files.map(({ path }) => path);
const inputsOf = (plan: FilePlan): object =>
  Object.fromEntries(plan.files.map(({ path, input }) => [path, input]));

const PROMPT = { name: "review" };
const RESOURCE = { uri: "x://readme", name: "readme" };
const TEMPLATE = { uriTemplate: "x://{path}", name: "file" };

describe("the modules of prompts and resources", () => {
  it("exist only for a server with such entries, and change no other file", () => {
    const without = inputsOf(planned({}));
    expect(Object.keys(without)).not.toContain("shop/prompts.ts");
    const prompts = inputsOf(planned({ prompts: [PROMPT] }));
    expect(prompts).toEqual({
      ...without,
      "shop/index.ts": expect.not.stringMatching(
        `^${String(Reflect.get(without, "shop/index.ts"))}$`,
      ) as string,
      "shop/prompts.ts": expect.any(String) as string,
    });
    expect(pathsOf(planned({ resources: [RESOURCE] }))).toContain("shop/resources.ts");
    expect(pathsOf(planned({ resourceTemplates: [TEMPLATE] }))).toContain("shop/resources.ts");
    expect(planned({ resources: [], prompts: [] })).toEqual(planned({}));
  });

  it("depend on the definitions of their entries, and not on their order", () => {
    const one = planned({ prompts: [PROMPT, { name: "b" }] });
    expect(planned({ prompts: [{ name: "b" }, PROMPT] })).toEqual(one);
    const other = planned({ prompts: [{ ...PROMPT, arguments: [{ name: "code" }] }, { name: "b" }] });
    const differing = one.files.filter(({ input }, at) => input !== other.files[at]?.input);
    expect(differing.map(({ path }) => path)).toEqual(["shop/prompts.ts"]);
  });

  it("have no code for a URI template that is not valid, and the plan reports it", () => {
    const plan = planned({ resourceTemplates: [TEMPLATE, { uriTemplate: "x://{a b}", name: "odd" }] });
    expect(plan.diagnostics).toEqual([
      {
        ...{ code: "ENTRY_UNUSABLE", server: "shop", tool: "" },
        path: "/resourceTemplates/x:~1~1{a b}",
        message: 'Resource template "x://{a b}" gets no code: "{a b}" is not an expression.',
      },
    ]);
    const only = planned({ resourceTemplates: [{ uriTemplate: "x://{", name: "odd" }] });
    expect(pathsOf(only)).toEqual(pathsOf(planned({})));
  });
});

it("list resources apart from templates", () => {
  const locked = {
    resources: { [RESOURCE.uri]: { digest: "", definition: RESOURCE } },
    resourceTemplates: { [TEMPLATE.uriTemplate]: { digest: "", definition: TEMPLATE } },
  };
  const { tasks } = planEntries("shop", locked, {}, SETTINGS);
  const names = (id: string, wrapper: string): object => ({
    names: expect.objectContaining({ id, wrapper }) as unknown,
  });
  expect(tasks).toEqual([
    expect.objectContaining({
      kind: "resources",
      resources: [expect.objectContaining(names("x://readme", "readme"))],
      templates: [expect.objectContaining(names("x://{path}", "file"))],
    }),
  ]);
});

it("are in the way of a tool whose file or function has their name", () => {
  const tools = [
    { tool: "a", file: "prompts", wrapper: "one", input: "OneInput" },
    { tool: "b", file: "b", wrapper: "prompts", input: "PromptsInput" },
    { tool: "c", file: "resources", wrapper: "resources", input: "ResourcesInput" },
  ];
  const { tasks } = planEntries("shop", { prompts: { p: { digest: "", definition: PROMPT } } }, {}, SETTINGS);
  expect(findModuleCollisions("shop", tools, tasks).map((line) => line.slice(0, 8))).toEqual([
    'Tool "a"',
    'Tool "b"',
  ]);
});

describe("names in code", () => {
  const renamed = {
    prompts: { rename: { "re-view": "again" } },
    resources: { rename: { "x://2": "second" } },
  };
  const prompts = [PROMPT, { name: "re-view" }, { name: "re_view" }];
  const resources = [
    { uri: "x://1", name: "readme" },
    { uri: "x://2", name: "readme" },
  ];

  it.each([
    [{ prompts }, 'Prompts "re-view" and "re_view" both become reView. Set servers.shop.prompts.rename.'],
    [{ resources }, 'Resources "x://1" and "x://2" both become readme. Set servers.shop.resources.rename.'],
    [{ prompts: Array.from({ length: 300 }, (_item, at) => ({ name: `a${"-".repeat(at)}` })) },
      'Prompts "a", "a-", "a--", "a---", "a----" and 295 others all become a. Set servers.shop.prompts.rename.'],
    [{ resources: [RESOURCE], resourceTemplates: [{ uriTemplate: "y://{a}", name: "readme" }] },
      'Resources "x://readme" and "y://{a}" both become readme. Set servers.shop.resources.rename.'],
  ])("must differ: %j", (lists: Lists, message) => {
    expect(() => planned(lists)).toThrow(expect.objectContaining({ code: "NAME_COLLISION", message }));
  }); // prettier-ignore

  it("need not differ for entries that get no code", () => {
    const exclude = { prompts: { exclude: ["re_*"] }, resources: { exclude: ["x://*"] } };
    const plan = planned({ prompts: prompts.slice(1), resources }, ["ping"], exclude);
    expect(pathsOf(plan)).toContain("shop/prompts.ts");
    expect(pathsOf(plan)).not.toContain("shop/resources.ts");
  });

  it("can be given by the configuration", () => {
    expect(pathsOf(planned({ prompts, resources }, ["ping"], renamed))).toContain("shop/prompts.ts");
    const taken = { prompts: { rename: { review: "definePrompt" } } };
    expect(() => planned({ prompts: [PROMPT] }, [], taken)).toThrow(
      'servers.shop.prompts.rename["review"] is "definePrompt", which generated code cannot export.',
    );
  });

  it.each(["prompts", "Prompts"])("of tools are not those of the modules: %s", (tool) => {
    expect(pathsOf(planned({}, [tool]))).toContain("shop/prompts.ts");
    expect(pathsOf(planned({ resources: [RESOURCE] }, [tool]))).toContain("shop/resources.ts");
    expect(() => planned({ prompts: [PROMPT] }, [tool])).toThrow(
      `Tool ${JSON.stringify(tool)} becomes prompts, which has the prompts of the server. Set servers.shop.tools.rename.`,
    );
  });
});

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
