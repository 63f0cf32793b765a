// Its list changes, in the way that --by names. Ways without a difference in meaning must not be reported.
//   tools   every second list lacks a tool
//   text    a description contains the number of readings
//   grows   each list has one more tool, as for backends that start one by one
//   order   every second list has another order, also of its enums
//   once    the second list differs from the first, and the third equals the second: the server was updated
//   end     every list after the first ends after its first page
import process from "node:process";
import { plainTool, readOptions, RpcError, serve, textResult } from "./raw-server.js";

const options = readOptions({ by: process.env["FLICKER"] ?? "tools" });
let lists = 0;

const kinds = ["a", "b", "c"];
const withEnum = (/** @type {string[]} */ values) =>
  plainTool("pick", {
    inputSchema: { type: "object", properties: { kind: { type: "string", enum: values } } },
  });

/** The tools of list number `n`, from 1. @type {Record<string, (n: number) => Record<string, unknown>[]>} */
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
