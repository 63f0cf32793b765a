<?php
/*
Plugin Name: Acme Edge
Description: Abilities whose schemas are awkward in every way that real ones are.
Version: 1.0.0
*/

defined( 'ABSPATH' ) || exit;

add_action(
    'wp_abilities_api_categories_init',
    function () {
        wp_register_ability_category( 'edge', array( 'label' => 'Edge', 'description' => 'Awkward schemas.' ) );
    }
);

add_action(
    'wp_abilities_api_init',
    function () {
        $schemas = array(
            'no-schemas'         => array( null, null ),
            'empty-schemas'      => array( array(), array() ),
            'empty-properties'   => array(
                array( 'type' => 'object', 'properties' => array() ),
                array( 'type' => 'object', 'properties' => array() ),
            ),
            'nested'             => array(
                array(
                    'type'       => 'object',
                    'properties' => array(
                        'filter'   => array(
                            'type'       => 'object',
                            'properties' => array(
                                'any'  => array(),
                                'date' => array(
                                    'type'       => 'object',
                                    'properties' => array(
                                        'from' => array( 'type' => 'string', 'format' => 'date-time', 'required' => true ),
                                        'to'   => array( 'type' => 'string', 'format' => 'date-time' ),
                                    ),
                                ),
                            ),
                        ),
                        'settings' => array( 'type' => 'object', 'properties' => array(), 'default' => array() ),
                    ),
                ),
                array( 'type' => 'object', 'properties' => array( 'data' => array( 'type' => 'object', 'properties' => array() ) ) ),
            ),
            'nullable'           => array(
                array( 'type' => array( 'object', 'null' ), 'properties' => array( 'a' => array( 'type' => 'string' ) ) ),
                array( 'type' => array( 'object', 'null' ), 'properties' => array( 'a' => array( 'type' => 'string' ) ) ),
            ),
            'text'               => array( array( 'type' => 'string', 'minLength' => 2 ), array( 'type' => 'string' ) ),
            'list'               => array( array( 'type' => 'array', 'items' => array( 'type' => 'integer' ) ), array( 'type' => 'integer' ) ),
            'any-of'             => array(
                array(
                    'anyOf' => array(
                        array( 'type' => 'object', 'properties' => array( 'id' => array( 'type' => 'integer' ) ), 'required' => array( 'id' ) ),
                        array( 'type' => 'object', 'properties' => array( 'slug' => array( 'type' => 'string' ) ), 'required' => array( 'slug' ) ),
                    ),
                ),
                null,
            ),
            'required-true'      => array(
                array( 'type' => 'object', 'properties' => array( 'a' => array( 'type' => 'string', 'required' => true ) ) ),
                null,
            ),
            'root-required-true' => array(
                array( 'type' => 'object', 'required' => true, 'properties' => array( 'a' => array( 'type' => 'string' ) ) ),
                null,
            ),
            'named-enum'         => array(
                array( 'type' => 'object', 'properties' => array( 'size' => array( 'type' => 'string', 'enum' => array( 's' => 'small', 'l' => 'large' ) ) ) ),
                null,
            ),
            'filtered-required'  => array(
                array(
                    'type'       => 'object',
                    'properties' => array( 'a' => array( 'type' => 'string' ), 'b' => array( 'type' => 'string' ) ),
                    'required'   => array_filter( array( null, 'a', null, 'b' ) ),
                ),
                null,
            ),
            'callbacks'          => array(
                array(
                    'type'       => 'object',
                    'properties' => array(
                        'n' => array( 'type' => 'string', 'sanitize_callback' => 'sanitize_text_field', 'arg_options' => array( 'validate_callback' => '__return_true' ) ),
                    ),
                ),
                null,
            ),
            'bounds'             => array(
                array(
                    'type'       => 'object',
                    'properties' => array(
                        'ratio' => array( 'type' => 'number', 'minimum' => 0, 'exclusiveMinimum' => true, 'maximum' => 1.5 ),
                        'color' => array( 'type' => 'string', 'format' => 'hex-color' ),
                        'unit'  => array( 'type' => 'string', 'const' => 'px', 'examples' => array( 'px' ) ),
                        'extra' => array( 'type' => 'object', 'patternProperties' => array( '^x-' => array( 'type' => 'string' ) ) ),
                    ),
                ),
                null,
            ),
            'keys'               => array(
                array(
                    'type'       => 'object',
                    'properties' => array(
                        '日本'      => array( 'type' => 'string' ),
                        'a-b'       => array( 'type' => 'string' ),
                        '0'         => array( 'type' => 'string' ),
                        'class'     => array( 'type' => 'string' ),
                        '__proto__' => array( 'type' => 'string' ),
                    ),
                ),
                null,
            ),
        );
        foreach ( $schemas as $slug => list( $input, $output ) ) {
            $args = array(
                'label'               => $slug,
                'description'         => "An ability with awkward schemas: $slug.",
                'category'            => 'edge',
                'execute_callback'    => static function ( $given = null ) use ( $output ) {
                    return 'string' === ( $output['type'] ?? null ) || 'integer' === ( $output['type'] ?? null ) ? 1 : $given;
                },
                'permission_callback' => '__return_true',
                'meta'                => array( 'mcp' => array( 'public' => true, 'type' => 'tool' ), 'show_in_rest' => true ),
            );
            if ( null !== $input ) {
                $args['input_schema'] = $input;
            }
            if ( null !== $output ) {
                $args['output_schema'] = $output;
            }
            wp_register_ability( "edge/$slug", $args );
        }

        wp_register_ability(
            'edge/private',
            array(
                'label'               => 'private',
                'description'         => 'An ability that MCP is not told of.',
                'category'            => 'edge',
                'execute_callback'    => '__return_null',
                'permission_callback' => '__return_true',
            )
        );
    }
);
