import type { Form } from "./find-regions.js";

/** The files that agents read, by globs, with the form in which they are written. */
export const AGENT_FILES: readonly (readonly [glob: string, form: Form, what: string])[] = [
  ["**/SKILL.md", "markdown", "skills"],
  ["**/{CLAUDE,CLAUDE.local,AGENTS,GEMINI}.md", "markdown", "instructions of a project"],
  [".claude/**/*.md", "markdown", "agents, commands and rules of Claude Code"],
  [".claude/settings*.json", "settings", "permissions of Claude Code"],
  [".cursor/rules/**/*.{md,mdc}", "markdown", "rules of Cursor"],
  [
    ".github/{agents,chatmodes,prompts,instructions}/**/*.md",
    "markdown",
    "agents, chat modes and prompts of Copilot",
  ],
  [".github/copilot-instructions.md", "markdown", "instructions of Copilot"],
  [".vscode/{settings,mcp}.json", "settings", "settings of VS Code"],
  [".gemini/settings.json", "settings", "settings of Gemini CLI"],
  [".codex/config.toml", "settings", "settings of Codex"],
  [".mcp.json", "settings", "servers of a project"],
];

/** The form of a file by its name: settings in JSON, YAML and TOML, everything else Markdown. */
export function formOf(path: string): Form {
  return /\.(?:jsonc?|ya?ml|toml)$/i.test(path) ? "settings" : "markdown";
}
