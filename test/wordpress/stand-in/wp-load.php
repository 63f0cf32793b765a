<?php
/**
 * A stand-in for WordPress in tests. It has the entry points that mcp-codegen uses: this file, wp-config.php, hooks
 * that were added before it loads, `wp_die_handler`, and the Abilities API. `make-site.ts` copies the stub of WordPress
 * to wp-includes. `wp-config.php` may set STAND_IN to a fault.
 */

define( 'ABSPATH', __DIR__ . '/' );
require ABSPATH . 'wp-config.php';
$early_filters = $GLOBALS['wp_filter'] ?? array();

function dead_db() {
    call_user_func( apply_filters( 'wp_die_handler', null ), '<h1>Error establishing a database connection</h1> to shop_db with ' . DB_PASSWORD );
}

if ( 'old' !== STAND_IN ) {
    require ABSPATH . 'wp-includes/boot.php';
} else {
    require ABSPATH . 'wp-includes/constants.php';
    require ABSPATH . 'wp-includes/hooks.php';
    require ABSPATH . 'wp-includes/texts.php';
}
$wp_version = '6.9.7';
foreach ( $early_filters as $hook => $by_priority ) {
    foreach ( $by_priority as $priority => $callbacks ) {
        foreach ( $callbacks as $callback ) {
            add_filter( $hook, $callback['function'], $priority, $callback['accepted_args'] );
        }
    }
}
if ( 'database' === STAND_IN ) {
    dead_db();
}
if ( 'no-sqlite' === STAND_IN ) {
    call_user_func( apply_filters( 'wp_die_handler', null ), new WP_Error( 'pdo_driver_not_loaded', '<h1>PDO Driver for SQLite is missing</h1>' ) );
}
if ( 'empty-database' === STAND_IN ) {
    apply_filters( 'wp_redirect', 'http://localhost/wp-admin/install.php', 302 );
    die();
}
if ( 'long' === STAND_IN ) {
    while ( true ) {
        echo str_repeat( 'x', 1 << 20 );
    }
}
echo "<b>Notice</b>: Undefined variable \$x in plugin.php on line 1\n";
$plugins = 'old' === STAND_IN ? array() : array_merge( glob( __DIR__ . '/wp-content/mu-plugins/*.php' ), glob( __DIR__ . '/wp-content/plugins/*/acme-*.php' ) );
foreach ( $plugins as $plugin ) {
    require_once $plugin;
}
foreach ( array( 'muplugins_loaded', 'plugins_loaded', 'init', 'wp_loaded' ) as $hook ) {
    do_action( $hook );
}
