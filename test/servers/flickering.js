// Its list never rests. Each --by is another way; the ways that mean nothing must not be noticed.
//   tools   every other list lacks a tool
//   text    a description that says how often it was read
//   grows   each list has one tool more, as in front of backends that come up one by one
//   order   every other list is in another order, its enums too
//   once    the second list differs from the first, and the third is like the second: the server has changed by itself
//   end     every list but the first breaks off after its first page
import process from "node:process";
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

const options = readOptions({ by: process.env["FLICKER"] ?? "tools" });
let lists = 0;

const kinds = ["a", "b", "c"];
const withEnum = (/** @type {string[]} */ values) =>
  plainTool("pick", {
    inputSchema: { type: "object", properties: { kind: { type: "string", enum: values } } },
  });

/** What list number `n` holds, from 1. @type {Record<string, (n: number) => Record<string, unknown>[]>} */
const LISTS = {
  tools: (n) => (n % 2 === 1 ? [plainTool("one"), plainTool("two")] : [plainTool("one")]),
  text: (n) => [plainTool("one", { description: `Read ${n} times.` })],
  grows: (n) => Array.from({ length: n }, (_, index) => plainTool(`backend-${index}`)),
  order: (n) =>
    n % 2 === 1 ? [plainTool("one"), withEnum(kinds)] : [withEnum([...kinds].reverse()), plainTool("one")],
  once: (n) => (n === 1 ? [plainTool("one")] : [plainTool("one"), plainTool("two")]),
  end: () => [plainTool("one")],
};

const list = LISTS[options.by];
if (!list) throw new Error(`--by is one of: ${Object.keys(LISTS).join(", ")}`);

serve(
  {
    name: "flickering",
    list: ({ cursor }) => {
      if (cursor !== undefined) throw new RpcError(-32603, "Out of memory");
      lists += 1;
      return { tools: list(lists), ...(options.by === "end" && lists > 1 && { nextCursor: "more" }) };
    },
    call: () => textResult("done"),
  },
  options,
);
