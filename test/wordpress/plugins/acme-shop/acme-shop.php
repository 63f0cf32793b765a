<?php
/**
 * Plugin Name: Acme Shop
 * Description: A shop that registers its abilities as plugins do: with classes, traits, loops and filters.
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

// Another plugin may define this. The code only checks for it.
if ( function_exists( 'acme_subscriptions' ) || class_exists( '\Acme\Subscriptions\Plugin' ) ) {
    add_filter( 'acme_shop_reports', 'acme_subscription_reports' );
}
