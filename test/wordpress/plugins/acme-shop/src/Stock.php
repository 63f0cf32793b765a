<?php

namespace Acme\Shop;

/** Stock, with inputs and outputs that are not objects. */
final class Stock extends Part {
    private $store;

    public function __construct() {
        $this->store = new Store( 'stock' );
    }

    protected function abilities(): array {
        $level = self::object(
            array(
                'product'  => self::id( 'product' ),
                'quantity' => array( 'type' => array( 'integer', 'null' ) ),
                'status'   => array( 'enum' => array( 'in-stock', 'out-of-stock', 'on-order' ) ),
            ),
            array( 'product', 'quantity', 'status' )
        );
        return array(
            'get-stock'      => array(
                'label'            => __( 'Get the stock', 'acme-shop' ),
                'description'      => __( 'Says how many of a product there are.', 'acme-shop' ),
                'input_schema'     => array( 'type' => 'integer', 'minimum' => 1 ),
                'output_schema'    => $level,
                'execute_callback' => function ( $product ) {
                    return $this->level( $product );
                },
            ),
            'set-stock'      => array(
                'label'            => __( 'Set the stock', 'acme-shop' ),
                'description'      => __( 'Sets how many of a product there are.', 'acme-shop' ),
                'input_schema'     => self::object(
                    array( 'product' => self::id( 'product' ), 'quantity' => array( 'type' => array( 'integer', 'null' ), 'minimum' => 0 ) ),
                    array( 'product', 'quantity' )
                ),
                'output_schema'    => $level,
                'execute_callback' => function ( $input ) {
                    $this->store->save( array( 'id' => $input['product'], 'quantity' => $input['quantity'] ) );
                    return $this->level( $input['product'] );
                },
            ),
            'adjust-stock'   => array(
                'label'            => __( 'Adjust the stock', 'acme-shop' ),
                'description'      => __( 'Adds to the stock of several products at once.', 'acme-shop' ),
                'input_schema'     => array(
                    'type'  => 'array',
                    'items' => self::object(
                        array( 'product' => self::id( 'product' ), 'by' => array( 'type' => 'integer' ) ),
                        array( 'product', 'by' )
                    ),
                ),
                'output_schema'    => array( 'type' => 'array', 'items' => $level ),
                'execute_callback' => function ( $changes ) {
                    return array_map(
                        function ( $change ) {
                            $now = $this->level( $change['product'] )['quantity'] ?? 0;
                            $this->store->save( array( 'id' => $change['product'], 'quantity' => $now + $change['by'] ) );
                            return $this->level( $change['product'] );
                        },
                        $changes
                    );
                },
            ),
            'list-low-stock' => array(
                'label'            => __( 'List what runs out', 'acme-shop' ),
                'description'      => __( 'Lists products that there are few of.', 'acme-shop' ),
                'input_schema'     => array(
                    'type'       => 'object',
                    'properties' => array( 'below' => array( 'type' => 'integer', 'minimum' => 0, 'default' => 5 ) ),
                    'default'    => array(),
                ),
                'output_schema'    => array( 'type' => 'array', 'items' => $level ),
                'execute_callback' => function ( $input ) {
                    $levels = array_map( array( $this, 'level' ), array_keys( $this->store->all() ) );
                    return array_values(
                        array_filter(
                            $levels,
                            static function ( $level ) use ( $input ) {
                                return (int) $level['quantity'] < ( $input['below'] ?? 5 );
                            }
                        )
                    );
                },
            ),
            'count-stock'    => array(
                'label'            => __( 'Count the stock', 'acme-shop' ),
                'description'      => __( 'Counts everything there is.', 'acme-shop' ),
                'output_schema'    => array( 'type' => 'integer', 'minimum' => 0 ),
                'execute_callback' => function () {
                    return array_sum( array_column( $this->store->all(), 'quantity' ) );
                },
            ),
        );
    }

    public function level( $product ): array {
        $quantity = $this->store->all()[ $product ]['quantity'] ?? 0;
        return array(
            'product'  => (int) $product,
            'quantity' => $quantity,
            'status'   => $quantity > 0 ? 'in-stock' : 'out-of-stock',
        );
    }
}
