import { describe, expect, it } from "vitest";
import { parseServerArgument } from "../../src/config/parse-server-argument.js";

describe("parseServerArgument", () => {
  it.each([
    ["npx -y @modelcontextprotocol/server-filesystem .", "filesystem"],
    ["npx -y @sentry/mcp-server@latest --host x", "sentry"],
    ["npx --package=@scope/tools mcp-server-git", "git"],
    ["npx --api-key ${KEY} some-server", "some"],
    ["npx mcp-codegen example-server", "example"], // as init --example names it
    ["npx -y mcp-codegen@0.1.0 example-server --next", "example"],
    ["node bin/mcp-codegen.js example-server", "example"],
    ["npx playwright run-mcp-server", "playwright"],
    ["npx firebase-tools mcp", "firebase_tools"],
    ["npx -y @scope/server-foo", "foo"],
    ["npx -y @scope/server-foo start-server", "foo"],
    ["npm exec -- @upstash/context7-mcp", "context7"],
    ["uvx mcp-server-time==1.2", "time"],
    ["docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:1.2", "github"],
    ["node dist/index.js", "index"],
    ["node packages/shop/dist/index.js", "shop"],
    ["python3 -m weather_server", "weather"],
    ["wp mcp-adapter serve --user=admin", "adapter"],
    ["./my-server", "my"],
    ["/usr/local/bin/GitHubTools", "git_hub_tools"],
    ["https://mcp.linear.app/sse", "linear"],
    ["https://api.githubcopilot.com/mcp/", "githubcopilot"],
    ["http://localhost:8001/wp-json/mcp/x", "localhost"],
    ["http://127.0.0.1:80/mcp", "server_127_0_0_1"],
  ])("names %s %s", (text, name) => {
    expect(parseServerArgument(text).name).toBe(name);
  });

  it.each<[string, string, readonly string[]]>([
    ["npx  -y\tx", "npx", ["-y", "x"]],
    [`node "my server.js" 'a "b"' c\\ d ""`, "node", ["my server.js", 'a "b"', "c d", ""]],
    [`x "a\\"b\\c" '$HOME' $HOME`, "x", ['a"b\\c', "$HOME", "$HOME"]],
    ["C:\\tools\\server.exe --path C:\\data", "C:\\tools\\server.exe", ["--path", "C:\\data"]],
  ])("splits %s like a shell, without expansion", (text, command, args) => {
    expect(parseServerArgument(text).settings).toEqual({ command, args });
  });

  it("reads assignments before the command as its environment", () => {
    expect(parseServerArgument("DEBUG=1 A='b c' node x.js").settings).toEqual({
      command: "node",
      args: ["x.js"],
      env: { DEBUG: "1", A: "b c" },
    });
  });

  it("keeps a URL unchanged", () => {
    expect(parseServerArgument(" https://x.example/mcp?a=${B} ").settings).toEqual({
      url: "https://x.example/mcp?a=${B}",
    });
  });

  it.each(["", "  ", "A=1", 'npx "x'])("rejects %j", (text) => {
    expect(() => parseServerArgument(text)).toThrow(expect.objectContaining({ code: "USAGE" }) as Error);
  });
});
