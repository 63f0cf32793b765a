<?php

namespace Acme\Shop;

/** A part of the shop that registers its abilities in a loop. */
abstract class Part {
    use Schemas;

    const CATEGORY = 'shop-products';

    /** @return array<string, array> By name, without the namespace. */
    abstract protected function abilities(): array;

    public function register(): void {
        foreach ( $this->abilities() as $name => $ability ) {
            wp_register_ability( 'shop/' . $name, $ability + $this->defaults( $name ) );
        }
    }

    protected function defaults( string $name ): array {
        $does = explode( '-', $name )[0];
        return array(
            'category'            => static::CATEGORY,
            'permission_callback' => array( $this, 'is_allowed' ),
            'meta'                => array(
                'annotations' => array(
                    'readonly'    => in_array( $does, array( 'list', 'get', 'search' ), true ),
                    'destructive' => in_array( $does, array( 'delete', 'cancel', 'refund' ), true ),
                    'idempotent'  => 'create' !== $does,
                ),
            ),
        );
    }

    public function is_allowed(): bool {
        return current_user_can( 'manage_options' );
    }
}
