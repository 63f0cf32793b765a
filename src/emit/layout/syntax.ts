/** The TypeScript that generated modules are made of, and nothing beyond. */
export type Expression =
  | { readonly kind: "name" | "constant" | "number" | "string"; readonly text: string }
  /** A negative number. */
  | { readonly kind: "negative"; readonly text: string }
  | {
      readonly kind: "call";
      readonly isNew: boolean;
      readonly callee: Expression;
      readonly arguments: readonly Expression[];
    }
  | { readonly kind: "member"; readonly object: Expression; readonly name: string }
  | {
      readonly kind: "object";
      readonly members: readonly Member[];
      /** Whether it was written with a line break before its first member: Prettier keeps that. */
      readonly isBroken: boolean;
    }
  | { readonly kind: "array"; readonly items: readonly Expression[] }
  | { readonly kind: "arrow"; readonly body: Expression };

export interface Member {
  /** Absent for a shorthand. */
  readonly key?: Key;
  readonly value: Expression;
}

export interface Key {
  /** As it was written, with its quotes. */
  readonly text: string;
  readonly isComputed: boolean;
}

export type Type =
  | { readonly kind: "keyword" | "literal"; readonly text: string }
  | { readonly kind: "reference"; readonly name: string; readonly arguments: readonly Type[] }
  | { readonly kind: "union" | "intersection" | "tuple"; readonly types: readonly Type[] }
  | { readonly kind: "list"; readonly item: Type }
  /** `typeof import("./a.js")` */
  | { readonly kind: "module"; readonly from: string }
  | { readonly kind: "shape"; readonly members: readonly Signature[]; readonly isBroken: boolean };

/** A property of a type, or an index signature. */
export interface Signature {
  readonly comments: readonly Comment[];
  readonly isReadonly: boolean;
  readonly key: Key;
  /** In an index signature: the type of the keys. */
  readonly keyType?: Type;
  readonly isOptional: boolean;
  readonly type: Type;
}

/** The call of an interface: `(input: Input, options?: Options): Answer`. */
export interface CallSignature {
  readonly comments: readonly Comment[];
  readonly parameters: readonly Signature[];
  readonly type: Type;
}

export interface Comment {
  readonly text: string;
  /** Whether an empty line follows. */
  readonly isApart: boolean;
}

export interface Statement {
  readonly comments: readonly Comment[];
  readonly body: StatementBody;
  /** Whether an empty line follows. */
  readonly isApart: boolean;
}

export type StatementBody =
  | {
      readonly kind: "names";
      readonly keyword: "import" | "export";
      readonly names: readonly string[];
      readonly from: string;
    }
  | {
      readonly kind: "star";
      readonly keyword: "import" | "export";
      readonly name: string;
      readonly from: string;
    }
  | {
      readonly kind: "interface";
      readonly isExported: boolean;
      readonly name: string;
      readonly base?: Type;
      readonly members: readonly (Signature | CallSignature)[];
    }
  | { readonly kind: "alias"; readonly isExported: boolean; readonly name: string; readonly type: Type }
  | {
      readonly kind: "const";
      readonly isExported: boolean;
      readonly name: string;
      readonly type: Type;
      /** A comment before the value, on its line. */
      readonly note: string;
      readonly value: Expression;
      /** Whether the type of the value is set aside: `as never`. */
      readonly isUntyped: boolean;
    }
  /** A function of at most one parameter that does nothing but return. */
  | {
      readonly kind: "function";
      readonly isExported: boolean;
      readonly name: string;
      readonly parameter?: Signature;
      readonly type: Type;
      readonly value: Expression;
    };
