import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";
import { BIN } from "../../serve/start-serve.js";

const TOUCHED = "touched";
const HOSTILE = [
  `$(touch ${TOUCHED})`,
  `\`touch ${TOUCHED}\``,
  `x;touch ${TOUCHED}`,
  "with spaces in it",
  "quote\"'quote",
  "back\\slash",
  "*",
  "~root",
  "!!",
  "tab\there",
  "new\nline",
  "\u001b[31mred",
  "имя",
];
/** A name that a shell would not take as it is, is not offered. */
const OFFERED = ["имя"];
const HOSTILE_TOOLS = Object.fromEntries(HOSTILE.map((name) => [name, { type: "object" }]));

interface Tools {
  readonly [tool: string]: object;
}

function lockWith(servers: { readonly [server: string]: Tools }): string {
  const blocks = Object.entries(servers).map(([server, tools]) => {
    const entries = Object.entries(tools).map(([name, inputSchema]) => {
      const definition = { name, description: `Does ${name}.`, inputSchema };
      return [name, { digest: "0", definition }] as const;
    });
    return [server, { contract: "1.0.0", tools: Object.fromEntries(entries) }] as const;
  });
  return JSON.stringify({ lockfileVersion: 1, servers: Object.fromEntries(blocks) });
}

const SHOP = {
  "find-orders": { type: "object", properties: { state: { enum: ["open", "paid"] } } },
  "cancel-order": { type: "object" },
  "odd name": { type: "object" },
};

describe("completion", () => {
  let project: Project;
  const complete = async (...words: string[]): Promise<readonly string[]> => {
    const { exitCode, stdout, stderr } = await project.run(["__complete", "fish", ...words]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
  };

  async function open(servers: Parameters<typeof lockWith>[0]): Promise<void> {
    project = await makeProject({ servers: {} });
    await project.write(LOCKFILE_NAME, lockWith(servers));
  }

  it("completes commands and options", async () => {
    await open({ shop: SHOP });
    expect(await complete("ch")).toEqual(["check"]);
    expect(await complete("")).toContain("example-server");
    expect(await complete("--js")).toEqual(["--json"]);
    expect(await complete("check", "--fail")).toEqual(["--fail-on"]);
    expect(await complete("check", "--fail-on", "")).toEqual(["any", "dangerous", "breaking", "never"]);
    expect(await complete("check", "--fail-on=d")).toEqual(["--fail-on=dangerous"]);
    expect(await complete("pull", "--no-f")).toEqual(["--no-frozen"]);
    expect(await complete("describe", "--format", "t")).toEqual(["text", "typescript"]);
    expect(await complete("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await complete("explain", "tool-rem")).toEqual(["tool-removed"]);
    expect(await complete("no-such-command", "")).toContain("check");
  });

  it("completes names of servers and tools", async () => {
    await open({ shop: SHOP });
    expect(await complete("list", "s")).toEqual(["shop"]);
    expect(await complete("search", "order", "--server", "")).toEqual(["shop"]);
    expect(await complete("call", "")).toEqual(["find-orders", "cancel-order"]);
    expect(await complete("call", "--env", "sandbox", "--yes", "ca")).toEqual(["cancel-order"]);
    expect(await complete("describe", "find-orders", "c")).toEqual(["cancel-order"]);
    expect(await complete("log", "shop", "")).toEqual([]);
    await open({ shop: SHOP, other: { "find-orders": {} } });
    expect(await complete("call", "shop__f")).toEqual(["shop__find-orders"]);
  });

  it("completes options after a tool's name, and nothing of the tool", async () => {
    await open({ shop: SHOP });
    expect(await complete("call", "find-orders", "--sa")).toEqual(["--save"]);
    expect(await complete("call", "find-orders", "--validate-input=")).toEqual([
      "--validate-input=strict",
      "--validate-input=warn",
    ]);
    expect(await complete("call", "find-orders", "--sta")).toEqual([]);
    expect(await complete("call", "find-orders", "--state", "")).toEqual([]);
  });

  it("reads the lock of --config, or the nearest one in parent folders", async () => {
    await open({ shop: SHOP });
    const inner = await makeProject();
    const config = join(project.dir, "mcp-codegen.config.json");
    await inner.prints(
      `__complete fish --config ${config} call ca`,
      0,
      /^cancel-order\tDoes cancel-order\.\n$/,
    );
    await inner.prints("__complete fish call ca", 0, /^$/);
  });

  it("prints nothing for an unreadable lock, and no control characters", async () => {
    await open({ shop: SHOP });
    for (const [text, names] of [
      ["<<<<<<< ours", []],
      ['{"servers":{"shop":{"tools":[1,null]}}}', []],
      ['{"servers":{"shop":{"tools":{"a":{"unusable":"x"},"b":{}}}}}', ["b"]],
    ] as const) {
      await project.write(LOCKFILE_NAME, text);
      expect(await complete("call", "")).toEqual(names);
    }
    await open({ evil: HOSTILE_TOOLS });
    for (const start of ["tab", "new", "\u001b"]) expect(await complete("call", start)).toEqual([]);
  });

  it("prints a script for each shell, and lists the shells", async () => {
    await open({ shop: SHOP });
    for (const shell of ["bash", "zsh", "fish"])
      await project.reports(`completion ${shell}`, { shell, exitCode: 0 });
    await project.refuses("completion cmd", "Known shells: bash, zsh, fish.");
  });
});

/** Creates a project with the tools locked and the program installed as by npm. */
async function makeShellProject(
  tools: Tools,
): Promise<{ readonly project: Project; readonly env: NodeJS.ProcessEnv }> {
  const project = await makeProject({ servers: {} });
  await project.write(LOCKFILE_NAME, lockWith({ shop: tools }));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`;
  await writeFile(join(project.dir, "mcp-codegen"), script, { mode: 0o755 });
  const path = `${project.dir}:${process.env["PATH"] ?? ""}`;
  return { project, env: { ...process.env, PATH: path, HOME: project.dir, LANG: "C.UTF-8", TERM: "xterm" } };
}

describe.skipIf(!existsSync("/bin/bash"))("completion in a real Bash (skipped without Bash)", () => {
  /** Returns Bash's replacements of the word at the cursor, and the words of each resulting line. */
  async function complete(
    { project, env }: Awaited<ReturnType<typeof makeShellProject>>,
    line: string,
  ): Promise<{ readonly candidates: readonly string[]; readonly words: readonly string[] }> {
    const script = `
      source <("$BIN" completion bash)
      complete -p mcp-codegen >/dev/null || exit 9
      COMP_LINE=$LINE COMP_POINT=\${#LINE}
      COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
      _mcp_codegen "$BIN"
      printf '%s\\0' "\${COMPREPLY[@]}"
      printf '\\0'
      for candidate in "\${COMPREPLY[@]}"; do
        eval "set -- \${LINE%"\${LINE##*[ =]}"}$candidate"
        printf '%s\\0' "\${@: -1}"
      done`;
    const options = { cwd: project.dir, env: { ...env, BIN: join(project.dir, "mcp-codegen"), LINE: line } };
    const { stdout, stderr } = await promisify(execFile)("/bin/bash", ["--norc", "-c", script], options);
    expect(stderr).toBe("");
    const [candidates = "", words = ""] = stdout.split("\0\0");
    const split = (text: string): readonly string[] => text.split("\0").filter((part) => part !== "");
    return { candidates: split(candidates), words: split(words) };
  }

  it("completes commands, tools, options and values", async () => {
    const made = await makeShellProject(SHOP);
    for (const [line, candidates] of [
      ["che", ["check"]],
      ["call ca", ["cancel-order"]],
      ["check --fail-", ["--fail-on"]],
      ["check --fail-on=d", ["dangerous"]],
      ["call 'ca", ["cancel-order"]],
      ["describe odd", []],
    ] as const)
      expect((await complete(made, `mcp-codegen ${line}`)).candidates).toEqual(candidates);
  });

  it("does nothing that a tool's name says", async () => {
    const made = await makeShellProject(HOSTILE_TOOLS);
    expect((await complete(made, "mcp-codegen call ")).words).toEqual(OFFERED);
    await complete(made, "mcp-codegen call $(touch touched) ");
    expect(await made.project.paths()).not.toContain(TOUCHED);
  });
});
describe.skipIf(!existsSync("/usr/bin/zsh"))("completion in a real Zsh (skipped without Zsh)", () => {
  /** Returns the last word of each line after completion by Zsh. */
  async function complete(
    tools: Tools,
    lines: readonly string[],
  ): Promise<{ readonly project: Project; readonly words: readonly string[] }> {
    const { project, env } = await makeShellProject(tools);
    const shown = join(project.dir, "shown.txt");
    await writeFile(
      join(project.dir, ".zshrc"),
      `PROMPT=
      autoload -U compinit; compinit -D -u
      source <(mcp-codegen completion zsh)
      show() {
        zle complete-word
        local -a typed; typed=("\${(@Q)\${(z)BUFFER}}")
        print -rn -- "\${typed[-1]}"$'\\0' >> $SHOWN
        BUFFER= CURSOR=0
      }
      zle -N show; bindkey '^X' show
      print -n "ready"$'\\0' >> $SHOWN`,
    );
    await writeFile(shown, "");
    // Completion is a part of Zsh's line editor, so it needs a terminal.
    const driver = `
      zmodload zsh/zpty zsh/zselect
      zpty z zsh -i
      integer asked=1 tries
      await() {
        for (( tries = 0; tries < 400; tries++ )); do
          (( $(tr -cd '\\0' < $SHOWN | wc -c) >= asked )) && return
          zselect -t 5; zpty -r -t z >/dev/null
        done
      }
      await
      for line in "$@"; do
        zpty -w -n z "$line"$'\\x18'
        (( asked++ )); await
      done
      zpty -d z`;
    const argv = ["-f", "-c", driver, "zsh", ...lines.map((line) => `mcp-codegen ${line}`)];
    await promisify(execFile)("/usr/bin/zsh", argv, { cwd: project.dir, env: { ...env, SHOWN: shown } });
    const [, ...words] = (await readFile(shown, "utf8")).split("\0").slice(0, -1);
    return { project, words };
  }

  it("completes commands, tools, options and values", async () => {
    const lines = [
      "che",
      "call ca",
      "describe odd",
      "call find-orders --sav",
      "check --fail-on da",
      "call zzz",
    ];
    const { words } = await complete(SHOP, lines);
    expect(words).toEqual(["check", "cancel-order", "odd", "--save", "dangerous", "zzz"]);
  });

  it("does nothing that a tool's name says", async () => {
    const { project, words } = await complete(HOSTILE_TOOLS, ["call "]);
    expect(words).toEqual(OFFERED);
    expect(await project.paths()).not.toContain(TOUCHED);
  });
});

describe.skipIf(!existsSync("/usr/bin/fish"))("completion in a real fish (skipped without fish)", () => {
  async function complete(
    tools: Tools,
    line: string,
  ): Promise<{ readonly project: Project; readonly candidates: readonly string[] }> {
    const { project, env } = await makeShellProject(tools);
    const script = 'mcp-codegen completion fish | source; complete -C "mcp-codegen $argv"';
    const argv = ["--no-config", "-c", script, line];
    const { stdout } = await promisify(execFile)("/usr/bin/fish", argv, { cwd: project.dir, env });
    return { project, candidates: stdout.split("\n").filter((candidate) => candidate !== "") };
  }

  it("completes tools, options and values with descriptions", async () => {
    expect((await complete(SHOP, "call ca")).candidates).toEqual(["cancel-order\tDoes cancel-order."]);
    expect((await complete(SHOP, "check --fail-on d")).candidates).toEqual(["dangerous"]);
    expect((await complete(SHOP, "diff ")).candidates).toContain(LOCKFILE_NAME);
  });

  it("does nothing that a tool's name says", async () => {
    const { project, candidates } = await complete(HOSTILE_TOOLS, "call ");
    expect(candidates.map((candidate) => candidate.split("\t")[0]).sort()).toEqual([...OFFERED].sort());
    expect(await project.paths()).not.toContain(TOUCHED);
  });
});
