<?php
/** The strings and numbers in the code of plugins. */

namespace McpCodegen\Trace;

final class Literals {
    /** @var array<string, array<int, array>> The places of values that constants and variables have, by name. */
    public static $named = array();
    /** @var array<string, array> The places of strings, by text. */
    public static $texts = array();

    /**
     * Returns the place of a string or number: in its element, or in the constant, variable or argument that it comes
     * from.
     */
    public static function find_scalar( $value, ?array $element, array $around ): ?array {
        if ( null !== $element ) {
            $own = self::find_text( $value, $element );
            if ( null !== $own ) {
                return $own;
            }
            // A lone name, such as `self::LIMIT` or `$limit`, refers to a named value.
            $code = Sites::$codes[ $element['file'] ];
            $name = $code->tokens[ $element['to'] ];
            if ( in_array( $name[0], array( T_VARIABLE, T_STRING ), true ) && $element['to'] - $element['from'] <= 4 ) {
                $places = array_values(
                    array_filter(
                        self::$named[ ltrim( $name[1], '$' ) ] ?? array(),
                        static function ( $place ) use ( $value, $element, $name ) {
                            $is_here = T_VARIABLE !== $name[0] || ( $place['file'] === $element['file'] && $place['scope'] === $element['scope'] );
                            return $is_here && null !== self::find_text( $value, $place );
                        }
                    )
                );
                if ( 1 === count( $places ) ) {
                    return self::find_text( $value, $places[0] );
                }
            }
        }
        foreach ( is_string( $value ) ? $around : array() as $expression ) {
            $found = self::find_text( $value, $expression );
            if ( null !== $found ) {
                return $found;
            }
        }
        $places = is_string( $value ) && '' !== $value ? self::$texts[ $value ] ?? array() : array();
        if ( 1 === count( $places ) && ( null === $element || self::is_passed( $element ) ) ) {
            return $places[0];
        }
        return null === $element ? null : Sites::place( $element );
    }

    /** Whether an element contains a variable or a name. */
    private static function is_passed( array $element ): bool {
        $code = Sites::$codes[ $element['file'] ];
        for ( $at = $element['from']; $at <= $element['to']; $at++ ) {
            if ( T_VARIABLE === $code->kind( $at ) || T_STRING === $code->kind( $at ) ) {
                return true;
            }
        }
        return false;
    }

    /** Returns the place of a value as a literal in an expression. */
    private static function find_text( $value, array $expression ): ?array {
        $code = Sites::$codes[ $expression['file'] ];
        for ( $at = $expression['from']; $at <= $expression['to']; $at++ ) {
            $token = $code->tokens[ $at ];
            if ( T_CONSTANT_ENCAPSED_STRING === $token[0] ? unquote( $token[1] ) === $value : in_array( $token[0], array( T_LNUMBER, T_DNUMBER ), true ) && is_numeric( $value ) && (float) $token[1] === abs( (float) $value ) ) {
                return array( 'file' => $expression['file'], 'line' => $token[2] );
            }
        }
        return null;
    }
}
