<?php

namespace Acme\Shop;

final class Orders extends Part {
    const CATEGORY = 'shop-orders';

    const PENDING    = 'pending';
    const PROCESSING = 'processing';
    const COMPLETED  = 'completed';
    const REFUNDED   = 'refunded';
    const CANCELLED  = 'cancelled';

    const STATUSES = array( self::PENDING, self::PROCESSING, self::COMPLETED, self::REFUNDED, self::CANCELLED );

    private $store;

    public function __construct() {
        $this->store = new Store( 'orders' );
    }

    protected function abilities(): array {
        $order  = $this->order();
        $id     = array( 'id' => self::id( 'order' ) );
        $listed = self::list_of( $order );
        return array(
            'list-orders'         => array(
                'label'            => __( 'List orders', 'acme-shop' ),
                'description'      => __( 'Lists orders, newest first.', 'acme-shop' ),
                'input_schema'     => self::object(
                    array(
                        'status'   => array( 'type' => 'array', 'items' => array( 'type' => 'string', 'enum' => self::STATUSES ) ),
                        'customer' => self::id( 'customer' ),
                        'after'    => array( 'type' => 'string', 'format' => 'date-time' ),
                    ) + self::paging()
                ),
                'output_schema'    => $listed,
                'execute_callback' => function ( $input ) {
                    $wanted = $input['status'] ?? self::STATUSES;
                    return self::page_of(
                        array_filter(
                            array_reverse( $this->store->all() ),
                            static function ( $order ) use ( $wanted ) {
                                return in_array( $order['status'], $wanted, true );
                            }
                        ),
                        $input
                    );
                },
            ),
            'get-order'           => array(
                'label'            => __( 'Get an order', 'acme-shop' ),
                'description'      => __( 'Gets one order with its lines.', 'acme-shop' ),
                'input_schema'     => self::object( $id, array( 'id' ) ),
                'output_schema'    => $order,
                'execute_callback' => function ( $input ) {
                    return $this->store->find( $input['id'] );
                },
            ),
            'create-order'        => array(
                'label'            => __( 'Create an order', 'acme-shop' ),
                'description'      => __( 'Creates an order by hand.', 'acme-shop' ),
                'input_schema'     => self::object(
                    array(
                        'customer' => self::id( 'customer' ),
                        'lines'    => array( 'type' => 'array', 'minItems' => 1, 'items' => $this->line() ),
                        'billing'  => self::address(),
                        'shipping' => self::address(),
                    ),
                    array( 'customer', 'lines' )
                ),
                'output_schema'    => $order,
                'execute_callback' => function ( $input ) {
                    return $this->store->save( $input + array( 'status' => self::PENDING, 'notes' => array() ) );
                },
            ),
            'update-order-status' => array(
                'label'            => __( 'Change the status of an order', 'acme-shop' ),
                'description'      => __( 'Moves an order on.', 'acme-shop' ),
                'input_schema'     => self::object(
                    $id + array( 'status' => array( 'type' => 'string', 'enum' => self::STATUSES ) ),
                    array( 'id', 'status' )
                ),
                'output_schema'    => $order,
                'execute_callback' => function ( $input ) {
                    return $this->change( $input['id'], array( 'status' => $input['status'] ) );
                },
            ),
            'refund-order'        => array(
                'label'            => __( 'Refund an order', 'acme-shop' ),
                'description'      => __( 'Pays an order back, or a part of it.', 'acme-shop' ),
                'input_schema'     => self::object(
                    $id + array(
                        'amount' => self::money( __( 'How much; everything by default.', 'acme-shop' ) ),
                        'reason' => array( 'type' => array( 'string', 'null' ), 'maxLength' => 500 ),
                    ),
                    array( 'id' )
                ),
                'output_schema'    => $order,
                'execute_callback' => function ( $input ) {
                    return $this->change( $input['id'], array( 'status' => self::REFUNDED ) );
                },
            ),
            'cancel-order'        => array(
                'label'            => __( 'Cancel an order', 'acme-shop' ),
                'description'      => __( 'Cancels an order that was not sent.', 'acme-shop' ),
                'input_schema'     => self::object( $id, array( 'id' ) ),
                'output_schema'    => $order,
                'execute_callback' => function ( $input ) {
                    return $this->change( $input['id'], array( 'status' => self::CANCELLED ) );
                },
            ),
            'add-order-note'      => array(
                'label'            => __( 'Add a note to an order', 'acme-shop' ),
                'description'      => __( 'Adds a note that the customer may see.', 'acme-shop' ),
                'input_schema'     => self::object(
                    $id + array(
                        'note'         => array( 'type' => 'string', 'minLength' => 1 ),
                        'for_customer' => array( 'type' => 'boolean', 'default' => false ),
                    ),
                    array( 'id', 'note' )
                ),
                'output_schema'    => $order,
                'execute_callback' => function ( $input ) {
                    $order = $this->store->find( $input['id'] );
                    return is_wp_error( $order )
                        ? $order
                        : $this->change( $input['id'], array( 'notes' => array_merge( $order['notes'], array( $input['note'] ) ) ) );
                },
            ),
        );
    }

    private function change( int $id, array $fields ) {
        $order = $this->store->find( $id );
        return is_wp_error( $order ) ? $order : $this->store->save( array( 'id' => $id ) + $fields );
    }

    private function line(): array {
        return self::object(
            array(
                'product'  => self::id( 'product' ),
                'quantity' => array( 'type' => 'integer', 'minimum' => 1 ),
                'price'    => self::money( __( 'The price of one.', 'acme-shop' ) ),
            ),
            array( 'product', 'quantity' )
        );
    }

    private function order(): array {
        return self::object(
            array(
                'id'       => self::id( 'order' ),
                'customer' => self::id( 'customer' ),
                'status'   => array( 'type' => 'string', 'enum' => self::STATUSES ),
                'lines'    => array( 'type' => 'array', 'items' => $this->line() ),
                'notes'    => array( 'type' => 'array', 'items' => array( 'type' => 'string' ) ),
                'billing'  => self::address(),
                'shipping' => self::address(),
            ),
            array( 'id', 'customer', 'status', 'lines', 'notes' )
        );
    }

    private static function address(): array {
        $properties = array();
        foreach ( array( 'name', 'street', 'city', 'postcode' ) as $field ) {
            $properties[ $field ] = array( 'type' => 'string' );
        }
        $properties['country'] = array( 'type' => 'string', 'minLength' => 2, 'maxLength' => 2 );
        return array( 'type' => array( 'object', 'null' ), 'properties' => $properties, 'additionalProperties' => false );
    }
}
