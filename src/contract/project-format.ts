/** What a project formats its files with. */
export interface ProjectFormat {
  /** Whether the project configures Prettier or lists it as a dependency. */
  readonly usesPrettier: boolean;
  /** The URL of the Prettier that the project has installed. */
  readonly prettier?: string;
  /** Whether an `.editorconfig` applies. */
  readonly hasEditorConfig: boolean;
}
