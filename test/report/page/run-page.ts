/** Runs the script of a page without a browser, on the few parts of a document that it uses. */
import { createContext, runInContext } from "node:vm";

class Element {
  readonly childNodes: (Element | string)[] = [];
  readonly dataset: Record<string, string> = {};
  readonly style: Record<string, string> = {};
  readonly classList = { add: (): void => undefined };
  readonly #attributes = new Map<string, string>();
  value = "";

  get textContent(): string {
    return this.childNodes.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }
  set textContent(text: string) {
    this.childNodes.splice(0, Infinity, text);
  }
  get children(): readonly Element[] {
    return this.childNodes.filter((child) => typeof child !== "string");
  }
  append(...children: readonly (Element | string)[]): void {
    this.childNodes.push(...children);
  }
  appendChild(child: Element | string): void {
    this.childNodes.push(child);
  }
  prepend(...children: readonly (Element | string)[]): void {
    this.childNodes.unshift(...children);
  }
  replaceChildren(...children: readonly (Element | string)[]): void {
    this.childNodes.splice(0, Infinity, ...children);
  }
  setAttribute(name: string, value: string): void {
    this.#attributes.set(name, value);
  }
  toggleAttribute(): void {}
  removeAttribute(): void {}
  addEventListener(): void {}
  focus(): void {}
  contains(): boolean {
    return false;
  }
  querySelector(): null {
    return null;
  }
  querySelectorAll(): readonly Element[] {
    return [];
  }
}

/** Returns the text that a page shows at an address. Throws what its script throws. */
export function textOfPage(html: string, hash: string): string {
  const data = new Element();
  data.append(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "");
  const script = /<script[^>]*>(?!\{)((?:(?!<\/script>).)*mcp-codegen-ready.*?)<\/script>/s.exec(html)?.[1];
  if (script === undefined) throw new Error("The page has no script.");
  const body = new Element();
  const marks: string[] = [];
  const context = createContext({
    Node: Element,
    // No element is an input or a disclosure.
    HTMLInputElement: Map,
    HTMLDetailsElement: Map,
    Intl,
    location: { hash },
    localStorage: { getItem: () => null },
    matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
    performance: { mark: (name: string) => marks.push(name) },
    addEventListener: () => undefined,
    document: {
      body,
      documentElement: new Element(),
      activeElement: null,
      getElementById: () => data,
      createElement: () => new Element(),
      createTextNode: (text: string) => text,
      querySelector: () => null,
    },
  });
  runInContext(script, context);
  if (!marks.includes("mcp-codegen-ready")) throw new Error("The page did not get ready.");
  return body.textContent;
}
