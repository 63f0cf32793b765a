<?php
/**
 * What the stub answers when a plugin asks for the state of the site: options, users, other plugins. A real site may
 * answer differently. A further run replaces answers by their opposites: an ability that differs then, or is missing,
 * depends on them.
 */

namespace McpCodegen\Stub;

final class SiteState {
    /** @var array<string, true> The answers that this run replaces, such as `get_option("acme_mode")`. */
    public static $replaced = array();
    /** @var array<string, true> The answers that a plugin got. */
    private static $asked = array();
    /** @var array<string, array{0: string, 1: string}> Checks that found nothing: function and name. */
    private static $absent = array();
    /** @var string|null The class that a check looks for. */
    private static $checked = null;
    /** @var array<string, true> Literal keys of arrays in the code of plugins. */
    private static $keys = array();

    /** Functions of PHP whose calls in plugins are rewritten. */
    const CHECKS = array( 'class_exists', 'interface_exists', 'trait_exists', 'enum_exists', 'function_exists', 'defined', 'extension_loaded', 'getenv' );

    /**
     * Returns the user's value, or the answer of a new site, or its opposite.
     *
     * @param string|null $argument the name of an option, a capability or the like
     */
    public static function answer( string $function, ?string $argument, $value ) {
        $known = Missing::$values[ $function ] ?? null;
        if ( null === $argument && null !== $known ) {
            return $known;
        }
        if ( null !== $argument && is_array( $known ) && array_key_exists( $argument, $known ) ) {
            return $known[ $argument ];
        }
        $origin                 = $function . '(' . ( null === $argument ? '' : json_encode( $argument, JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE ) ) . ')';
        self::$asked[ $origin ] = true;
        if ( ! isset( self::$replaced[ $origin ] ) ) {
            return $value;
        }
        Decisions::record_use( $origin );
        return self::opposite_of( $value, $origin );
    }

    private static function opposite_of( $value, string $origin ) {
        $type = Missing::$types[ strtolower( $origin ) ] ?? null;
        if ( null === $type && is_bool( $value ) && 0 !== strpos( $origin, 'get_' ) ) {
            return ! $value;
        }
        if ( 'int' === $type || 'float' === $type || ( is_int( $value ) && 0 === strpos( $origin, 'get_current_' ) ) ) {
            return (int) $value + 1;
        }
        if ( 'bool' === $type || 'false' === $type ) {
            return ! $value;
        }
        if ( 'array' === $type || is_array( $value ) ) {
            $keys = array_keys( self::$keys );
            return array() === $keys ? array( new Unknown( $origin ) ) : array_fill_keys( $keys, new Unknown( $origin ) );
        }
        if ( 'string' === $type || is_string( $value ) ) {
            return 'local' === $value ? 'production' : mark( $origin );
        }
        Missing::$last = $origin;
        return new Unknown( $origin );
    }

    /** Called instead of a function of PHP that checks whether something exists. */
    public static function check( string $function, ...$args ) {
        $name = (string) ( $args[0] ?? '' );
        if ( '' === $name || false !== strpos( $name, '::' ) ) {
            return $function( ...$args );
        }
        $before        = self::$checked;
        self::$checked = strtolower( ltrim( $name, '\\' ) );
        try {
            $value = $function( ...$args );
        } finally {
            self::$checked = $before;
        }
        if ( false !== $value ) {
            return $value;
        }
        self::$absent[ "$function $name" ] = array( $function, $name );
        return self::answer( $function, ltrim( $name, '\\' ), false );
    }

    /** Whether a class is only looked for. */
    public static function is_checked( string $class ): bool {
        return strtolower( $class ) === self::$checked;
    }

    public static function record_key( string $literal ): void {
        $key = substr( $literal, 1, -1 );
        if ( count( self::$keys ) < 1000 ) {
            self::$keys[ $key ] = true;
        }
    }

    /** Returns the answers that a real site may not give. A name that the plugins define later is their own. */
    public static function get_asked(): array {
        $own = array();
        foreach ( self::$absent as list( $function, $name ) ) {
            // Without autoloading.
            $is_defined = 1 === preg_match( '/^(?:class|interface|trait|enum)_/', $function ) ? $function( $name, false ) : $function( $name );
            if ( false !== $is_defined ) {
                $own[ $function . '(' . json_encode( ltrim( $name, '\\' ), JSON_UNESCAPED_SLASHES ) . ')' ] = true;
            }
        }
        return array_keys( array_diff_key( self::$asked, $own ) );
    }
}
