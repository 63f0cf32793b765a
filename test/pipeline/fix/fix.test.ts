/** `mcp-codegen fix` on applications that use their tools in every form we know. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.js";
import { sample } from "../../sample.js";
import type { Project } from "../../e2e/make-project.js";
import { expectCompiles, makeChangedProject } from "./changed-project.js";

/** The names of one tool: as the server has it, in generated code, and of its properties. */
interface Names {
  readonly tool: string;
  readonly wrapper: string;
  readonly type: string;
  readonly file: string;
  readonly input: string;
  readonly output: string;
  readonly nested: string;
}

/** Words that no tool has twice, so that a rename is a rename and not another tool. */
const THINGS = "order invoice parcel refund coupon basket review address payment voucher".split(" ");
const FORMS: readonly ((verb: string, thing: string) => string)[] = [
  (verb, thing) => `${verb}_${thing}`,
  (verb, thing) => `${verb}-${thing}`,
];

function namesOf(thing: string, form: number, isNew: boolean): Names {
  const verb = isNew ? "fetch" : "get";
  const pascal = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  const tool = (FORMS[form] ?? FORMS[0])?.(verb, `${thing}${form}`) ?? "";
  return {
    tool,
    wrapper: `${verb}${pascal(thing)}${form}`,
    type: `${pascal(verb)}${pascal(thing)}${form}`,
    file: tool.replace("_", "-"),
    input: isNew ? `max_${thing}_lines` : `${thing}_line_limit`,
    output: isNew ? `${thing}_amount` : `${thing}_total`,
    nested: isNew ? `${thing}_article` : `${thing}_sku`,
  };
}

const CASES = sample(THINGS, 8).flatMap((thing) => FORMS.map((_, form) => ({ thing, form })));

const objectOf = (properties: object, ...required: readonly string[]): object => ({
  type: "object",
  properties,
  required,
});

function toolsOf(isNew: boolean, count: number): readonly object[] {
  return CASES.slice(0, count).map(({ thing, form }) => {
    const { tool, input, output, nested } = namesOf(thing, form, isNew);
    const say = (what: string): string => `${what} of the ${thing}, number ${form}.`;
    const most = { type: "integer", description: say("How many lines to return at most"), minimum: 7 + form };
    const sum = { type: "number", description: say("The sum in euros"), maximum: 9_000 + form };
    const article = { type: "string", description: say("The article"), maxLength: 90 + form };
    const line = objectOf({ [nested]: article, count: { type: "integer" } }, nested, "count");
    const id = { type: "integer" };
    const outputs = { id, [output]: sum, lines: { type: "array", items: line } };
    return {
      name: tool,
      description: say(`Returns one ${thing} by its number, with its lines and the customer`),
      inputSchema: objectOf({ id, [input]: most }, "id"),
      outputSchema: objectOf(outputs, "id", output, "lines"),
    };
  });
}

/** The application's files for one tool. What depends on no name of the server stays byte for byte. */
function appOf({ wrapper, type, file, input, output, nested }: Names, old: Names): Record<string, string> {
  const short = (key: string, before: string): string => (key === before ? key : `${key}: ${before}`);
  const part = old.file;
  return {
    [`src/${part}/direct.ts`]: `import { ${wrapper}, type ${type}Input, ${type}Output } from "../../generated/shop/index.js";

/* a comment stays */
export async function read(id: number,   ${old.input}: number) {
  const args: ${type}Input = { id, ${short(input, old.input)} };
  const result = await ${wrapper}(args);
  const { ${short(output, old.output)}, lines } = result;
  return [${old.output}, lines.map(({ ${short(nested, old.nested)} }) => ${old.nested}), result.lines[0]?.${nested}, ${type}Output];
}
const unrelated = { ${old.wrapper}: 2, text: "${old.tool}s" };
export const kept = [unrelated.text, unrelated.${old.wrapper}];
`,
    [`src/${part}/aliased.ts`]: `import { ${wrapper} as call } from "../../generated/shop/${file}.js";
export * as again from "../../generated/shop/${file}.js";
export const lazy = async () => (await import("../../generated/shop/${file}.js")).${wrapper}({ id: 2, "${input}": 8 });
export const sum = async () => (await call({ id: 1 })).${output};
`,
    [`src/${part}/connected.ts`]: `import { connect, type Tools } from "../../generated/shop/index.js";
import * as shop from "../../generated/shop/index.js";

const tools = connect();
export const both = async () => [await tools.${wrapper}({ id: 1 }), await shop.${wrapper}.safe({ id: 1 })];
export async function take({ ${wrapper} }: Tools) {
  const { ${output}: money } = await ${wrapper}({ id: 3 });
  return money;
}
`,
  };
}

const olds = CASES.map(({ thing, form }) => namesOf(thing, form, false));
const news = CASES.map(({ thing, form }) => namesOf(thing, form, true));
function appOfAll(names: readonly Names[]): Record<string, string> {
  const files = names.map((each, index) => appOf(each, olds[index] ?? each));
  return Object.assign({}, ...files) as Record<string, string>;
}

const appBefore = appOfAll(olds);
const appAfter = appOfAll(news);

/** A project that compiles, with its lock committed, whose server then renamed everything. */
function makeRenamed(count = CASES.length): Promise<Project> {
  const [before, after] = [toolsOf(false, count), toolsOf(true, count)];
  return makeChangedProject({ before, after, files: appOfAll(olds.slice(0, count)) });
}

async function guessesOf(project: Project): Promise<readonly string[]> {
  const { document } = await project.runJson(["fix"]);
  return (document["guessed"] as readonly JsonObject[]).flatMap(({ rename }) =>
    typeof rename === "string" ? [rename] : [],
  );
}

describe("fix", () => {
  it(`applies ${4 * CASES.length} renames, and changes nothing else`, async () => {
    const project = await makeRenamed();
    const guesses = await guessesOf(project);
    expect(guesses).toHaveLength(4 * CASES.length);
    const renames = guesses.flatMap((guess) => ["--rename", guess]);
    const shown = await project.runJson(["fix", ...renames]);
    expect([shown.exitCode, shown.document["left"], shown.document["wrote"]]).toEqual([1, [], false]);
    for (const [path, text] of Object.entries(appBefore)) expect(await project.read(path)).toBe(text);
    const written = await project.runJson(["fix", "--write", ...renames]);
    expect([written.exitCode, written.document["left"]]).toEqual([0, []]);
    for (const [path, text] of Object.entries(appAfter)) expect(await project.read(path), path).toBe(text);
    await expectCompiles(project);
    const again = await project.runJson(["fix", "--write", "--force", ...renames]);
    expect([again.exitCode, again.document["files"], again.document["left"]]).toEqual([0, [], []]);
    await project.prints(["check", "--offline"], 0);
  });

  it("names what it cannot apply, refuses files with uncommitted changes, and says what is left", async () => {
    const project = await makeRenamed(2);
    const first = `shop/${olds[0]?.tool ?? ""}=${news[0]?.tool ?? ""}`;
    const part = olds[0]?.file ?? "";
    expect(await guessesOf(project)).toContain(first);
    const unknown = 'Unknown rename "shop/a=b": the changes of the lock do not include it.';
    await project.refuses("fix --rename shop/a=b", unknown);
    const left = new RegExp(`left for you +src/${part}/direct.ts:\\d+ `);
    await project.prints(["fix", "--rename", first], 1, `+++ b/src/${part}/direct.ts`, left, "is a guess");
    await project.write(`src/${part}/direct.ts`, `${appBefore[`src/${part}/direct.ts`] ?? ""}// mine\n`);
    const dirty = /changes that are not committed.*\n.*lock too, add --against HEAD~1/;
    await project.refuses(["fix", "--write", "--rename", first], dirty);
    expect(await project.read(`src/${part}/aliased.ts`)).toBe(appBefore[`src/${part}/aliased.ts`]);
    const forced = await project.run(["fix", "--write", "--force", "--rename", first]);
    expect(forced.stdout).toContain("edited");
    expect(await project.read(`src/${part}/direct.ts`)).toContain("// mine");
    expect(await project.read(`generated/shop/index.ts`)).not.toContain(`${olds[0]?.wrapper ?? ""},`);
  });
});
