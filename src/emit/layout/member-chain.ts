import type { Expression } from "./syntax.js";

type Call = Extract<Expression, { kind: "call" }>;

/** One piece of a chain: what it starts with, `.name`, or the arguments of a call. */
export type Link =
  | { readonly kind: "start"; readonly node: Expression }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "arguments"; readonly call: Call };

export interface MemberChain {
  /** What stays together on a line; the first one is what the chain starts with. */
  readonly groups: readonly (readonly Link[])[];
  /** Whether the first call stays on the line of what it is called on, which looks like a class. */
  readonly isFactory: boolean;
  /** Whether there are enough groups for each to get a line of its own. */
  readonly isLong: boolean;
  readonly calls: readonly Call[];
}

/** The chain of calls that ends in this one; undefined for a call that is none of a member. */
export function memberChainOf(call: Call): MemberChain | undefined {
  if (call.isNew || call.callee.kind !== "member") return undefined;
  const links = linksOf(call);
  const groups = groupLinks(links);
  const [first] = groups[0] ?? [];
  const isFactory =
    groups[0]?.length === 1 &&
    first?.kind === "start" &&
    first.node.kind === "name" &&
    looksLikeClass(first.node.text);
  return {
    groups,
    isFactory,
    isLong: groups.length > (isFactory ? 3 : 2),
    calls: links.flatMap((link) => (link.kind === "arguments" ? [link.call] : [])),
  };
}

function looksLikeClass(name: string): boolean {
  return /^[A-Z]|^[$_]+$/.test(name);
}

function linksOf(node: Expression): readonly Link[] {
  if (node.kind === "member") return [...linksOf(node.object), { kind: "name", name: node.name }];
  if (node.kind === "call" && !node.isNew && node.callee.kind === "member")
    return [...linksOf(node.callee), { kind: "arguments", call: node }];
  return [{ kind: "start", node }];
}

function groupLinks(links: readonly Link[]): readonly (readonly Link[])[] {
  const first = links.slice(0, 1);
  let at = 1;
  // Names before the last one that is called belong to the start.
  while (links[at]?.kind === "name" && links[at + 1]?.kind === "name") {
    first.push(...links.slice(at, at + 1));
    at += 1;
  }
  const groups: Link[][] = [first];
  let current: Link[] = [];
  let hasCall = false;
  for (const link of links.slice(at)) {
    if (hasCall && link.kind === "name") {
      groups.push(current);
      current = [];
      hasCall = false;
    }
    if (link.kind === "arguments") hasCall = true;
    current.push(link);
  }
  if (current.length > 0) groups.push(current);
  return groups;
}

export function isFunction(node: Expression): boolean {
  return node.kind === "arrow";
}

/** Whether an argument is plain enough for a chain of several calls to stay on one line. */
export function isSimpleArgument(node: Expression, depth = 2): boolean {
  if (depth <= 0) return false;
  switch (node.kind) {
    case "name":
    case "constant":
    case "number":
    case "string":
    case "negative":
      return true;
    case "object":
      return node.members.every(
        ({ key, value }) => key === undefined || (!key.isComputed && isSimpleArgument(value, depth - 1)),
      );
    case "array":
      return node.items.every((item) => isSimpleArgument(item, depth - 1));
    case "call":
      return (
        isSimpleArgument(node.callee, depth) &&
        node.arguments.length <= depth &&
        node.arguments.every((argument) => isSimpleArgument(argument, depth - 1))
      );
    case "member":
      return isSimpleArgument(node.object, depth);
    case "arrow":
      return false;
    default:
      return node satisfies never;
  }
}
