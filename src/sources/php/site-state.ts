import type { JsonObject, JsonValue } from "../../core/json.js";

/** Other answers than those of a new site, by question. */
export type Answers = Readonly<Record<string, JsonValue>>;

interface SiteState {
  /** A pattern of the names in PHP that depend on the state. */
  readonly names: string;
  /** Other states than that of a new site. */
  readonly others: readonly JsonValue[];
  /** PHP that makes another state, which is loaded before the plugins. */
  readonly php?: string;
  /** The setting that decides it, if it is configured. */
  readonly setting?: { readonly [kind in "constant" | "option"]?: string };
}

const NEW_THEME = "a block theme";

/** The states of a site that plugins read where WordPress has no hook, by question. */
export const SITE_STATES: Readonly<Record<string, SiteState>> = {
  'get_option("home")': {
    names: "plugins_url|plugin_dir_url|content_url|WP_CONTENT_URL|WP_PLUGIN_URL",
    others: [],
  },
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
    others: ["those of another plugin"],
    php: `add_filter( 'option_wp_user_roles', function ( $roles ) {
      $roles['another'] = array( 'name' => 'Another', 'capabilities' => array() );
      foreach ( $roles as $name => $role ) { $roles[ $name ]['capabilities']['another'] = true; }
      return $roles;
    } );`,
    setting: { option: "wp_user_roles" },
  },
  "get_post_types()": {
    names:
      "get_post_types|get_post_stati|get_taxonomies|get_object_taxonomies|get_allowed_mime_types|get_registered_settings|WP_Block_Type_Registry",
    others: ["those of another plugin"],
    php: `add_action( 'init', function () {
      $public = array( 'public' => true, 'show_in_rest' => true );
      register_post_type( 'another', $public );
      register_taxonomy( 'another_tax', get_post_types(), $public );
      register_post_status( 'another', $public );
      register_setting( 'general', 'another', array( 'type' => 'string', 'show_in_rest' => true ) );
      register_block_type( 'another/one' );
      add_filter( 'upload_mimes', function ( $types ) { return array( 'another' => 'text/x-another' ) + $types; } );
    } );`,
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

/** Says how a configuration answers a question. */
export function sayHowToAnswer(question: string): string {
  const { constant, option } = SITE_STATES[question]?.setting ?? {};
  if (constant !== undefined) return `set php.constants.${constant}`;
  if (option === "stylesheet") return "set php.theme";
  if (option !== undefined || question.startsWith("get_option(")) return "set php.options";
  if (question.startsWith("defined(")) return "set php.constants";
  if (/^\w+_exists\(/.test(question)) return "load it with php.bootstrap";
  return "read the site itself with php.wordpress or php.command";
}

/** Returns the questions that the configuration answers. */
export function settledBy(options: JsonObject, constants: JsonObject): readonly string[] {
  const states = Object.entries(SITE_STATES).filter(
    ([, { setting: { constant = "", option = "" } = {} }]) =>
      Object.hasOwn(constants, constant) || Object.hasOwn(options, option),
  );
  return [...Object.keys(options).map((name) => `get_option("${name}")`), ...states.map(([state]) => state)];
}
