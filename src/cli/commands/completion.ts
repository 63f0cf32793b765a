import { defineCommand, usageError } from "../command-spec.js";

export const completionCommand = defineCommand({
  summary: "print a completion script for your shell",
  description: [
    "Completes commands, options, names of servers and tools from the nearest lock, and the flags and values of the",
    "tool after call. mcp-codegen has to be on the PATH. To try it in Bash: source <(mcp-codegen completion bash).",
  ],
  arguments: [{ name: "<shell>", help: "bash, zsh or fish" }],
  options: {},
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
  load: () =>
    Promise.resolve((context, [name = ""]) => {
      const shell = SHELLS.find((known) => known === name);
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
