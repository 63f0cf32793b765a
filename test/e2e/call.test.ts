import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { fixtureCommand } from "../servers/start-fixture.js";
import { runCommand, type Outcome } from "../cli/run-command.js";
import { BIN } from "../serve/start-serve.js";
import { EXAMPLE, makePulled, type Project } from "./make-project.js";

const WRITES = { MCP_CODEGEN_ENABLE_WRITES: "1" };

const pulled = (servers: object, more: object = {}): Promise<Project> => makePulled({ servers, ...more });

describe("call", () => {
  it("calls a read-only tool with flags from its schema, and prints the result", async () => {
    const { run, runJson } = await pulled({ example: EXAMPLE });
    const flags = ["--per_page", "2", "--order_by=title"];
    const { exitCode, stdout, stderr } = await run(["call", "list-posts", ...flags]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const result = JSON.parse(stdout) as { readonly posts: readonly object[] };
    expect(result.posts).toHaveLength(2);
    // Options of call may precede or follow the tool's name.
    const { document } = await runJson(["call", "--no-color", "example__list-posts", ...flags]);
    const tool = { tool: "list-posts", server: "example" };
    expect(document).toEqual({ report: "call", exitCode: 0, ...tool, result });
  });

  it("prints what is invalid, before anything is sent", async () => {
    const { refuses, reports } = (await pulled({ example: EXAMPLE })).withEnv(WRITES);
    const missing = "Required property is missing";
    const issues = [{ path: ["content"], message: missing }, { path: ["featured_image", "url"] }];
    const deep = "call create-post --title Hello --featured_image {}";
    await reports(deep, { exitCode: 2, error: { code: "TOOL_INVALID_INPUT", issues } });
    await refuses(deep, `\n       --content: ${missing}\n       featured_image.url: `);
    const rows = [
      ["create-post --title Hello", 'Invalid arguments for tool "create-post"; nothing was sent.', `\n       --content: ${missing}`],
      ["create-post --featured_image.url x", "--featured_image.url is not a flag of this tool; did you mean --featured_image?", ""],
      ["list-posts --per_pge 2", "--per_pge is not a flag of this tool; did you mean --per_page?", ""],
    ] as const; // prettier-ignore
    for (const [line, error, more] of rows) {
      const help = `hint: Run "npx mcp-codegen call ${line.split(" ")[0] ?? ""} --help".`;
      expect((await refuses(`call ${line}`)).stderr).toBe(`error: ${error}${more}\n${help}\n`);
    }
  });

  it("accepts names of generated code, and suggests tools for an unknown name", async () => {
    const { reports, refuses } = await pulled({
      example: { ...EXAMPLE, tools: { stripPrefix: "list-", rename: { "get-post": "readPost" } } },
    });
    const names = { createPost: "create-post", posts: "list-posts", "example.posts": "list-posts" };
    for (const [name, tool] of [...Object.entries(names), ["readPost", "get-post"] as const])
      await reports(`describe ${name}`, { exitCode: 0, tools: [{ name: tool }] });
    await reports("call posts --per_page 1", { exitCode: 0, tool: "list-posts" });
    // "getPost" would have been its name without rename.
    const near = { "list-post": "list-posts", raedPost: "get-post", getPost: "get-post" };
    for (const [name, tool] of [...Object.entries(near), ["creatPost", "create-post"] as const]) {
      const hint = expect.stringContaining(`Did you mean "${tool}"`) as string;
      await reports(`call ${name}`, { exitCode: 2, error: { code: "TOOL_UNKNOWN", hint } });
    }
    // No name is near, although words of the name are in descriptions.
    const list = 'hint: Run "npx mcp-codegen list" to list all tools.';
    await refuses("call show-all-posts-of-an-author", list);
    await refuses("call");
  });

  it("needs the server's name if several servers have the tool", async () => {
    const { reports } = await pulled({ one: fixtureCommand("drifted"), two: fixtureCommand("drifted") });
    await reports("describe two.findOrders", { tools: [{ name: "two__find-orders" }] });
    const hint = 'Name one of them: "one__find-orders", "two__find-orders".';
    for (const line of ["describe findOrders", "call find-orders --state open"])
      await reports(line, { exitCode: 2, error: { code: "TOOL_UNKNOWN", hint } });
    const message = 'Invalid option: expected one of "open"|"paid"|"cancelled"';
    const error = { code: "TOOL_INVALID_INPUT", issues: [{ path: ["state"], message }] };
    await reports("call two__find-orders --state nowhere", { exitCode: 2, error });
  });

  it("rejects options on the wrong side of the tool's name", async () => {
    const { refuses } = await pulled({ example: EXAMPLE });
    await refuses("call list-posts --config other.json", "--config must precede the name of the tool.");
    await refuses("call --per_page 2 list-posts", 'Unknown option "--per_page"');
    await refuses("call list-posts --timeout", "--timeout needs a value.");
    await refuses("call list-posts --timeout soon", "--timeout takes a number from 0.001 to 999999");
    await refuses("call list-posts --yes=no", "--yes takes no value.");
  });

  it.each([
    ["reads", "hint: Raise --timeout if it needs longer."],
    ["writes", "hint: The tool may have run: check that before you call it again. --timeout waits longer."],
  ])("names --timeout when that ended a call that %s", async (effect, hint) => {
    const { run } = await pulled({
      slow: fixtureCommand("slow", "--at", "call", "--delay", "60000", "--effect", effect),
    });
    const { stderr } = await run("call wait --id 1 --yes --timeout 0.1", WRITES);
    expect(stderr).toContain("did not answer tools/call within 100 ms");
    expect(stderr).toContain(hint);
  });

  it("passes parameters with the name of an option to the tool", async () => {
    const project = await pulled({ odd: fixtureCommand("own-options") });
    const echo = async (line: string): Promise<unknown> =>
      JSON.parse((await project.run(`call ${line}`)).stdout) as unknown;
    const named = { json: true, input: "x", env: "y", help: true, yes: true, config: "z" };
    expect(await echo("echo --json --input x --env=y --help --yes config=z")).toEqual(named);
    const before = '{"env":"before"}';
    expect(await echo(`--input ${before} echo`)).toEqual({ env: "before" });
    const document = { report: "call", result: { env: "before", json: false } };
    expect(await echo(`--json --input ${before} echo --json=false`)).toMatchObject(document);
  });

  it("calls in an environment, with its settings", async () => {
    const own = fixtureCommand("own-options");
    const shop = { ...own, environments: { sandbox: { env: { WHERE: "sandbox" } } } };
    const { prints, reports, refuses } = await pulled({ shop });
    const parts = { exitCode: 0, environment: "sandbox", result: "sandbox" };
    await reports("call --env sandbox where", parts);
    await prints("call where --env sandbox", 0, /^sandbox\n$/);
    await prints("call where", 0, /^nowhere\n$/);
    await refuses("call where --env staging", 'has no environment "staging"');
    const other = await pulled({ shop: own });
    await other.refuses("call where --env sandbox", 'servers.shop has no environment "sandbox".');
  });

  it("exits 3 for an unreachable server, 2 for a missing variable, 1 for a failing tool", async () => {
    const environments = { away: { url: "http://127.0.0.1:9/mcp" }, unset: { url: "${NOWHERE}" } };
    const away = { ...fixtureCommand("rich-content"), environments };
    const { reports } = (await pulled({ away })).withEnv(WRITES);
    const failed = { code: "TOOL_EXECUTION_FAILED", message: 'Tool "error" failed: The station is offline.' };
    for (const [line, exitCode, error] of [
      ["--env away nothing", 3, { code: "TOOL_UNAVAILABLE" }],
      ["--env unset nothing", 2, { code: "VARIABLE_MISSING" }],
      ["error", 1, failed],
      ["structured-mismatch", 1, { code: "TOOL_INVALID_OUTPUT" }],
    ] as const)
      await reports(`call --yes ${line}`, { report: exitCode === 2 ? "error" : "call", exitCode, error });
  });

  it("prints a result with unknown keys and names them on stderr, unless the server is strict", async () => {
    const { run } = await pulled({ rich: fixtureCommand("rich-content") });
    const { exitCode, stdout, stderr } = await run("call --yes structured-unknown-key", WRITES);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ celsius: 21, wind: "mild" });
    expect(stderr).toBe(
      'The result has keys that the locked output schema does not allow: wind,rain [2J. Run "npx mcp-codegen check rich".\n',
    );
    const environments = { next: { env: {} } };
    const strict = await pulled({
      rich: { ...fixtureCommand("rich-content"), validateOutput: "strict", environments },
    });
    const unfit = await strict.withEnv(WRITES).prints("call --yes --env next structured-unknown-key", 1);
    // Another environment may keep to the lock.
    expect(unfit.stderr.match(/check rich --env next"/g)).toHaveLength(2);
  });

  it("prints the digits of the server, and names the numbers that programs get rounded", async () => {
    const { run, runJson } = await pulled({ raw: fixtureCommand("raw-answers") });
    const json = '{"Id":1234567890123456789}';
    const text = JSON.stringify(json);
    const warning = (tool: string): string =>
      `The answer of tool "${tool}" has numbers that JavaScript rounds, at "/Id".\n`;
    for (const tool of ["structured", "plain"]) {
      const raw = `{"content":[],"structuredContent":${json}}`;
      const { exitCode, stdout, stderr } = await run(["call", tool, "--raw", raw]);
      expect({ exitCode, stdout, stderr }).toEqual({
        ...{ exitCode: 0, stderr: warning(tool) },
        stdout: '{\n  "Id": 1234567890123456789\n}\n',
      });
      expect((await run(["--json", "call", tool, "--raw", raw])).stdout).toContain("1234567890123456789");
    }
    const beside = `{"content":[{"type":"text","text":"1 item"}],"structuredContent":${json}}`;
    expect((await run(["call", "plain", "--raw", beside])).stdout).toBe(
      '1 item\n{\n  "Id": 1234567890123456789\n}\n',
    );
    const same = `{"content":[{"type":"text","text":${text}}],"structuredContent":${json}}`;
    expect((await run(["call", "plain", "--raw", same])).stdout).toBe(`${json}\n`);
    const recorded = await run(["call", "--record", "raw__structured", "--raw", same]);
    expect(recorded.stderr).toContain(warning("structured"));
    const failed = `{"content":[],"isError":true,"structuredContent":{"code":"RATE_LIMITED"}}`;
    expect((await run(["call", "plain", "--raw", failed])).stderr).toContain(
      'failed: {"code":"RATE_LIMITED"}',
    );
    const { exitCode, document } = await runJson("call take id:=1234567890123456789");
    expect({ exitCode, document }).toMatchObject({ exitCode: 2, document: { error: { code: "USAGE" } } });
  });

  it("sends arguments that do not fit with --validate-input warn, and asks before", async () => {
    const { run } = await pulled({ raw: fixtureCommand("raw-answers") });
    const input = '{"schema":{"title":"text"}}';
    expect((await run(["call", "closed", "--input", input])).exitCode).toBe(2);
    for (const argv of [
      ["call", "--validate-input", "warn", "closed", "--input", input],
      ["call", "closed", "--validate-input=warn", "--input", input],
    ])
      expect(await run(argv)).toMatchObject({
        ...{ exitCode: 0, stdout: `${input}\n` },
        stderr: expect.stringContaining(
          'The input of tool "closed" does not fit its schema, and is sent:',
        ) as string,
      });
    const configured = await pulled({ raw: { ...fixtureCommand("raw-answers"), validateInput: "warn" } });
    await configured.prints(["call", "closed", "--input", input], 0);
    const rich = await pulled({ everything: EXAMPLE });
    const post = ["call", "delete-post", "--validate-input", "warn", "--input", '{"id":"one"}'];
    await rich.withEnv(WRITES).refuses(post, "requires confirmation");
  });

  it("describes images and files, and writes them with --save", async () => {
    const { dir, ...project } = (await pulled({ rich: fixtureCommand("rich-content") })).withEnv(WRITES);
    for (const [line, stdout] of [
      ["mixed", "first\nimage/png, 70 bytes: not shown; --save <folder> writes it to a file\nsecond\n"],
      ["mixed --save out", "first\nimage/png, 70 bytes: out/mixed-2.png\nsecond\n"],
      ["link", "link: file:///report.pdf\n"],
      ["embedded", "A note.\n"],
      ["nothing", ""],
      ["unknown-block", 'a block of type "hologram"\n'],
      ["text-that-looks-like-json", '{"celsius":21}\n'],
    ] as const)
      expect((await project.run(`call --yes ${line}`)).stdout).toBe(stdout);
    await project.prints("call --yes audio", 0, "audio/wav, 4 bytes");
    expect((await readFile(join(dir, "out/mixed-2.png"))).subarray(1, 4).toString()).toBe("PNG");
    const { stdout } = await project.reports("call --yes mixed --save=out", {
      result: "first\nsecond",
      content: [
        { type: "text", text: "first" },
        { type: "image", mimeType: "image/png", bytes: 70, file: "out/mixed-2.png" },
        { type: "text", text: "second" },
      ],
    });
    expect(stdout).not.toContain("iVBOR");
  });

  it("shows blocks next to structured content", async () => {
    const { prints, reports } = await pulled({ odd: fixtureCommand("own-options") });
    const block = "image/png, 3 bytes: not shown; --save <folder> writes it to a file";
    await prints("call pictured", 0, `{\n  "title": "A"\n}\n${block}\n`);
    const content = [{ type: "image", mimeType: "image/png", bytes: 3 }];
    await reports("call pictured", { result: { title: "A" }, content });
  });

  it("escapes a hostile result, and keeps it with --json", async () => {
    const { run, prints } = await pulled({ odd: fixtureCommand("own-options") });
    const hostile = "\u001b[31mred\ttab\n::error::no\u202e";
    const server = { ...fixtureCommand("own-options"), env: { WHERE: hostile } };
    const other = await pulled({ odd: server });
    await other.prints("call where", 0, "\\u{1B}[31mred\ttab\n\\u{3A}:error::no\\u{202E}\n");
    expect((await other.runJson("call where")).document["result"]).toBe(hostile);
    expect((await run(["call", "echo", "--input", '{"\u001b":"x"}'])).stdout).not.toContain("\u001b");
    await prints(["call", "--json", "echo", "--input", '{"__proto__":{"a":1}}'], 0, "__proto__");
  });

  it("reads arguments from a pipe", async () => {
    const { dir } = await pulled({ example: EXAMPLE });
    const feed = (piped: string, ...flags: readonly string[]): Promise<Outcome> =>
      runCommand(["call", "list-posts", ...flags], { cwd: dir, piped });
    const count = async (...args: Parameters<typeof feed>): Promise<number> =>
      (JSON.parse((await feed(...args)).stdout) as { readonly posts: readonly unknown[] }).posts.length;
    expect(await count('{"per_page":1}')).toBe(1);
    // With flags, stdin is not read; with --input -, flags override the piped arguments.
    expect(await count("nonsense", "--per_page", "2")).toBe(2);
    expect(await count('{"per_page":1}', "--order_by", "title", "--input", "-")).toBe(1);
    expect(await count('{"per_page":1}', "--per_page", "2", "--input", "-")).toBe(2);
    expect(await feed("{nonsense")).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it("reads a megabyte from a pipe of the real program, and writes it", async () => {
    const { dir } = await pulled({ odd: fixtureCommand("own-options") });
    const env = "x".repeat(1_000_000);
    const child = execFile(process.execPath, [BIN, "call", "--json", "echo"], { cwd: dir, maxBuffer: 1e8 });
    child.stdin?.end(JSON.stringify({ env }));
    const stdout = child.stdout === null ? "" : text(child.stdout);
    expect(await Promise.all([stdout, once(child, "close")])).toEqual([
      expect.stringContaining(env),
      [0, null],
    ]);
  });
});
