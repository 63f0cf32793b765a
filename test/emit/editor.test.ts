/** Checks what an editor shows for generated code, with TypeScript's language service. TypeScript 7 has no such API yet. */
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type ts from "typescript";
import { describe, expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("../../generated/", import.meta.url));
const USER = `${FOLDER}user.ts`;

const PROGRAM = `
import { connect } from "./example/index.js";
import { createPost } from "./example/create-post.js";
const bakery = connect();
await bakery.createPost({ title: "Rolls", content: "Round." });
await createPost({ title: "Rolls", content: "Round." });
const later = bakery.createPost;
export { later };
`;

const DESCRIPTION = "Creates a post and returns it. It is a draft unless you say otherwise.";

describe.each(["typescript-5.9", "typescript"])("an editor with %s", async (packageName) => {
  const { default: compiler } = (await import(packageName)) as { readonly default: typeof ts };
  const service = openService(compiler);
  const call = PROGRAM.indexOf("createPost({");
  const plainCall = PROGRAM.indexOf("createPost({", call + 1);
  const reference = PROGRAM.lastIndexOf("createPost;");

  it("reports no error in a program that uses it", () => {
    expect(service.getSemanticDiagnostics(USER).map(({ messageText }) => messageText)).toEqual([]);
  });

  it.each([
    ["a call on a connection", call],
    ["a call", plainCall],
    ["the function", reference],
  ])(
    "shows the tool's own documentation over %s, and goes from it to the tool's module and nowhere else",
    (_what, at) => {
      expect(textOf(service.getQuickInfoAtPosition(USER, at)?.documentation)).toContain(DESCRIPTION);
      const definitions = service.getDefinitionAtPosition(USER, at) ?? [];
      expect([...new Set(definitions.map(({ fileName }) => basename(fileName)))]).toEqual(["create-post.ts"]);
      if (at === reference) return;
      const help = service.getSignatureHelpItems(USER, at + "createPost(".length, undefined);
      expect(help?.items.map(({ parameters }) => parameters.map(({ name }) => name))).toEqual([
        ["input", "options"],
      ]);
    },
  );

  it("shows it in the list of completions", () => {
    const details = service.getCompletionEntryDetails(USER, call, "createPost", {}, undefined, {}, undefined);
    expect(textOf(details?.documentation)).toContain(DESCRIPTION);
  });

  it("shows the short name of a connection's type", () => {
    const at = PROGRAM.indexOf("bakery");
    expect(textOf(service.getQuickInfoAtPosition(USER, at)?.displayParts)).toBe(
      "const bakery: Tools & Connection<ToolNames>",
    );
  });
});

function textOf(parts: readonly { readonly text: string }[] | undefined): string {
  return (parts ?? [])
    .map(({ text }) => text)
    .join("")
    .replaceAll("\n", " ");
}

function openService(compiler: typeof ts): ts.LanguageService {
  const read = (path: string): string | undefined => (path === USER ? PROGRAM : compiler.sys.readFile(path));
  return compiler.createLanguageService({
    getScriptFileNames: () => [USER],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : compiler.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => FOLDER,
    getCompilationSettings: () => ({
      strict: true,
      target: compiler.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"],
      module: compiler.ModuleKind.NodeNext,
      types: [],
    }),
    getDefaultLibFileName: (options) => compiler.getDefaultLibFilePath(options),
    fileExists: (path) => path === USER || compiler.sys.fileExists(path),
    readFile: read,
    directoryExists: (path) => compiler.sys.directoryExists(path),
    getDirectories: (path) => [...compiler.sys.getDirectories(path)],
  });
}
