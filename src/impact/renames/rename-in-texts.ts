import { ts } from "ts-morph";
import type { TextEdit } from "../../contract/text-edit.js";
import type { LeftoverNode } from "./find-leftovers.js";
import { isModuleName } from "../describe-hit.js";
import type { ToolRename } from "./rename-request.js";

/** The names of renamed tools in strings of one file. */
interface RenamedTexts {
  readonly edits: readonly { readonly edit: TextEdit; readonly rename: ToolRename }[];
  /** Names that may mean something else. */
  readonly left: readonly (LeftoverNode & { readonly rename: ToolRename })[];
}

/** Properties that name tools in policies, reports and recorded calls. */
const NAMES_TOOLS = /^(?:names?|tools?)$/;

/**
 * Finds the names of renamed tools in the strings and keys of a file of code: policies, prompts, calls of a registry. Names
 * with their server, as registries and hosts write them (`shop__get_order`, `mcp__shop__get_order`), are edited; others may
 * mean something else.
 */
export function renameInTexts(file: ts.SourceFile, tools: readonly ToolRename[]): RenamedTexts {
  const found = tools.filter(({ before }) => file.text.includes(before.tool));
  const edits: RenamedTexts["edits"][number][] = [];
  const left: RenamedTexts["left"][number][] = [];
  const patterns = found.map((rename) => ({ rename, ...patternsOf(rename) }));
  const look = (node: ts.Node): void => {
    const start = node.getStart(file);
    const text = node.getText(file);
    for (const { rename, own, likely } of patterns) {
      const { before, after } = rename;
      const length = before.tool.length;
      const exact = [...text.matchAll(own)];
      for (const { index, 0: whole } of exact)
        edits.push({
          rename,
          edit: { start: start + index + whole.length - length, length, text: after.tool },
        });
      const message = losesTool(node, before, after)
        ? `names \`${node.text}\`, which does not match the new name \`${after.tool}\``
        : `${JSON.stringify(before.tool)} may name the tool, renamed to ${JSON.stringify(after.tool)}`;
      const isLikely = likely.test(text) || isNamedAlone(node, before.tool) || losesTool(node, before, after);
      if (exact.length === 0 && isLikely) left.push({ node, rename, message });
    }
  };
  const visit = (node: ts.Node): void => {
    const isKey = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    const isText = ts.isStringLiteralLike(node) || isTemplatePart(node);
    if (isKey || (isText && !isModuleName(node) && !ts.isLiteralTypeNode(node.parent))) look(node);
    ts.forEachChild(node, visit);
  };
  if (patterns.length > 0) visit(file);
  return { edits, left };
}

function isTemplatePart(node: ts.Node): boolean {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

/** The spelling that only this tool has, and those that are likely to mean it. */
function patternsOf({ before, after }: ToolRename): { readonly own: RegExp; readonly likely: RegExp } {
  const [server, tool] = [before.server, before.tool].map(escapePattern);
  const isPlain = [before.tool, after.tool].every((name) => /^[\w-]+$/.test(name));
  const own = isPlain ? `(?<![\\w/.:-])(?:mcp__)?${server}__${tool}(?![\\w-])` : "(?!)";
  // A single word means more than a tool.
  const bare = /[^A-Za-z0-9]/.test(before.tool) ? `|(?<![\\w/.:-])${tool}(?![\\w-])` : "";
  const named = `(?<![\\w/.:-])(?:mcp_{1,2})?${server}(?:_{1,2}|[/.:])${tool}(?![\\w-])`;
  return { own: new RegExp(own, "g"), likely: new RegExp(`${named}${bare}`) };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Whether a string is the name alone, where a property says that it names a tool: `{ tool: "search" }`. */
function isNamedAlone(node: ts.Node, tool: string): boolean {
  return ts.isStringLiteralLike(node) && node.text === tool && NAMES_TOOLS.test(keyAbove(node));
}

/** The key of the property that has a string, or has it in a list. */
function keyAbove({ parent }: ts.Node): string {
  const owner = ts.isArrayLiteralExpression(parent) ? parent.parent : parent;
  return ts.isPropertyAssignment(owner) ? owner.name.getText() : "";
}

/** Whether a node is a pattern such as `shop__get_*` that matches the old name only. */
function losesTool(
  node: ts.Node,
  before: ToolRename["before"],
  after: ToolRename["after"],
): node is ts.StringLiteralLike {
  if (!ts.isStringLiteralLike(node) || keyAbove(node) !== "names" || !node.text.endsWith("*")) return false;
  const start = node.text.slice(0, -1);
  const matches = ({ server, tool }: ToolRename["before"]): boolean =>
    start !== "" && [tool, `${server}__${tool}`].some((name) => name.startsWith(start));
  return matches(before) && !matches(after);
}
