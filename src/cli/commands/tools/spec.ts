import { defineCommand } from "../../command-spec.js";
import { type OptionTable, PORTS, SERVER_FLAGS, SHARED } from "../../options.js";

export const LIST_FLAGS = {
  ...SERVER_FLAGS,
  live: { help: "list the servers' current tools, and mark those that differ from the lock" },
  env: { ...SHARED.env, help: 'use this environment of each server; "all" compares every environment' },
  raw: { help: 'print the list of one server as JSON, for diff or the key "file"' },
  signatures: { help: "print the arguments and the result of each tool as TypeScript" },
  fidelity: { help: "show how many tools have exact schemas, and why the others are approximate" },
  tokens: { help: "sort tools by the tokens that they cost a model, with a sum for each category" },
  context: { help: "print a text about the tools instead, for the instructions of an agent without MCP" },
  maxTokens: {
    value: "number",
    range: { from: 1, to: 9_999_999 },
    help: "with --context: the most tokens that the text may cost (default: 1500)",
  },
} as const satisfies OptionTable;

export const listCommand = defineCommand({
  summary: "list the locked tools by server and category",
  description: [
    "Prints the locked tools with their required parameters and the tokens that each definition costs a model.",
    "Contacts no server, except with --server or --live, and in a folder without a configuration, where it lists the",
    "servers of the editors' files: .mcp.json, .cursor/mcp.json, .vscode/mcp.json, and those of the user. With --live, lists the current tools of the configured",
    "servers and marks each tool that differs from the lock: unlocked (not in the lock), different (its definition",
    "changed) or gone (no longer listed). If a server cannot be listed, the exit code is 3. Marks do not change the",
    "exit code; use check to fail on differences. With --context, prints what the tool context of a toolset answers:",
    "the servers and their tools by category, how to find and call them on the command line, and what may be called, in",
    "whole lines, the most useful first. Writes no files.",
  ],
  arguments: { "[server...]": "names of servers (default: all)" },
  options: LIST_FLAGS,
  conflicts: [
    {
      option: "--context",
      excludes: ["--live", "--env", "--raw", "--signatures", "--fidelity", "--tokens"],
    },
    { option: "--max-tokens", requires: "--context" },
    { option: "--env", requires: "--live", because: ": the lock is the same for every environment" },
    { option: "--raw", excludes: ["--json", "--tokens", "--fidelity", "--signatures", "--env all"] },
    { option: "--signatures", excludes: ["--tokens"] },
  ],
  examples: {
    "mcp-codegen list --live": "list the current tools of the configured servers, compared with the lock",
  },
  load: async () => (await import("./list.js")).runList,
});

export const SEARCH_FLAGS = {
  category: { value: "name", help: "only tools of this category" },
  server: {
    value: "name",
    repeatable: true,
    help: "only tools of this server (repeatable), or of the one with this command or URL",
  },
  header: SERVER_FLAGS.header,
  bearer: SERVER_FLAGS.bearer,
  limit: {
    value: "number",
    range: { from: 1, to: 999_999 },
    help: "the most tools to print (default: 10, or all of a category)",
  },
} as const satisfies OptionTable;

export const searchCommand = defineCommand({
  summary: "find tools by what they do",
  description: [
    "Searches the locked tools and the tools of serve.tools by name, title, description, parameters and category.",
    "Contacts no server, unless --server is a command or URL. Tools that the policy hides are not found. A search without results exits 0; an unknown category or server",
    "exits 2.",
  ],
  arguments: { "[query...]": "what the tool should do, in plain words; optional with --category" },
  options: SEARCH_FLAGS,
  examples: {
    "mcp-codegen search write a new article": "find the best matching tools",
  },
  load: async () => (await import("./search.js")).runSearch,
});

export const DESCRIBE_FLAGS = {
  ...SERVER_FLAGS,
  format: {
    value: "format",
    choices: ["text", "typescript"],
    help: "text (default), or TypeScript signatures; --json prints the published schemas",
  },
} as const satisfies OptionTable;

export const describeCommand = defineCommand({
  summary: "show a tool's parameters and output",
  description: [
    "Prints the locked definition of tools: parameters as flags of call, output, annotations, and an example command",
    "line. Contacts no server, unless --server is a command or URL.",
  ],
  arguments: {
    "<tool...>": "names of locked tools; write server__tool if several servers have the tool",
  },
  options: DESCRIBE_FLAGS,
  examples: {
    "mcp-codegen describe create-post": "show parameters and output as text",
  },
  load: async () => (await import("./describe.js")).runDescribe,
});

export const PAGE_FLAGS = {
  out: { value: "file", help: "the file to write (default: mcp-codegen.html beside the configuration)" },
  serve: { help: "write no file; show the page on a loopback port, and reload it when the lock changes" },
  port: { value: "port", range: PORTS, help: "with --serve: the port (default: a free one)" },
  open: { help: "open the page in your browser" },
} as const satisfies OptionTable;

export const pageCommand = defineCommand({
  summary: "write the locked tools as one HTML page",
  description: [
    "Writes one file that shows each locked tool with its schemas, TypeScript signature, a call to copy, cost,",
    "annotations and history from git, with a search. The file holds its script, and requests nothing. For a page with",
    "the changes that a check found, run check --format html. Needs only the lock, no configuration. Offline.",
  ],
  options: PAGE_FLAGS,
  conflicts: [
    { option: "--out", excludes: ["--serve"], because: ", which writes no file" },
    { option: "--port", requires: "--serve" },
  ],
  examples: {
    "mcp-codegen page --open": "write mcp-codegen.html and open it",
  },
  load: async () => (await import("./page.js")).runPage,
});
