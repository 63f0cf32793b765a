<?php

namespace Acme\Shop;

final class Products extends Part {
    const TYPES = array(
        'simple'   => 'Simple product',
        'grouped'  => 'Grouped product',
        'external' => 'External product',
        'variable' => 'Variable product',
    );

    private $store;

    public function __construct() {
        $this->store = new Store( 'products' );
    }

    protected function abilities(): array {
        $fields    = $this->fields();
        $product   = self::object( array( 'id' => self::id( 'product' ) ) + $fields, array( 'id', 'name', 'type', 'price' ) );
        $abilities = array(
            'list-products'     => array(
                'label'            => __( 'List products', 'acme-shop' ),
                'description'      => __( 'Lists the products of the shop.', 'acme-shop' ),
                'input_schema'     => self::object(
                    array(
                        'type'     => array( 'type' => 'string', 'enum' => array_keys( self::TYPES ) ),
                        'on_sale'  => array( 'type' => 'boolean' ),
                        'category' => array( 'type' => array( 'string', 'null' ) ),
                    ) + self::paging()
                ),
                'output_schema'    => self::list_of( $product ),
                'execute_callback' => function ( $input ) {
                    $type = $input['type'] ?? null;
                    return self::page_of(
                        array_filter(
                            $this->store->all(),
                            static function ( $product ) use ( $type ) {
                                return null === $type || $type === $product['type'];
                            }
                        ),
                        $input
                    );
                },
            ),
            'search-products'   => array(
                'label'            => __( 'Search products', 'acme-shop' ),
                'description'      => __( 'Finds products by words of their names.', 'acme-shop' ),
                'input_schema'     => self::object( array( 'query' => array( 'type' => 'string', 'minLength' => 2 ) ), array( 'query' ) ),
                'output_schema'    => self::list_of( $product ),
                'execute_callback' => array( $this, 'search' ),
            ),
            'create-product'    => array(
                'label'            => __( 'Create a product', 'acme-shop' ),
                'description'      => __( 'Adds a product to the shop.', 'acme-shop' ),
                'input_schema'     => self::object( $fields, array( 'name', 'price' ) ),
                'output_schema'    => $product,
                'execute_callback' => function ( $input ) {
                    return $this->store->save( $input + array( 'type' => 'simple' ) );
                },
            ),
            'update-product'    => array(
                'label'            => __( 'Update a product', 'acme-shop' ),
                'description'      => __( 'Changes the given fields of a product.', 'acme-shop' ),
                'input_schema'     => self::object( array( 'id' => self::id( 'product' ) ) + $fields, array( 'id' ) ),
                'output_schema'    => $product,
                'execute_callback' => function ( $input ) {
                    $found = $this->store->find( $input['id'] );
                    return is_wp_error( $found ) ? $found : $this->store->save( $input );
                },
            ),
        );
        foreach ( array( 'get' => __( 'Get a product', 'acme-shop' ), 'delete' => __( 'Delete a product', 'acme-shop' ) ) as $verb => $label ) {
            $abilities[ "$verb-product" ] = array(
                'label'            => $label,
                'description'      => "$label.",
                'input_schema'     => self::object( array( 'id' => self::id( 'product' ) ), array( 'id' ) ),
                'output_schema'    => 'get' === $verb ? $product : self::object( array( 'deleted' => array( 'type' => 'boolean' ) ), array( 'deleted' ) ),
                'execute_callback' => array( $this, $verb ),
            );
        }
        return $abilities;
    }

    public function get( $input ) {
        return $this->store->find( $input['id'] );
    }

    public function delete( $input ) {
        return array( 'deleted' => $this->store->delete( $input['id'] ) );
    }

    public function search( $input ) {
        return self::page_of(
            array_filter(
                $this->store->all(),
                static function ( $product ) use ( $input ) {
                    return false !== stripos( $product['name'], $input['query'] );
                }
            ),
            array()
        );
    }

    private function fields(): array {
        return array(
            'name'       => array( 'type' => 'string', 'minLength' => 1, 'maxLength' => 200 ),
            'type'       => array( 'type' => 'string', 'enum' => array_keys( self::TYPES ), 'default' => 'simple' ),
            'price'      => self::money( __( 'The price, in the currency of the shop.', 'acme-shop' ) ),
            'sale_price' => array( 'type' => array( 'string', 'null' ), 'pattern' => '^[0-9]+(\.[0-9]{2})?$' ),
            'weight'     => array( 'type' => 'number', 'minimum' => 0, 'exclusiveMinimum' => true ),
            'attributes' => array(
                'type'  => 'array',
                'items' => array(
                    'type'       => 'object',
                    'properties' => array(
                        'name'    => array( 'type' => 'string', 'required' => true ),
                        'options' => array( 'type' => 'array', 'items' => array( 'type' => 'string' ), 'uniqueItems' => true ),
                    ),
                ),
            ),
            'meta'       => array( 'type' => 'object', 'additionalProperties' => array( 'type' => array( 'string', 'number', 'boolean' ) ) ),
        );
    }
}
