<?php

namespace Acme\Shop;

final class Plugin {
    const CATEGORIES = array(
        'shop-products'  => 'Products',
        'shop-orders'    => 'Orders',
        'shop-customers' => 'Customers',
        'shop-reports'   => 'Reports',
    );

    private static $parts = array( Products::class, Orders::class, Customers::class, Stock::class, Coupons::class, Reports::class );

    public static function boot(): void {
        add_action( 'wp_abilities_api_categories_init', array( __CLASS__, 'register_categories' ) );
        foreach ( self::$parts as $part ) {
            add_action( 'wp_abilities_api_init', array( new $part(), 'register' ), 20 );
        }
        // All abilities of the shop are made public for MCP here.
        add_filter( 'wp_register_ability_args', array( __CLASS__, 'expose' ), 10, 2 );
    }

    public static function register_categories(): void {
        foreach ( self::CATEGORIES as $slug => $label ) {
            wp_register_ability_category(
                $slug,
                array(
                    'label'       => $label,
                    /* translators: %s: a category. */
                    'description' => sprintf( __( 'Abilities of the shop: %s.', 'acme-shop' ), $label ),
                )
            );
        }
    }

    public static function expose( array $args, string $name ): array {
        if ( 0 === strpos( $name, 'shop/' ) ) {
            $args['meta']['mcp']['public']  = $args['meta']['mcp']['public'] ?? true;
            $args['meta']['show_in_rest']   = true;
        }
        return $args;
    }
}
