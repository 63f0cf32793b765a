<?php
/** The options and roles of a new site, made by WordPress itself. The first must-use plugin. */

namespace McpCodegen\Core;

// WordPress has it in a file that loads all of wp-admin.
function __get_option( $name ) {
    return get_option( $name );
}

// WordPress defines it after it has loaded the plugins.
preg_match( "/'WP_DEFAULT_THEME',\s*'([\w-]+)'/", (string) file_get_contents( ABSPATH . WPINC . '/default-constants.php' ), $match );
define( 'WP_DEFAULT_THEME', $match[1] ?? 'default' );
// In this namespace, since plugins may load the file too.
eval( 'namespace ' . __NAMESPACE__ . '; use WP_Theme; ?>' . file_get_contents( ABSPATH . 'wp-admin/includes/schema.php' ) );
populate_options();
populate_roles();
update_option( 'admin_email', 'admin@example.org' );
update_option( 'blogname', 'WordPress' );
update_option( 'permalink_structure', '/%year%/%monthnum%/%day%/%postname%/' );
wp_cache_flush();
// WordPress registers linked folders itself, but no linked files.
$GLOBALS['wp_plugin_paths'] = Watch::$folders;
