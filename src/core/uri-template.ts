/** One variable of a URI template. */
export interface TemplateVariable {
  readonly name: string;
  /** Whether the URI makes sense without it: it occurs only as a parameter, as in `{?page}` or `{&page}`. */
  readonly isOptional: boolean;
  /** Whether it may be a list: it has the modifier `*` everywhere. */
  readonly isList: boolean;
}

/** An expression: an operator, and what follows it. The operators `= , ! @ |` are reserved. */
const EXPRESSION = /^([+#./;?&]?)(.*)$/s;
const VARIABLE =
  /^((?:[A-Za-z\d_]|%[\dA-Fa-f]{2})(?:\.?(?:[A-Za-z\d_]|%[\dA-Fa-f]{2}))*)(\*|:[1-9]\d{0,3})?$/;
const LONGEST_VARIABLE = 200;
const MOST_VARIABLES = 100;

/**
 * Returns the variables of a URI template (RFC 6570, level 4) in the order of their first use, or the reason why it is not valid.
 * Literals are not checked: an expansion encodes what a URI must not contain.
 */
export function parseUriTemplate(template: string): readonly TemplateVariable[] | { readonly fault: string } {
  const found = new Map<string, TemplateVariable>();
  // Between braces and outside them alternate, if the braces do.
  const parts = template.split(/([{}])/);
  for (let at = 1; at < parts.length; at += 4) {
    const expression = parts[at + 1] ?? "";
    if (parts[at] !== "{" || parts[at + 2] !== "}") return { fault: "its braces do not match" };
    const [, operator = "", list = ""] = EXPRESSION.exec(expression) ?? [];
    for (const text of list.split(",")) {
      const [, name, modifier] = (text.length <= LONGEST_VARIABLE && VARIABLE.exec(text)) || [];
      if (name === undefined) return { fault: `${quote(expression)} is not an expression` };
      const before = found.get(name);
      found.set(name, {
        name,
        isOptional: (operator === "?" || operator === "&") && before?.isOptional !== false,
        isList: modifier === "*" && before?.isList !== false,
      });
      if (found.size > MOST_VARIABLES) return { fault: `it has more than ${MOST_VARIABLES} variables` };
    }
  }
  return [...found.values()];
}

function quote(expression: string): string {
  return JSON.stringify(`{${expression.slice(0, 50)}}`);
}
