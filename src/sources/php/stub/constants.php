<?php
/** The constants that plugins read while they load. Paths are below the working folder of the process. */

namespace McpCodegen\Stub;

$root = rtrim( str_replace( '\\', '/', getcwd() ?: '/' ), '/' ) . '/';

foreach (
    array(
        'ABSPATH'              => $root,
        'WPINC'                => 'wp-includes',
        'WP_CONTENT_DIR'       => $root . 'wp-content',
        'WP_CONTENT_URL'       => 'http://localhost/wp-content',
        'WP_PLUGIN_DIR'        => $root . 'wp-content/plugins',
        'WP_PLUGIN_URL'        => 'http://localhost/wp-content/plugins',
        'PLUGINDIR'            => 'wp-content/plugins',
        'WPMU_PLUGIN_DIR'      => $root . 'wp-content/mu-plugins',
        'WPMU_PLUGIN_URL'      => 'http://localhost/wp-content/mu-plugins',
        'WP_LANG_DIR'          => $root . 'wp-content/languages',
        'WP_DEBUG'             => false,
        'WP_DEBUG_LOG'         => false,
        'WP_DEBUG_DISPLAY'     => false,
        'SCRIPT_DEBUG'         => false,
        'WP_CACHE'             => false,
        'WP_MEMORY_LIMIT'      => '256M',
        'WP_MAX_MEMORY_LIMIT'  => '256M',
        'WP_ENVIRONMENT_TYPE'  => 'local',
        'WP_POST_REVISIONS'    => true,
        'MULTISITE'            => false,
        'DB_NAME'              => 'wordpress',
        'DB_USER'              => '',
        'DB_PASSWORD'          => '',
        'DB_HOST'              => 'localhost',
        'COOKIEPATH'           => '/',
        'SITECOOKIEPATH'       => '/',
        'COOKIE_DOMAIN'        => '',
        'AUTH_KEY'             => 'stub',
        'SECURE_AUTH_KEY'      => 'stub',
        'LOGGED_IN_KEY'        => 'stub',
        'NONCE_KEY'            => 'stub',
        'AUTH_SALT'            => 'stub',
        'SECURE_AUTH_SALT'     => 'stub',
        'LOGGED_IN_SALT'       => 'stub',
        'NONCE_SALT'           => 'stub',
        'MINUTE_IN_SECONDS'    => 60,
        'HOUR_IN_SECONDS'      => 3600,
        'DAY_IN_SECONDS'       => 86400,
        'WEEK_IN_SECONDS'      => 604800,
        'MONTH_IN_SECONDS'     => 2592000,
        'YEAR_IN_SECONDS'      => 31536000,
        'KB_IN_BYTES'          => 1024,
        'MB_IN_BYTES'          => 1048576,
        'GB_IN_BYTES'          => 1073741824,
        'OBJECT'               => 'OBJECT',
        'OBJECT_K'             => 'OBJECT_K',
        'ARRAY_A'              => 'ARRAY_A',
        'ARRAY_N'              => 'ARRAY_N',
        'EP_NONE'              => 0,
        'EP_PERMALINK'         => 1,
        'EP_ROOT'              => 64,
        'EP_ALL'               => 8191,
        'REST_API_VERSION'     => '2.0',
        'REST_REQUEST'         => true,
    ) as $name => $value
) {
    if ( ! defined( $name ) ) {
        define( $name, $value );
    }
}

/** The version of WordPress that this stub imitates. A bootstrap file can set another one. */
$GLOBALS['wp_version']      = '7.1';
$GLOBALS['blog_id']         = 1;
$GLOBALS['table_prefix']    = 'wp_';
$GLOBALS['pagenow']         = 'index.php';
$GLOBALS['shortcode_tags']  = array();
$GLOBALS['wp_post_types']   = array();
$GLOBALS['wp_taxonomies']   = array();
$GLOBALS['locale']          = 'en_US';
