<?php

namespace Acme\Shop;

/** The schemas that abilities share. */
trait Schemas {
    protected static function id( string $of ): array {
        return array(
            'type'        => 'integer',
            'minimum'     => 1,
            /* translators: %s: what the number is of. */
            'description' => sprintf( __( 'The number of the %s.', 'acme-shop' ), $of ),
        );
    }

    protected static function money( string $description ): array {
        return array( 'type' => 'string', 'pattern' => '^[0-9]+(\.[0-9]{2})?$', 'description' => $description );
    }

    protected static function object( array $properties, array $required = array() ): array {
        $schema = array( 'type' => 'object', 'properties' => $properties );
        if ( array() !== $required ) {
            $schema['required'] = $required;
        }
        return $schema;
    }

    protected static function list_of( array $items ): array {
        return self::object(
            array(
                'items' => array( 'type' => 'array', 'items' => $items ),
                'total' => array( 'type' => 'integer', 'minimum' => 0 ),
            ),
            array( 'items', 'total' )
        );
    }

    protected static function paging(): array {
        return array(
            'page'     => array( 'type' => 'integer', 'minimum' => 1, 'default' => 1 ),
            'per_page' => array( 'type' => 'integer', 'minimum' => 1, 'maximum' => 100, 'default' => 20 ),
        );
    }

    protected static function page_of( array $records, array $input ): array {
        $size = $input['per_page'] ?? 20;
        return array(
            'items' => array_slice( array_values( $records ), ( ( $input['page'] ?? 1 ) - 1 ) * $size, $size ),
            'total' => count( $records ),
        );
    }
}
