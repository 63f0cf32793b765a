<?php
/**
 * Validates values by WordPress's dialect of JSON Schema: as lenient as WordPress ("1" is a valid integer), with
 * `required` on properties. Only for running abilities; schemas are compared elsewhere.
 */

namespace McpCodegen\Stub {

    function is_of_type( $value, string $type ): bool {
        switch ( $type ) {
            case 'null':
                return null === $value;
            case 'boolean':
                return is_bool( $value ) || in_array( $value, array( 0, 1, '0', '1', 'true', 'false' ), true );
            case 'integer':
                return is_int( $value ) || ( is_numeric( $value ) && floor( (float) $value ) === (float) $value );
            case 'number':
                return is_int( $value ) || is_float( $value ) || is_numeric( $value );
            case 'string':
                return is_string( $value );
            case 'array':
                return is_array( $value ) ? rest_is_array( $value ) : is_scalar( $value ) && '' !== $value;
            case 'object':
                return '' === $value || is_array( $value ) || $value instanceof \stdClass || $value instanceof \JsonSerializable;
            default:
                return true;
        }
    }

    /** Returns the first problem of a value, or null. */
    function find_fault( $value, array $schema, string $param ): ?string {
        foreach ( array( 'anyOf', 'oneOf' ) as $union ) {
            if ( isset( $schema[ $union ] ) && array() !== $schema[ $union ] ) {
                $fits = 0;
                foreach ( $schema[ $union ] as $branch ) {
                    $branch = isset( $branch['type'] ) || ! isset( $schema['type'] ) ? $branch : array( 'type' => $schema['type'] ) + $branch;
                    $fits  += (int) ( null === find_fault( $value, $branch, $param ) );
                }
                if ( 0 === $fits || ( 'oneOf' === $union && $fits > 1 ) ) {
                    return 0 === $fits ? "$param does not match any of the expected formats." : "$param matches more than one of the expected formats.";
                }
            }
        }
        $types = (array) ( $schema['type'] ?? array() );
        $type  = '';
        foreach ( $types as $candidate ) {
            if ( is_of_type( $value, $candidate ) ) {
                $type = $candidate;
                break;
            }
        }
        if ( array() !== $types && '' === $type ) {
            return sprintf( '%s is not of type %s.', $param, implode( ',', $types ) );
        }
        if ( ! empty( $schema['enum'] ) ) {
            $values = array_map( 'wp_json_encode', array_values( $schema['enum'] ) );
            $given  = 'integer' === $type ? (int) $value : $value;
            if ( ! in_array( wp_json_encode( $given ), $values, true ) ) {
                return sprintf( '%s is not one of %s.', $param, implode( ', ', array_map( 'strval', array_filter( $schema['enum'], 'is_scalar' ) ) ) );
            }
        }
        switch ( $type ) {
            case 'object':
                return find_object_fault( (array) ( '' === $value ? array() : $value ), $schema, $param );
            case 'array':
                return find_array_fault( rest_sanitize_array( $value ), $schema, $param );
            case 'string':
                return find_string_fault( $value, $schema, $param );
            case 'integer':
            case 'number':
                return find_number_fault( (float) $value, $schema, $param );
            default:
                return null;
        }
    }

    function find_object_fault( array $value, array $schema, string $param ): ?string {
        $properties = (array) ( $schema['properties'] ?? array() );
        $required   = is_array( $schema['required'] ?? null ) ? array_values( $schema['required'] ) : array();
        foreach ( $properties as $name => $property ) {
            if ( true === ( $property['required'] ?? false ) ) {
                $required[] = (string) $name;
            }
        }
        foreach ( $required as $name ) {
            if ( ! array_key_exists( $name, $value ) ) {
                return sprintf( '%s is a required property of %s.', $name, $param );
            }
        }
        foreach ( $value as $name => $item ) {
            $inner = $properties[ $name ] ?? null;
            foreach ( null === $inner ? (array) ( $schema['patternProperties'] ?? array() ) : array() as $pattern => $candidate ) {
                if ( 1 === preg_match( '#' . str_replace( '#', '\\#', $pattern ) . '#u', (string) $name ) ) {
                    $inner = $candidate;
                    break;
                }
            }
            if ( null === $inner && isset( $schema['additionalProperties'] ) ) {
                if ( false === $schema['additionalProperties'] ) {
                    return sprintf( '%s is not a valid property of Object.', $name );
                }
                $inner = is_array( $schema['additionalProperties'] ) ? $schema['additionalProperties'] : null;
            }
            $fault = null === $inner ? null : find_fault( $item, (array) $inner, $param . '[' . $name . ']' );
            if ( null !== $fault ) {
                return $fault;
            }
        }
        if ( isset( $schema['minProperties'] ) && count( $value ) < $schema['minProperties'] ) {
            return sprintf( '%s must contain at least %s properties.', $param, $schema['minProperties'] );
        }
        if ( isset( $schema['maxProperties'] ) && count( $value ) > $schema['maxProperties'] ) {
            return sprintf( '%s must contain at most %s properties.', $param, $schema['maxProperties'] );
        }
        return null;
    }

    function find_array_fault( array $value, array $schema, string $param ): ?string {
        foreach ( isset( $schema['items'] ) ? $value : array() as $index => $item ) {
            $fault = find_fault( $item, (array) $schema['items'], $param . '[' . $index . ']' );
            if ( null !== $fault ) {
                return $fault;
            }
        }
        if ( isset( $schema['minItems'] ) && count( $value ) < $schema['minItems'] ) {
            return sprintf( '%s must contain at least %s items.', $param, $schema['minItems'] );
        }
        if ( isset( $schema['maxItems'] ) && count( $value ) > $schema['maxItems'] ) {
            return sprintf( '%s must contain at most %s items.', $param, $schema['maxItems'] );
        }
        $texts = array_map( 'wp_json_encode', $value );
        if ( ! empty( $schema['uniqueItems'] ) && count( array_unique( $texts ) ) < count( $texts ) ) {
            return sprintf( '%s has duplicate items.', $param );
        }
        return null;
    }

    function find_string_fault( string $value, array $schema, string $param ): ?string {
        $length = preg_match_all( '/./us', $value );
        if ( isset( $schema['minLength'] ) && $length < $schema['minLength'] ) {
            return sprintf( '%s must be at least %s characters long.', $param, $schema['minLength'] );
        }
        if ( isset( $schema['maxLength'] ) && $length > $schema['maxLength'] ) {
            return sprintf( '%s must be at most %s characters long.', $param, $schema['maxLength'] );
        }
        if ( isset( $schema['pattern'] ) && 1 !== preg_match( '#' . str_replace( '#', '\\#', $schema['pattern'] ) . '#u', $value ) ) {
            return sprintf( '%s does not match pattern %s.', $param, $schema['pattern'] );
        }
        switch ( $schema['format'] ?? '' ) {
            case 'email':
                return false === is_email( $value ) ? 'Invalid email address.' : null;
            case 'date-time':
                return false === strtotime( $value ) ? 'Invalid date.' : null;
            case 'ip':
                return false === filter_var( $value, FILTER_VALIDATE_IP ) ? sprintf( '%s is not a valid IP address.', $param ) : null;
            case 'uuid':
                return wp_is_uuid( $value ) ? null : sprintf( '%s is not a valid UUID.', $param );
            case 'hex-color':
                return null === sanitize_hex_color( $value ) ? 'Invalid hex color.' : null;
            default:
                return null;
        }
    }

    function find_number_fault( float $value, array $schema, string $param ): ?string {
        if ( isset( $schema['minimum'] ) ) {
            $is_low = empty( $schema['exclusiveMinimum'] ) ? $value < $schema['minimum'] : $value <= $schema['minimum'];
            if ( $is_low ) {
                return sprintf( '%s must be greater than or equal to %s', $param, $schema['minimum'] );
            }
        }
        if ( isset( $schema['maximum'] ) ) {
            $is_high = empty( $schema['exclusiveMaximum'] ) ? $value > $schema['maximum'] : $value >= $schema['maximum'];
            if ( $is_high ) {
                return sprintf( '%s must be less than or equal to %s', $param, $schema['maximum'] );
            }
        }
        if ( isset( $schema['multipleOf'] ) && 0.0 !== fmod( $value, (float) $schema['multipleOf'] ) ) {
            return sprintf( '%s must be a multiple of %s.', $param, $schema['multipleOf'] );
        }
        return null;
    }
}

namespace {

    use function McpCodegen\Stub\find_fault;

    function rest_validate_value_from_schema( $value, $args, $param = '' ) {
        $fault = find_fault( $value, (array) $args, (string) $param );
        return null === $fault ? true : new WP_Error( 'rest_invalid_param', $fault );
    }

    function rest_sanitize_value_from_schema( $value, $args, $param = '' ) {
        return $value;
    }

    function rest_validate_request_arg( $value, $request, $param ) {
        return true;
    }

    function rest_sanitize_request_arg( $value, $request, $param ) {
        return $value;
    }

    function rest_sanitize_boolean( $value ) {
        return wp_validate_boolean( is_string( $value ) && '0' === $value ? false : $value );
    }

    function rest_is_boolean( $maybe_bool ) {
        return McpCodegen\Stub\is_of_type( $maybe_bool, 'boolean' );
    }

    function rest_is_integer( $maybe_integer ) {
        return McpCodegen\Stub\is_of_type( $maybe_integer, 'integer' );
    }

    function rest_is_array( $maybe_array ) {
        return wp_is_numeric_array( is_scalar( $maybe_array ) ? wp_parse_list( $maybe_array ) : $maybe_array );
    }

    function rest_sanitize_array( $maybe_array ) {
        return is_scalar( $maybe_array ) ? wp_parse_list( $maybe_array ) : ( is_array( $maybe_array ) ? array_values( $maybe_array ) : array() );
    }

    function rest_is_object( $maybe_object ) {
        return McpCodegen\Stub\is_of_type( $maybe_object, 'object' );
    }

    function rest_authorization_required_code() {
        return 403;
    }

    function rest_ensure_response( $response ) {
        return $response;
    }
}
