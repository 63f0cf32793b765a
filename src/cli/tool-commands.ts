/** Commands that list, call and serve tools. */
export const TOOL_COMMANDS = {
  list: {
    summary: "list the locked tools by server and category",
    description: [
      "Prints the locked tools with their required parameters and the tokens that each definition costs a model.",
      "Contacts no server, except with --server or --live. With --live, lists the current tools of the configured",
      "servers and marks each tool that differs from the lock: unlocked (not in the lock), different (its definition",
      "changed) or gone (no longer listed). If a server cannot be listed, the exit code is 3. Marks do not change the",
      "exit code; use check to fail on differences. Writes no files.",
    ],
    arguments: [{ name: "[server...]", help: "names of locked servers (default: all)" }],
    options: ["server", "header", "bearer", "live", "env", "raw", "fidelity", "tokens"],
    examples: [
      { line: "mcp-codegen list", does: "list every locked tool" },
      {
        line: 'mcp-codegen list --server "npx -y @modelcontextprotocol/server-everything"',
        does: "list the tools of any server, without a configuration",
      },
      {
        line: "mcp-codegen list --server https://example.com/mcp --bearer '${TOKEN}'",
        does: "the same over HTTP, with a token from the environment",
      },
      {
        line: "mcp-codegen list --live",
        does: "list the current tools of the configured servers, compared with the lock",
      },
      { line: "mcp-codegen list wordpress --live --env production", does: "the same for one environment" },
      { line: "mcp-codegen list wordpress --json", does: "print one server's tools as JSON" },
      {
        line: "mcp-codegen list wordpress --live --raw > tools.json",
        does: "save the server's tool list, for use with diff",
      },
      { line: "mcp-codegen list --tokens", does: "show which tools cost a model the most tokens" },
      { line: "mcp-codegen list --fidelity", does: "show how many tools of each server have exact schemas" },
    ],
  },
  search: {
    summary: "find tools by what they do",
    description: [
      "Searches the locked tools and the tools of serve.tools by name, title, description, parameters and category,",
      "and by meaning if the configuration sets an embedder. Contacts no server, unless --server is a command or URL.",
      "Tools that the policy hides are not found. A search without results exits 0; an unknown category or server",
      "exits 2.",
    ],
    arguments: [
      { name: "[query...]", help: "what the tool should do, in plain words; optional with --category" },
    ],
    options: ["category", "serverFilter", "header", "bearer", "maxTools"],
    examples: [
      { line: "mcp-codegen search write a new article", does: "find the best matching tools" },
      { line: "mcp-codegen search --category commerce", does: "list all tools of a category by name" },
      {
        line: "mcp-codegen search refund --server shop --json",
        does: "search one server, and print JSON",
      },
    ],
  },
  describe: {
    summary: "show a tool's parameters and output",
    description: [
      "Prints the locked definition of tools: parameters as flags of call, output, annotations, and an example command",
      "line. Contacts no server, unless --server is a command or URL.",
    ],
    arguments: [
      {
        name: "<tool...>",
        help: "names of locked tools; write server__tool if several servers have the tool",
      },
    ],
    options: ["server", "header", "bearer", "outputFormat"],
    examples: [
      { line: "mcp-codegen describe create-post", does: "show parameters and output as text" },
      {
        line: "mcp-codegen describe create-post list-posts --format typescript",
        does: "show TypeScript signatures",
      },
      { line: "mcp-codegen describe example__create-post --json", does: "print the definition as JSON" },
    ],
  },
  call: {
    summary: "call a locked tool; its parameters are flags",
    description: [
      "Calls one tool and prints its result. Write the tool's arguments as flags after its name: --per_page 10,",
      "--tags a --tags b, --meta.key v, --items.0.name v, --flag, --no-flag. Options of call may also follow the",
      "tool's name, unless the tool has a parameter with the same name; --config and --env-file must precede it. With",
      "--server and a command or URL, --header and --bearer are always options of call. Without flags and --input,",
      "arguments are read as JSON from a pipe on stdin. A tool that reads is called at once. Before any other tool,",
      "call shows what it would send and asks; in a script, pass --yes. A tool that writes is called without a question",
      "if MCP_CODEGEN_ENABLE_WRITES or the configuration enables writes. A question that the tool asks while it runs is",
      "answered by --answer; otherwise it is printed, and the exit code is 2. Exit codes: 0 done, 1 the tool failed or its",
      "result does not match its output schema, 2 invalid input or not allowed, 3 the server could not be reached.",
    ],
    arguments: [
      {
        name: "<tool>",
        help: "name of a locked tool; write server__tool if several servers have the tool",
      },
      { name: "[flags...]", help: 'arguments of the tool; "call <tool> --help" lists them' },
    ],
    options: ["server", "header", "bearer", "env", "input", "timeout", "save", "answer", "confirmed"],
    examples: [
      { line: "mcp-codegen call list-posts --per_page 10", does: "call a tool that reads" },
      { line: "mcp-codegen call list-posts --help", does: "list the flags of a tool" },
      {
        line: "mcp-codegen call create-post --title Hello --tags a --tags b",
        does: "call a tool that writes: it shows what it would send, and asks",
      },
      {
        line: "mcp-codegen call --yes create-post --title Hello",
        does: "the same in a script, without a question",
      },
      {
        line: "mcp-codegen call --json --env sandbox list-posts --per_page 10",
        does: "call the tool in an environment, and print JSON",
      },
      { line: "mcp-codegen call list-posts < args.json", does: "read arguments from stdin" },
      {
        line: "mcp-codegen call --answer plan=pro --answer seats=2 subscribe",
        does: "answer the questions that the tool asks",
      },
      {
        line: "mcp-codegen call list-posts --input @args.json --page 2",
        does: "read arguments from a file, and override one of them",
      },
      {
        line: 'mcp-codegen call --server "npx -y @modelcontextprotocol/server-everything" get-sum --a 1 --b 2',
        does: "call a tool of any server, without a configuration",
      },
    ],
  },
  record: {
    summary: "call a tool and record its answer for tests",
    description: [
      "Calls a tool as call does, and writes the call with its answer to <folder>/<server>/<tool>.json, without secrets.",
      "Code that is connected with { replay: <folder> } gets the recorded answer. The same call replaces its",
      "earlier answer; the other recorded calls stay. If the answer cannot be recorded, the exit code is 2.",
    ],
    arguments: [
      { name: "<server>", help: "name of a configured server, or a command or URL" },
      { name: "<tool>", help: "name of a tool of this server" },
      { name: "[flags...]", help: 'arguments of the tool; "record <server> <tool> --help" lists them' },
    ],
    options: ["env", "input", "timeout", "save", "answer", "confirmed", "cassette"],
    examples: [
      {
        line: "mcp-codegen record shop get-product --sku BRE-001",
        does: "record one call in cassettes/shop",
      },
      {
        line: "mcp-codegen record --cassette cassettes/checkout shop list-products --per_page 5",
        does: "record it in a cassette of its own",
      },
    ],
  },
  serve: {
    summary: "run an MCP server with five meta-tools for all locked tools",
    description: [
      "Serves the meta-tools introspect, search_tools, describe_tools, execute and context for the locked tools, or",
      "with --direct the locked tools. Uses stdio until the client disconnects, or HTTP until interrupted. Connects",
      "to a server only when one of its tools is called, and does not call a tool whose server drifted from the lock.",
      "Tools that write are called only if the configuration or MCP_CODEGEN_ENABLE_WRITES allows it. Over HTTP,",
      "clients need the token in MCP_CODEGEN_SERVE_TOKEN, from the environment or .env. stdout carries the protocol,",
      "so --json has no effect.",
    ],
    arguments: [{ name: "[server...]", help: "names of locked servers (default: all)" }],
    options: ["http", "host", "env", "prefix", "role", "direct", "allowUnlocked"],
    examples: [
      { line: "mcp-codegen serve", does: "serve stdio, as started by an MCP client" },
      {
        line: "mcp-codegen serve --config /path/to/mcp-codegen.config.ts",
        does: "the same from any folder",
      },
      {
        line: "mcp-codegen serve wordpress --env sandbox --role content-editor",
        does: "serve one server with the tools of one role",
      },
      { line: "mcp-codegen serve --direct", does: "serve the locked tools directly, under the same policy" },
      { line: "mcp-codegen serve --http 3333", does: "serve http://127.0.0.1:3333/mcp" },
    ],
  },
  mock: {
    summary: "run mocks of locked servers",
    description: [
      "Serves the locked list of a server's tools as the server sent it, over stdio until the client disconnects, or",
      "HTTP until interrupted. Validates each call, and answers it from --cassette, or else with values that the output",
      "schema accepts: the same call has the same answer. A tool without a known output fails with the reason. With",
      "--from, serves another lock, to rehearse a change. Contacts no server. stdout carries the protocol, so --json",
      "has no effect.",
    ],
    arguments: [{ name: "[server...]", help: "names of locked servers (default: all); over stdio, one" }],
    options: ["http", "seed", "answerFrom", "boundary", "latency", "fail", "fromLock", "changeAfter"],
    examples: [
      { line: "mcp-codegen mock shop", does: "serve stdio, as started by an MCP client" },
      { line: "mcp-codegen mock shop --http 3333", does: "serve http://127.0.0.1:3333/mcp, without a token" },
      { line: "mcp-codegen mock shop stock --http 3333", does: "the same, and the second at port 3334" },
      {
        line: "mcp-codegen mock shop --latency 200 --fail 0.1",
        does: "answer slowly, and let every tenth call fail",
      },
      {
        line: "mcp-codegen mock shop --from next.lock.json --change-after 3",
        does: "change the tools after three calls, and notify the client",
      },
    ],
  },
  completion: {
    summary: "print a completion script for your shell",
    description: [
      "Completes commands, options, names of servers and tools from the nearest lock, and the flags and values of the",
      "tool after call. mcp-codegen has to be on the PATH. To try it in Bash: source <(mcp-codegen completion bash).",
    ],
    arguments: [{ name: "<shell>", help: "bash, zsh or fish" }],
    options: [],
    examples: [
      { line: "mcp-codegen completion bash >> ~/.bashrc", does: "install for Bash" },
      {
        line: "mcp-codegen completion zsh > ~/.zfunc/_mcp-codegen",
        does: "install for Zsh, in a folder of $fpath",
      },
      {
        line: "mcp-codegen completion fish > ~/.config/fish/completions/mcp-codegen.fish",
        does: "install for fish",
      },
    ],
  },
  "example-server": {
    summary: "run the example MCP server on stdin and stdout",
    description: [
      "Serves posts and a small shop, in memory, over stdio until stdin ends; --json has no effect. --next serves the",
      "next version, which breaks callers: list-posts no longer returns pages, and create-post requires a slug. In a",
      "configuration written by init --example, that version is the environment next.",
    ],
    options: ["next"],
    examples: [
      { line: "mcp-codegen example-server", does: "serve stdio, as started by an MCP client" },
      { line: 'mcp-codegen list --server "npx mcp-codegen example-server"', does: "list its tools" },
      {
        line: "mcp-codegen check --env next",
        does: "after init --example and pull: show what the next version breaks",
      },
    ],
  },
} as const;
