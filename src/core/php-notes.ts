/** A registration that WordPress rejected, with the reason. */
interface RefusedRegistration {
  readonly kind: "ability" | "category";
  readonly name: string;
  readonly reason: string;
  readonly file: string;
  /** 0 if unknown. */
  readonly line: number;
}

/** Notes about the PHP code of a server. */
export interface PhpNotes {
  readonly server: string;
  /** The reader, such as `php 8.3.1`. */
  readonly by: string;
  /** The number of registered abilities. */
  readonly abilities: number;
  /** Registered abilities that the server does not list as tools; absent when it lists all. */
  readonly hidden?:
    | {
        readonly abilities: readonly string[];
        /** The key that is not true in them. */
        readonly key: "meta.mcp.public" | "meta.show_in_rest";
      }
    | undefined;
  /** Locked tools of other plugins, which this PHP code does not register. */
  readonly others: readonly string[];
  /** Registrations that WordPress rejected, with the reason. */
  readonly refused: readonly RefusedRegistration[];
  /** Facts that are good to know, such as the answers of a site with which the abilities are as locked. */
  readonly notes: readonly string[];
}
