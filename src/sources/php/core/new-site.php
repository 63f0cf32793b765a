<?php
/** The options and roles of a new site, made by WordPress itself. The first must-use plugin. */

namespace McpCodegen\Core;

// WordPress defines it after it has loaded the plugins.
preg_match( "/'WP_DEFAULT_THEME',\s*'([\w-]+)'/", (string) file_get_contents( ABSPATH . WPINC . '/default-constants.php' ), $match );
define( 'WP_DEFAULT_THEME', $match[1] ?? 'default' );
// In this namespace, since plugins may load the file too, and without a function that only all of wp-admin has.
eval( 'namespace ' . __NAMESPACE__ . '; use WP_Theme; ?>' . str_replace( '__get_option', 'get_option', file_get_contents( ABSPATH . 'wp-admin/includes/schema.php' ) ) );
populate_options();
populate_roles();
update_option( 'admin_email', 'admin@example.org' );
update_option( 'blogname', 'WordPress' );
update_option( 'permalink_structure', '/%year%/%monthnum%/%day%/%postname%/' );
wp_cache_flush();
// WordPress registers linked folders itself, but no linked files.
$GLOBALS['wp_plugin_paths'] = Watch::$folders;
