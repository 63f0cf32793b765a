/**
 * The part of a schema that the runtime uses: Standard Schema v1. A structural type, so that any copy of Zod 4 fits. Only
 * its issues are used, except with `defaults: "parse"`. The original value is sent or returned, since a schema may rebuild
 * objects and lose keys such as `__proto__`.
 */
export interface Schema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<T> | Promise<Validated<T>>;
    /** Standard JSON Schema 1, which Zod implements since 4.2. */
    readonly jsonSchema?: {
      readonly input: (options: JsonSchemaOptions) => unknown;
      readonly output: (options: JsonSchemaOptions) => unknown;
    };
  };
}

interface JsonSchemaOptions {
  readonly target: "draft-2020-12";
  readonly libraryOptions?: { readonly [name: string]: unknown };
}

export type Validated<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** An issue with a value, and its path. */
export interface Issue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}
