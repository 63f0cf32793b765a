import { spawn } from "node:child_process";
import process from "node:process";

/** Opens a web page in the user's browser, without a shell. Never fails: the address is printed too. */
export function openBrowser(url: URL, env: NodeJS.ProcessEnv): void {
  const [command, ...args] = browserCommand(env);
  const child = spawn(command, [...args, url.href], { stdio: "ignore", detached: true, env });
  child.on("error", () => undefined);
  child.unref();
}

function browserCommand({ BROWSER: browser = "" }: NodeJS.ProcessEnv): readonly [string, ...string[]] {
  if (browser !== "") return [browser];
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler"] : ["xdg-open"];
}
