<?php
/**
 * Values for undefined functions, constants and classes, such as those of other plugins. They are defined after a run
 * has used them, so that `function_exists()` is still false for code that only checks. The results are marked, so that
 * an ability that contains guesses is not reported as known.
 */

namespace McpCodegen\Stub;

/** An unknown value. Most operations accept it, and it is visible in their results. */
final class Unknown implements \ArrayAccess, \IteratorAggregate, \Countable, \JsonSerializable {
    private $origin;

    public function __construct( string $origin ) {
        $this->origin = $origin;
    }

    public function get_origin(): string {
        return $this->origin;
    }

    public function __toString(): string {
        return mark( $this->origin );
    }

    public function __call( $name, $args ) {
        Decisions::record_use( $this->origin );
        return new self( $this->origin );
    }

    public function __get( $name ) {
        Decisions::record_use( $this->origin );
        return new self( $this->origin );
    }

    public function __set( $name, $value ) {
    }

    public function __isset( $name ) {
        Decisions::record_use( $this->origin );
        return true;
    }

    public function __invoke( ...$args ) {
        Decisions::record_use( $this->origin );
        return new self( $this->origin );
    }

    #[\ReturnTypeWillChange]
    public function offsetExists( $offset ) {
        Decisions::record_use( $this->origin );
        return true;
    }

    #[\ReturnTypeWillChange]
    public function offsetGet( $offset ) {
        return new self( $this->origin );
    }

    #[\ReturnTypeWillChange]
    public function offsetSet( $offset, $value ) {
    }

    #[\ReturnTypeWillChange]
    public function offsetUnset( $offset ) {
    }

    /** One item, so that a list made from it shows the value. */
    #[\ReturnTypeWillChange]
    public function getIterator() {
        return new \ArrayIterator(
            Decisions::$are_inverted ? array() : array( mark( $this->origin ) => new self( $this->origin ) )
        );
    }

    #[\ReturnTypeWillChange]
    public function count() {
        return Decisions::$are_inverted ? 0 : 1;
    }

    #[\ReturnTypeWillChange]
    public function jsonSerialize() {
        return mark( $this->origin );
    }
}

/** Returns the text of an unknown value. Plugins do not use characters of the private use area. */
function mark( string $origin ): string {
    return "\u{E0FF}$origin\u{E0FF}";
}

/** Returns the origins of the unknown values in a JSON text. */
function find_marks( string $json ): array {
    preg_match_all( '/\x{E0FF}([^\x{E0FF}]*)\x{E0FF}/u', $json, $found );
    return array_values( array_unique( array_map( 'stripslashes', $found[1] ) ) );
}

/**
 * Conditions that depend on a made-up value. A second run inverts them: an ability that differs then, or is missing,
 * depends on the value.
 */
final class Decisions {
    /** Whether this run inverts conditions. */
    public static $are_inverted = false;
    /** Whether the database of this run returns rows of unknown values. */
    public static $has_rows = false;
    /** @var string[] The origins of the used made-up values, in order. */
    private static $used = array();
    /** @var array<string, array{origin: string, file: string, line: int}> */
    public static $made = array();
    /** @var array<string, bool|null>|null The values of the conditions of this run; null if both values occur. */
    public static $seen = null;
    /** @var array<string, bool|null> The values of conditions on a new site. A run that replaces answers inverts them. */
    public static $normal = array();

    public static function record_use( string $origin ): void {
        if ( count( self::$used ) < 100000 ) {
            self::$used[] = $origin;
        }
    }

    public static function count_uses(): int {
        return count( self::$used );
    }

    /**
     * Returns the value of a condition, or the opposite.
     *
     * @param int    $from   the result of {@see Decisions::count_uses} before the condition
     * @param array  $values the values of its variables
     * @param string $names  its other names
     * @param int    $token  its place in the file
     */
    public static function decide( int $from, $value, array $values, string $names, int $token ) {
        if ( null !== self::$seen ) {
            $key = self::key_of_caller( $token );

            self::$seen[ $key ] = array_key_exists( $key, self::$seen ) && self::$seen[ $key ] !== (bool) $value ? null : (bool) $value;
        }
        $origins = array_slice( self::$used, $from );
        $left    = 500;
        foreach ( $values as $one ) {
            $origins = array_merge( $origins, self::origins_in( $one, 4, $left ) );
        }
        foreach ( explode( ' ', $names ) as $name ) {
            $origin = Missing::find_made_up( $name );
            if ( null !== $origin ) {
                $origins[] = $origin;
            }
        }
        if ( array() !== SiteState::$replaced ) {
            $origins = array_values( array_filter( $origins, static fn( $origin ) => isset( SiteState::$replaced[ $origin ] ) ) );
        }
        if ( array() === $origins ) {
            return $value;
        }
        $frame = debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 1 )[0];
        $place = ( $frame['file'] ?? '' ) . ':' . ( $frame['line'] ?? 0 );

        self::$made[ $place ] = array( 'origin' => $origins[0], 'file' => $frame['file'] ?? '', 'line' => $frame['line'] ?? 0 );
        if ( array() !== SiteState::$replaced ) {
            $normal = self::$normal[ self::key_of_caller( $token ) ] ?? null;
            return null === $normal ? $value : ! $normal;
        }
        return self::$are_inverted ? ! $value : $value;
    }

    private static function key_of_caller( int $token ): string {
        return ( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 2 )[1]['file'] ?? '' ) . ":$token";
    }

    private static function origins_in( $value, int $depth, int &$left ): array {
        $left--;
        if ( $value instanceof Unknown ) {
            return array( $value->get_origin() );
        }
        if ( is_string( $value ) ) {
            return 1 === preg_match( '/\x{E0FF}([^\x{E0FF}]*)\x{E0FF}/u', $value, $found ) ? array( $found[1] ) : array();
        }
        if ( is_object( $value ) && isset( Missing::$made_up[ get_class( $value ) ] ) ) {
            return array( get_class( $value ) );
        }
        $origins = array();
        if ( is_array( $value ) && $depth > 0 ) {
            foreach ( $value as $key => $item ) {
                if ( $left <= 0 || array() !== $origins ) {
                    break;
                }
                $origins = array_merge( self::origins_in( (string) $key, 0, $left ), self::origins_in( $item, $depth - 1, $left ) );
            }
        }
        return $origins;
    }
}

/** The known values of undefined names, and the names that were used. */
final class Missing {
    /** @var array<string, mixed> Values of the user, by name of the function or constant. */
    public static $values = array();
    /** @var array<string, string> The required types of results, by function. */
    public static $types = array();
    /** @var array<string, true> Interfaces and traits, by kind and name. */
    public static $kinds = array();
    /** @var array<string, string[]> Constants of classes. */
    public static $class_constants = array();
    /** @var array<string, true> Made-up classes of this run. */
    public static $made_up = array();
    /** @var string[] Made-up constants. */
    public static $constants = array();
    /** @var array<string, true> Functions with a guessed result; later code may depend on it. */
    public static $guessed = array();
    /** @var string|null The last function that returned an unknown value. */
    public static $last = null;

    /** Returns the made-up constant or class of a name in a condition; null if it is not made up. */
    public static function find_made_up( string $name ): ?string {
        $short = strtolower( self::short( $name ) );
        foreach ( array_merge( self::$constants, array_keys( self::$made_up ) ) as $known ) {
            if ( strtolower( self::short( $known ) ) === $short ) {
                return $known;
            }
        }
        return null;
    }

    public static function answer( string $name ) {
        $short = self::short( $name );
        foreach ( array( $name, $short ) as $key ) {
            if ( array_key_exists( $key, self::$values ) ) {
                return self::$values[ $key ];
            }
        }
        $origin = $name . '()';
        Decisions::record_use( $origin );
        UndefinedNames::record_use( 'function', $name, Run::nearest( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 4 ) ) );
        $type   = self::$types[ strtolower( $name ) ] ?? 'unknown';
        if ( 'unknown' !== $type && 'string' !== $type ) {
            self::$guessed[ $origin ] = true;
        }
        switch ( $type ) {
            case 'array':
                return array();
            case 'string':
                return mark( $origin );
            case 'int':
                return 0;
            case 'float':
                return 0.0;
            case 'bool':
            case 'false':
                return false;
            case 'null':
                return null;
            default:
                self::$last = $origin;
                return new Unknown( $origin );
        }
    }

    public static function define_function( string $name ): void {
        if ( ! function_exists( $name ) ) {
            self::evaluate( $name, 'function %s( ...$args ) { return \\' . __CLASS__ . '::answer( ' . var_export( $name, true ) . ' ); }' );
        }
    }

    public static function define_constant( string $name ): void {
        if ( ! defined( $name ) ) {
            $short = self::short( $name );
            $known = self::$values[ $name ] ?? self::$values[ $short ] ?? null;
            if ( null === $known ) {
                self::$constants[] = $name;
            }
            define( $name, $known ?? mark( $name ) );
        }
    }

    public static function define_class( string $name, string $kind ): void {
        self::$made_up[ $name ] = true;
        $constants              = '';
        foreach ( self::$class_constants[ strtolower( $name ) ] ?? array() as $constant ) {
            $constants .= "const $constant = " . var_export( mark( "$name::$constant" ), true ) . '; ';
        }
        if ( 'class' !== $kind ) {
            self::evaluate( $name, "$kind %s { " . ( 'interface' === $kind ? $constants : '' ) . '}' );
            return;
        }
        $unknown = '\\' . Decisions::class . '::record_use( ' . var_export( $name, true ) . ' ); '
            . 'return new \\' . Unknown::class . '( ' . var_export( $name, true ) . ' ); }';
        self::evaluate(
            $name,
            "class %s { $constants public function __construct( ...\$args ) {} "
            . "public function __call( \$name, \$args ) { $unknown "
            . "public static function __callStatic( \$name, \$args ) { $unknown "
            . "public function __get( \$name ) { $unknown "
            . 'public function __set( $name, $value ) {} public function __isset( $name ) { return true; } }'
        );
    }

    private static function evaluate( string $name, string $pattern ): void {
        $at        = strrpos( $name, '\\' );
        $namespace = false === $at ? '' : 'namespace ' . substr( $name, 0, $at ) . '; ';
        eval( $namespace . str_replace( '%s', self::short( $name ), $pattern ) );
    }

    private static function short( string $name ): string {
        $at = strrpos( $name, '\\' );
        return false === $at ? $name : substr( $name, $at + 1 );
    }
}
