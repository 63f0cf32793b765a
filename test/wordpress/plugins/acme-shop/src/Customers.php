<?php

namespace Acme\Shop;

final class Customers extends Part {
    const CATEGORY = 'shop-customers';

    private $store;

    public function __construct() {
        $this->store = new Store( 'customers' );
    }

    protected function abilities(): array {
        $fields    = array(
            'email'      => array( 'type' => 'string', 'format' => 'email' ),
            'name'       => array( 'type' => 'string' ),
            'newsletter' => array( 'type' => 'boolean', 'default' => false ),
            'birthday'   => array( 'type' => array( 'string', 'null' ), 'pattern' => '^\d{4}-\d{2}-\d{2}$' ),
        );
        $customer  = self::object( array( 'id' => self::id( 'customer' ) ) + $fields, array( 'id', 'email' ) );
        $only_id   = self::object( array( 'id' => self::id( 'customer' ) ), array( 'id' ) );
        $abilities = array();
        foreach (
            array(
                'list-customers'  => array( __( 'List customers', 'acme-shop' ), self::object( self::paging() ), self::list_of( $customer ) ),
                'get-customer'    => array( __( 'Get a customer', 'acme-shop' ), $only_id, $customer ),
                'create-customer' => array( __( 'Create a customer', 'acme-shop' ), self::object( $fields, array( 'email' ) ), $customer ),
                'update-customer' => array( __( 'Update a customer', 'acme-shop' ), self::object( array( 'id' => self::id( 'customer' ) ) + $fields, array( 'id' ) ), $customer ),
                'delete-customer' => array( __( 'Delete a customer', 'acme-shop' ), $only_id, array( 'type' => 'boolean' ) ),
            ) as $name => list( $label, $input, $output )
        ) {
            $abilities[ $name ] = array(
                'label'            => $label,
                'description'      => $label . '.',
                'input_schema'     => $input,
                'output_schema'    => $output,
                'execute_callback' => array( $this, str_replace( '-', '_', $name ) ),
            );
        }
        return $abilities;
    }

    public function list_customers( $input ) {
        return self::page_of( $this->store->all(), $input );
    }

    public function get_customer( $input ) {
        return $this->store->find( $input['id'] );
    }

    public function create_customer( $input ) {
        return $this->store->save( $input );
    }

    public function update_customer( $input ) {
        $found = $this->store->find( $input['id'] );
        return is_wp_error( $found ) ? $found : $this->store->save( $input );
    }

    public function delete_customer( $input ) {
        return $this->store->delete( $input['id'] );
    }
}
