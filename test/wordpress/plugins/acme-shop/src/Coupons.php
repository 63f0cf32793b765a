<?php

namespace Acme\Shop;

final class Coupons extends Part {
    protected function abilities(): array {
        $id     = array( 'id' => self::id( 'coupon' ) );
        $fields = Coupon_Ability::coupon()['properties'];
        unset( $fields['id'] );
        $inputs = array(
            'list-coupons'  => array(),
            'get-coupon'    => self::object( $id, array( 'id' ) ),
            'create-coupon' => self::object( $fields ),
            'update-coupon' => self::object( $id + array_map( array( __CLASS__, 'optional' ), $fields ), array( 'id' ) ),
            'delete-coupon' => self::object( $id, array( 'id' ) ),
        );
        $labels = array(
            __( 'List coupons', 'acme-shop' ),
            __( 'Get a coupon', 'acme-shop' ),
            __( 'Create a coupon', 'acme-shop' ),
            __( 'Update a coupon', 'acme-shop' ),
            __( 'Delete a coupon', 'acme-shop' ),
        );
        return array_combine(
            array_keys( $inputs ),
            array_map(
                static function ( $input, $label ) {
                    return array(
                        'label'         => $label,
                        'description'   => "$label.",
                        'input_schema'  => $input,
                        'ability_class' => Coupon_Ability::class,
                    );
                },
                array_values( $inputs ),
                $labels
            )
        );
    }

    private static function optional( array $field ): array {
        unset( $field['required'] );
        return $field;
    }
}
