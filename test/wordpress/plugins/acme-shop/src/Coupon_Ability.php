<?php

namespace Acme\Shop;

/** An ability class with its own schema and execution. */
class Coupon_Ability extends \WP_Ability {
    const KINDS = array( 'percent', 'fixed-cart', 'fixed-product' );

    private $store;

    public function __construct( string $name, array $args ) {
        $this->store = new Store( 'coupons' );
        parent::__construct( $name, $args );
    }

    public static function coupon(): array {
        return array(
            'type'       => 'object',
            'properties' => array(
                'id'      => array( 'type' => 'integer' ),
                'code'    => array( 'type' => 'string', 'required' => true ),
                'kind'    => array( 'type' => 'string', 'enum' => self::KINDS, 'required' => true ),
                'amount'  => array( 'type' => 'number', 'minimum' => 0 ),
                'expires' => array( 'type' => array( 'string', 'null' ), 'format' => 'date-time' ),
            ),
        );
    }

    public function get_output_schema(): array {
        switch ( $this->verb() ) {
            case 'list':
                return array( 'type' => 'array', 'items' => self::coupon() );
            case 'delete':
                return array( 'type' => 'string' );
            default:
                return self::coupon();
        }
    }

    public function check_permissions( $input = null ) {
        return current_user_can( 'manage_options' );
    }

    protected function do_execute( $input = null ) {
        switch ( $this->verb() ) {
            case 'list':
                return array_values( $this->store->all() );
            case 'get':
                return $this->store->find( $input['id'] );
            case 'delete':
                return $this->store->delete( $input['id'] ) ? 'deleted' : 'not found';
            default:
                return $this->store->save( $input );
        }
    }

    private function verb(): string {
        return explode( '-', explode( '/', $this->get_name() )[1] )[0];
    }
}
