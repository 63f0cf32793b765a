<?php
/**
 * What WordPress 7.1 publishes of a schema: the keywords of draft 4, with lists of required names. Plugins call these
 * functions while they register abilities, and the test site publishes schemas with them.
 */

namespace McpCodegen\Stub {

    /** The keywords of the REST API, which `draft-04` extends. */
    const REST_KEYWORDS = array(
        'title', 'description', 'default', 'type', 'format', 'enum', 'items', 'properties', 'additionalProperties',
        'patternProperties', 'minProperties', 'maxProperties', 'minimum', 'maximum', 'exclusiveMinimum',
        'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems',
        'anyOf', 'oneOf',
    );
    const DRAFT_4_KEYWORDS = array(
        '$schema', 'id', '$ref', 'required', 'allOf', 'not', 'definitions', 'dependencies', 'additionalItems',
    );

    /** Whether a value is written as a JSON object: PHP writes `array()` and lists differently. */
    function is_schema( $value ): bool {
        return is_array( $value ) && ! wp_is_numeric_array( $value );
    }

    /** Whether an ability has these values in its meta, at any depth. */
    function has_meta( array $meta, array $wanted ): bool {
        foreach ( $wanted as $key => $value ) {
            $own = $meta[ $key ] ?? null;
            if ( is_array( $value ) ? ! is_array( $own ) || ! has_meta( $own, $value ) : $own !== $value ) {
                return false;
            }
        }
        return true;
    }

    /** @param array<string, true> $keywords */
    function publish_schema( array $schema, array $keywords ): array {
        if ( 'object' === ( $schema['type'] ?? null ) && array() === ( $schema['default'] ?? null ) ) {
            $schema['default'] = new \stdClass();
        }
        $schema   = array_intersect_key( $schema, $keywords );
        $required = array();
        foreach ( is_array( $schema['properties'] ?? null ) ? $schema['properties'] : array() as $name => $property ) {
            if ( is_schema( $property ) && is_bool( $property['required'] ?? null ) ) {
                if ( $property['required'] ) {
                    $required[] = (string) $name;
                }
                unset( $schema['properties'][ $name ]['required'] );
            }
        }
        if ( is_bool( $schema['required'] ?? null ) ) {
            unset( $schema['required'] );
        }
        if ( array() !== $required && ! isset( $schema['required'] ) ) {
            $schema['required'] = $required;
        }
        $publish = static function ( $child ) use ( $keywords ) {
            return is_schema( $child ) ? publish_schema( $child, $keywords ) : $child;
        };
        $maps    = array( 'properties', 'patternProperties', 'definitions', 'dependencies', 'anyOf', 'oneOf', 'allOf' );
        foreach ( $schema as $keyword => $value ) {
            $is_tuple = 'items' === $keyword && is_array( $value ) && ! is_schema( $value );
            if ( $is_tuple || ( is_array( $value ) && in_array( $keyword, $maps, true ) ) ) {
                $schema[ $keyword ] = array_map( $publish, $value );
            } elseif ( in_array( $keyword, array( 'items', 'not', 'additionalProperties', 'additionalItems' ), true ) ) {
                $schema[ $keyword ] = $publish( $value );
            }
        }
        return $schema;
    }
}

namespace {

    function rest_get_allowed_schema_keywords() {
        return McpCodegen\Stub\REST_KEYWORDS;
    }

    function wp_get_json_schema_allowed_keywords( string $schema_profile = 'rest-api' ): array {
        $keywords = McpCodegen\Stub\REST_KEYWORDS;
        if ( 'draft-04' === $schema_profile ) {
            $keywords = array_merge( $keywords, McpCodegen\Stub\DRAFT_4_KEYWORDS );
        }
        return apply_filters( 'wp_json_schema_allowed_keywords', $keywords, $schema_profile );
    }

    function wp_prepare_json_schema_for_client( array $schema, string $schema_profile = 'draft-04' ): array {
        $keywords = array_fill_keys( wp_get_json_schema_allowed_keywords( $schema_profile ), true );
        return McpCodegen\Stub\publish_schema( $schema, $keywords );
    }
}
