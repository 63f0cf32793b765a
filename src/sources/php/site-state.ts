import type { JsonObject, JsonValue } from "../../core/json.js";

/** Other answers than those of a new site, by question. */
export type Answers = Readonly<Record<string, JsonValue>>;

interface SiteState {
  /** A pattern of the names in PHP that tell it. */
  readonly names: string;
  /** Other states than that of a new site. */
  readonly others: readonly JsonValue[];
  /** The setting that decides it, if it is configured. */
  readonly setting?: { readonly [kind in "constant" | "option"]?: string };
}

const NEW_THEME = "a block theme";

/** What plugins read of a site in ways that no hook of WordPress sees, by question. */
export const SITE_STATES: Readonly<Record<string, SiteState>> = {
  "is_multisite()": { names: "is_multisite", others: [true], setting: { constant: "MULTISITE" } },
  "is_user_logged_in()": {
    names: "is_user_logged_in|get_current_user_id|wp_get_current_user",
    others: [true],
  },
  "wp_get_environment_type()": {
    names: "wp_get_environment_type",
    others: ["local", "development", "staging"],
    setting: { constant: "WP_ENVIRONMENT_TYPE" },
  },
  WP_DEBUG: { names: "WP_DEBUG", others: [true], setting: { constant: "WP_DEBUG" } },
  SCRIPT_DEBUG: { names: "SCRIPT_DEBUG", others: [true], setting: { constant: "SCRIPT_DEBUG" } },
  "wp_roles()": {
    names: "wp_roles|get_editable_roles|get_role|WP_Roles",
    others: [true],
    setting: { option: "wp_user_roles" },
  },
  "wp_get_theme()": {
    names:
      "wp_get_theme|wp_is_block_theme|current_theme_supports|get_theme_support|get_registered_nav_menus|get_intermediate_image_sizes|WP_Block_Patterns_Registry|wp_registered_sidebars",
    others: [NEW_THEME],
    setting: { option: "stylesheet" },
  },
};

/** Returns the constants that give a site these states. */
export function constantsOf(answers: Answers): JsonObject {
  return Object.fromEntries(
    Object.entries(answers).flatMap(([question, answer]) => {
      const name = SITE_STATES[question]?.setting?.constant;
      return name === undefined ? [] : [[name, answer]];
    }),
  );
}

/** Returns the questions that the configuration answers. */
export function settledBy(options: JsonObject, constants: JsonObject): readonly string[] {
  const states = Object.entries(SITE_STATES).filter(
    ([, { setting: { constant = "", option = "" } = {} }]) =>
      Object.hasOwn(constants, constant) || Object.hasOwn(options, option),
  );
  return [...Object.keys(options).map((name) => `get_option("${name}")`), ...states.map(([state]) => state)];
}
