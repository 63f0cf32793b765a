import type { Dialect } from "../../src/core/schema-ir.js";

/** The dialects of the official suite's folders. */
export const DIALECTS: { readonly [draft: string]: Dialect } = {
  draft4: "draft-04",
  draft6: "draft-06",
  draft7: "draft-07",
  "draft2019-09": "2019-09",
  "draft2020-12": "2020-12",
};
