/** The keys and indices that lead from the root of a document to a value. */
export type KeyPath = readonly (string | number)[];

/** A place in a JSON document as people write it: `servers.shop.tools["get-post"].digest`, `args[0]`. */
export function formatKeyPath(path: KeyPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number" || !/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
