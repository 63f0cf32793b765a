import { defineCommand, usageError } from "../../command-spec.js";
import { type OptionTable, SHARED } from "../../options.js";

export const INIT_FLAGS = {
  yes: { help: "accept the defaults without asking" },
  example: { help: "configure the example server of mcp-codegen" },
  server: {
    value: "command or URL",
    help: "you build this server: lock its tools, generate no code, and check them in a GitHub workflow",
  },
} as const satisfies OptionTable;

export const initCommand = defineCommand({
  summary: "write a configuration from the MCP servers in your editor",
  description: [
    "Finds the MCP servers in your editors' configuration (.mcp.json, .cursor/mcp.json, .vscode/mcp.json,",
    "claude_desktop_config.json) and writes mcp-codegen.config.ts. Secrets become ${VARIABLES}. For a server that",
    "looks like your own, any drift fails check; for other servers (published packages, third-party services) only",
    "dangerous changes do. An existing configuration is never overwritten. With --server, writes",
    "mcp-codegen.config.json for a server that you build, and .github/workflows/mcp-contract.yml, unless it exists.",
  ],
  options: INIT_FLAGS,
  conflicts: [{ option: "--server", excludes: ["--example"] }],
  examples: {
    "mcp-codegen init --example --yes": "add an example server to try mcp-codegen: no network, no account",
  },
  load: async () => (await import("./init.js")).runInit,
});

export const DOCTOR_FLAGS = {
  offline: { help: "contact no server; examine everything else" },
} as const satisfies OptionTable;

export const doctorCommand = defineCommand({
  summary: "check what a project needs, and say how to fix what it lacks",
  description: [
    "Looks at Node and PHP, the packages and the TypeScript configuration that generated code needs, the configuration,",
    "the variables that it uses (names only), logins, the lock, the generated code, the servers, git's attributes, and",
    "whether CI runs check. Each line of a problem comes with its fix. Exits 1 if something fails, 3 if a server could",
    "not be asked, 0 otherwise; warnings do not count. Writes nothing.",
  ],
  options: DOCTOR_FLAGS,
  examples: {
    "mcp-codegen doctor --offline": "ask no server",
  },
  load: async () => (await import("./doctor.js")).runDoctor,
});

export const LOGIN_FLAGS = {
  env: SHARED.env,
  browser: { isNegative: true, help: "open no browser, and print the address of the login page" },
  wait: { value: "seconds", range: { from: 1, to: 99_999 }, help: "time limit for the login (default: 300)" },
  list: { help: "list your logins instead: issuer, account, scopes, time left" },
  out: { help: "delete the login instead, and revoke its tokens if the server supports it" },
} as const satisfies OptionTable;

export const loginCommand = defineCommand({
  summary: "log in to a server that requires it, list your logins, or log out",
  description: [
    "Opens the login page of the server's authorization server in a browser (OAuth 2.1 with PKCE), and waits for the",
    "answer on a loopback port. The tokens are saved in your state folder, readable by you alone, and never in the",
    "project. Every command then uses and refreshes them. Log in again when a server requires more scopes. In CI, use",
    "client credentials or a token: see docs/servers.md#login. --list prints no tokens and contacts no server; it exits",
    "1 if you are not logged in to one of the named servers.",
  ],
  arguments: {
    "[server...]": "name of a configured server, or a URL; with --list, any number (default: all logins)",
  },
  options: LOGIN_FLAGS,
  conflicts: [
    { option: "--list", excludes: ["--out", "--no-browser", "--wait"] },
    { option: "--out", excludes: ["--no-browser", "--wait"] },
  ],
  examples: {
    "mcp-codegen login shop": "log in to a configured server",
  },
  load: async () => (await import("./login.js")).runLogin,
});

export const completionCommand = defineCommand({
  summary: "print a completion script for your shell",
  description: [
    "Completes commands, options, and names of servers and tools from the nearest lock. mcp-codegen has to be on the",
    "PATH. To try it in Bash: source <(mcp-codegen completion bash).",
  ],
  arguments: { "<shell>": "bash, zsh or fish" },
  options: {},
  examples: {
    "mcp-codegen completion bash >> ~/.bashrc": "install for Bash",
  },
  load: () =>
    Promise.resolve((context, [name = ""]) => {
      const shell = SHELLS.find((candidate) => candidate === name);
      if (shell === undefined)
        throw usageError(`Unknown shell ${JSON.stringify(name)}.`, `Known shells: ${SHELLS.join(", ")}.`);
      context.printText(SCRIPTS[shell]);
      context.printDocument({ report: "completion", exitCode: 0, shell, script: SCRIPTS[shell] });
      return Promise.resolve(0);
    }),
});

/** The shells that have completion scripts. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/**
 * The completion scripts. Names come from servers, so no script evaluates its input: no `eval`, and no `compgen -W`,
 * which expands words. Each script runs the program under the name on the command line.
 */
const SCRIPTS = {
  bash: `# Completion of mcp-codegen for Bash: source <(mcp-codegen completion bash)
_mcp_codegen() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <("$1" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null)
}
complete -o default -F _mcp_codegen mcp-codegen
`,
  zsh: `#compdef mcp-codegen
# Completion of mcp-codegen for Zsh: source <(mcp-codegen completion zsh), or this as _mcp-codegen in $fpath
_mcp_codegen() {
  local line
  local -a values shown
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line//$'\\t'/  -- }")
  done < <("\${words[1]}" __complete zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
  if (( \${#values} )); then
    compadd -l -d shown -a values
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _mcp-codegen ]]; then
  _mcp_codegen "$@"
else
  compdef _mcp_codegen mcp-codegen
fi
`,
  fish: `# Completion of mcp-codegen for fish: mcp-codegen completion fish | source
# Files are offered where nothing else is.
function __mcp_codegen_offers
    set -l words (commandline -opc) (commandline -ct)
    set -g __mcp_codegen_offered ($words[1] __complete fish $words[2..-1] 2>/dev/null </dev/null)
    test (count $__mcp_codegen_offered) -gt 0
end
complete -c mcp-codegen -n __mcp_codegen_offers -f -a '$__mcp_codegen_offered'
`,
} as const;
