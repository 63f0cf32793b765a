<?php
/**
 * Prints abilities as JSON. The stub and a real WordPress use the same functions, so that their answers can be
 * compared.
 */

namespace McpCodegen;

/** Returns the definition of an ability as WordPress stores it, without empty schemas. */
function definition_of( \WP_Ability $ability ): array {
    $definition = array(
        'name'          => $ability->get_name(),
        'label'         => $ability->get_label(),
        'description'   => $ability->get_description(),
        'category'      => $ability->get_category(),
        'input_schema'  => $ability->get_input_schema(),
        'output_schema' => $ability->get_output_schema(),
        'meta'          => $ability->get_meta(),
    );
    foreach ( array( 'input_schema', 'output_schema' ) as $schema ) {
        if ( array() === $definition[ $schema ] ) {
            unset( $definition[ $schema ] );
        }
    }
    return $definition;
}

function to_json( $value ): string {
    $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR;
    return (string) json_encode( $value, $flags, 4096 );
}

/** Returns the file and line of a callback; an empty file for a function of PHP. */
function place_of_callback( $callback ): array {
    try {
        if ( is_string( $callback ) && false !== strpos( $callback, '::' ) ) {
            $callback = explode( '::', $callback );
        }
        $reflection = is_array( $callback )
            ? new \ReflectionMethod( $callback[0], $callback[1] )
            : ( is_object( $callback ) && ! $callback instanceof \Closure
                ? new \ReflectionMethod( $callback, '__invoke' )
                : new \ReflectionFunction( $callback ) );
        return array( (string) $reflection->getFileName(), (int) $reflection->getStartLine() );
    } catch ( \Throwable $error ) {
        return array( '', 0 );
    }
}
