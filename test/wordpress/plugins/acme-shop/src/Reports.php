<?php

namespace Acme\Shop;

/** Reports, with definitions that filters may extend. */
final class Reports extends Part {
    const CATEGORY = 'shop-reports';

    const PERIODS = array( 'day', 'week', 'month', 'year' );

    public function __construct() {
        add_filter( 'acme_shop_reports', array( $this, 'add_own' ), 5 );
        add_filter(
            'acme_shop_reports',
            static function ( array $reports ) {
                $reports['average-order'] = array( __( 'What an order is worth', 'acme-shop' ), array( 'type' => array( 'number', 'null' ) ) );
                return $reports;
            }
        );
    }

    public function add_own( array $reports ): array {
        $row = self::object(
            array( 'name' => array( 'type' => 'string' ), 'value' => array( 'type' => 'number' ) ),
            array( 'name', 'value' )
        );
        return $reports + array(
            'sales'         => array( __( 'Sales', 'acme-shop' ), self::list_of( $row ) ),
            'best-products' => array( __( 'What sells best', 'acme-shop' ), self::list_of( $row ) ),
        );
    }

    protected function abilities(): array {
        $abilities = array();
        foreach ( apply_filters( 'acme_shop_reports', array() ) as $slug => $report ) {
            $abilities[ "get-report-$slug" ] = array(
                'label'            => $report[0],
                'description'      => $report[0] . '.',
                'input_schema'     => self::object( array( 'period' => array( 'type' => 'string', 'enum' => self::PERIODS, 'default' => 'month' ) ) ),
                'output_schema'    => $report[1],
                'execute_callback' => static function () use ( $report ) {
                    return 'object' === $report[1]['type'] ? array( 'items' => array(), 'total' => 0 ) : null;
                },
            );
        }
        return $abilities;
    }
}
