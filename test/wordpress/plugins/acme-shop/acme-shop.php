<?php
/**
 * Plugin Name: Acme Shop
 * Description: A shop whose abilities are registered in the ways that plugins do it: classes, traits, loops, filters.
 * Version:     1.0.0
 * Text Domain: acme-shop
 */

namespace Acme\Shop;

if ( ! defined( 'ABSPATH' ) ) {
    exit;
}

define( 'ACME_SHOP_DIR', plugin_dir_path( __FILE__ ) );

spl_autoload_register(
    static function ( $class ) {
        if ( 0 === strpos( $class, __NAMESPACE__ . '\\' ) ) {
            $file = ACME_SHOP_DIR . 'src/' . str_replace( '\\', '/', substr( $class, strlen( __NAMESPACE__ ) + 1 ) ) . '.php';
            if ( is_readable( $file ) ) {
                require_once $file;
            }
        }
    }
);

add_action( 'plugins_loaded', array( Plugin::class, 'boot' ) );

// What a shop with an extension has, and ours has not: only looked for.
if ( function_exists( 'acme_subscriptions' ) || class_exists( '\Acme\Subscriptions\Plugin' ) ) {
    add_filter( 'acme_shop_reports', 'acme_subscription_reports' );
}
