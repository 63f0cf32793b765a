import { describe, expect, it } from "vitest";
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
