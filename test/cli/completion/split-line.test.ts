import { describe, expect, it } from "vitest";
import { printForBash } from "../../../src/cli/completion/answer-completion.js";
import { splitShellWords } from "../../../src/config/parse-server-argument.js";

describe("splitShellWords", () => {
  it.each<[string, ReturnType<typeof splitShellWords>]>([
    ["", { words: [""], raw: "" }],
    ["a", { words: ["a"], raw: "a" }],
    ["a ", { words: ["a", ""], raw: "" }],
    ["a  b", { words: ["a", "b"], raw: "b" }],
    ["a b\\ c", { words: ["a", "b c"], raw: "b\\ c" }],
    ["a 'b c' d", { words: ["a", "b c", "d"], raw: "d" }],
    ["a 'b c", { words: ["a", "b c"], raw: "'b c", quote: "'" }],
    ['a "b\\"\\c', { words: ["a", 'b"\\c'], raw: '"b\\"\\c', quote: '"' }],
    ["a --b='c d", { words: ["a", "--b=c d"], raw: "--b='c d", quote: "'" }],
    ["a '' ", { words: ["a", "", ""], raw: "" }],
    ["a $(touch x) `y", { words: ["a", "$(touch", "x)", "`y"], raw: "`y" }],
    ["a \\", { words: ["a", "\\"], raw: "\\" }],
  ])("reads %j", (line, split) => {
    expect(splitShellWords(line)).toEqual(split);
  });
});

describe("printForBash", () => {
  const breaks = " \t\n\"'@><=;|&(:";
  it.each<[readonly string[], string, readonly string[]]>([
    [["list-posts"], "list", ["list-posts"]],
    [["--status=draft"], "--status=dr", ["draft"]],
    [["--status=draft"], "--status=", ["draft"]],
    [["a b$(c)"], "a", ["a\\ b\\$\\(c\\)"]],
    [["a b"], "a\\ ", ["a\\ b"]],
    [["a b"], "'a", ["a b"]],
    [["a'b"], "'a", []],
    [["a$b", "a b"], '"a', ["a b"]],
    [["--x=a b"], "--x='a", []],
    [["user:list"], "user:", ["list"]],
    [["имя", "名前"], "", ["имя", "名前"]],
    [["~x", "#y", "-z"], "", ["\\~x", "\\#y", "-z"]],
  ])("%j for %j is %j", (candidates, raw, printed) => {
    const { quote } = splitShellWords(raw);
    expect(printForBash(candidates, { raw, ...(quote !== undefined && { quote }) }, breaks)).toEqual(printed);
  });
});
