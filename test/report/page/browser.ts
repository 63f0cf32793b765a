/** A headless Chromium, driven by the DevTools protocol over a pipe, which needs no package and no port. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import { CHROMIUM } from "../../find-program.js";
import { findOwn, type JsonObject, type JsonValue } from "../../../src/core/json.js";

export interface Tab {
  readonly open: (url: string) => Promise<void>;
  /** Returns the JSON value of an expression in the page. */
  readonly evaluate: (expression: string) => Promise<JsonValue | undefined>;
  readonly press: (...keys: readonly string[]) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  readonly resize: (width: number, height: number) => Promise<void>;
  readonly preferDark: (isDark: boolean) => Promise<void>;
  readonly screenshot: (file: string) => Promise<void>;
  readonly print: () => Promise<void>;
  /** Everything that must not happen: requests, errors, and violations of the page's policy. */
  readonly incidents: readonly string[];
}

interface Browser {
  readonly send: ReturnType<typeof openPipe>["send"];
  readonly on: ReturnType<typeof openPipe>["on"];
  readonly close: () => Promise<void>;
}

let browser: Promise<Browser> | undefined;

/** Ends the browser of a file's tests. */
export async function closeBrowser(): Promise<void> {
  const started = browser;
  browser = undefined;
  await (await started)?.close();
}

async function startBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("Chromium is not installed.");
  const profile = await mkdtemp(join(tmpdir(), "mcp-codegen-chromium-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"];
  const child = spawn(CHROMIUM, [...flags, "--remote-debugging-pipe", `--user-data-dir=${profile}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const ended = new Promise((done) => child.once("exit", done));
  const close = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  const [, , , input, output] = child.stdio;
  if (!(input instanceof Writable) || !(output instanceof Readable))
    throw new Error("Chromium has no pipes.");
  return { ...openPipe(input, output), close };
}

/** Opens a tab, which closes with the test, with storage of its own. The tests of a file share one browser. */
export async function openTab(): Promise<Tab> {
  const { send, on } = await (browser ??= startBrowser());
  const { browserContextId } = await send("Target.createBrowserContext");
  const { targetId } = await send("Target.createTarget", {
    url: "about:blank",
    browserContextId: browserContextId ?? null,
  });
  onTestFinished(async () => {
    await send("Target.disposeBrowserContext", { browserContextId: browserContextId ?? null });
  });
  const { sessionId } = await send("Target.attachToTarget", { targetId: targetId ?? null, flatten: true });
  const sessionText = typeof sessionId === "string" ? sessionId : "";
  const call = (method: string, params: JsonObject = {}): Promise<JsonObject> =>
    send(method, params, sessionText);
  const incidents: string[] = [];
  const listen = (method: string, listener: Listener): void => {
    on(method, (params, session) => {
      if (session === sessionText) listener(params);
    });
  };
  listen("Network.requestWillBeSent", (params) => {
    const url = findOwn(findOwn(params, "request"), "url");
    if (typeof url === "string" && !/^(?:data|about):/.test(url)) incidents.push(`request ${url}`);
  });
  let onLoad = (): void => undefined;
  listen("Page.loadEventFired", () => {
    onLoad();
  });
  listen("Runtime.exceptionThrown", (params) => incidents.push(`error ${JSON.stringify(params)}`));
  listen("Log.entryAdded", (params) => incidents.push(`log ${JSON.stringify(params)}`));
  await Promise.all(["Page", "Runtime", "Network", "Log"].map((domain) => call(`${domain}.enable`)));
  const evaluate = async (expression: string): Promise<JsonValue | undefined> => {
    const answer = await call("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (answer["exceptionDetails"] !== undefined) throw new Error(JSON.stringify(answer["exceptionDetails"]));
    return findOwn(answer["result"], "value");
  };
  let isSized = "true";
  let isDarkAsAsked = "true";
  /** Waits for the renderer, which hears of a size and of a colour later than the browser, for each page. */
  const settle = async (): Promise<void> => {
    await evaluate(
      `new Promise((done) => { const look = () => ${isSized} && ${isDarkAsAsked} ? done() : requestAnimationFrame(look); requestAnimationFrame(look); })`,
    );
  };
  return {
    incidents,
    evaluate,
    open: async (url) => {
      // A change of the fragment alone would load nothing.
      for (const each of ["about:blank", url]) {
        const loaded = new Promise<void>((done) => {
          onLoad = done;
        });
        await call("Page.navigate", { url: each });
        await loaded;
      }
      await settle();
      // The page's own file.
      const own = incidents.indexOf(`request ${url.replace(/#.*$/, "")}`);
      if (own >= 0) incidents.splice(own, 1);
    },
    press: async (...keys) => {
      for (const key of keys) {
        const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
        const code = KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0);
        const event = { key, windowsVirtualKeyCode: code, ...(text !== undefined && { text }) };
        await call("Input.dispatchKeyEvent", { type: "keyDown", ...event });
        await call("Input.dispatchKeyEvent", { type: "keyUp", ...event });
      }
    },
    type: async (text) => {
      await call("Input.insertText", { text });
    },
    resize: async (width, height) => {
      await call("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      });
      isSized = `innerWidth === ${width} && innerHeight === ${height}`;
      await settle();
    },
    preferDark: async (isDark) => {
      const value = isDark ? "dark" : "light";
      await call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
      isDarkAsAsked = `matchMedia("(prefers-color-scheme: ${value})").matches`;
      await settle();
    },
    screenshot: async (file) => {
      const { data } = await call("Page.captureScreenshot", { format: "png" });
      await writeFile(file, Buffer.from(typeof data === "string" ? data : "", "base64"));
    },
    print: async () => {
      await call("Page.printToPDF");
    },
  };
}

const KEY_CODES: Readonly<Record<string, number>> = {
  Enter: 13,
  Escape: 27,
  ArrowDown: 40,
  ArrowUp: 38,
  Tab: 9,
  "/": 191,
};

type Listener = (params: JsonValue | undefined, sessionId?: JsonValue) => void;

/** Messages are JSON texts that end with a zero byte. */
function openPipe(
  input: Writable,
  output: Readable,
): {
  readonly send: (method: string, params?: JsonObject, sessionId?: string) => Promise<JsonObject>;
  readonly on: (method: string, listener: Listener) => void;
} {
  const waiting = new Map<JsonValue | undefined, (message: JsonObject) => void>();
  const listeners = new Map<string, Set<Listener>>();
  let rest = Buffer.alloc(0);
  let last = 0;
  output.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const message = JSON.parse(rest.subarray(0, end).toString("utf8")) as JsonObject;
      rest = rest.subarray(end + 1);
      waiting.get(message["id"])?.(message);
      const { method, params, sessionId } = message;
      for (const listener of (typeof method === "string" ? listeners.get(method) : undefined) ?? [])
        listener(params, sessionId);
    }
  });
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        last += 1;
        const id = last;
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id);
          if (error !== undefined) reject(new Error(`${method}: ${JSON.stringify(error)}`));
          else resolve((result ?? {}) as JsonObject);
        });
        input.write(
          `${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`,
        );
      }),
    on: (method, listener) => {
      listeners.set(method, (listeners.get(method) ?? new Set()).add(listener));
    },
  };
}
