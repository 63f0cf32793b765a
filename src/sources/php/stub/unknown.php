<?php
/**
 * What stands for things that neither PHP nor this stub nor the plugin has: functions, constants and classes of other
 * plugins. They are defined when a run has asked for them, so that `function_exists()` stays right for those that only
 * look; and what comes of them is marked, so that no ability passes for known that is made of guesses.
 */

namespace McpCodegen\Stub;

/** A value that nobody knows. It takes part in most things, and shows wherever it ends up. */
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
        Decisions::used( $this->origin );
        return new self( $this->origin );
    }

    public function __get( $name ) {
        Decisions::used( $this->origin );
        return new self( $this->origin );
    }

    public function __set( $name, $value ) {
    }

    public function __isset( $name ) {
        Decisions::used( $this->origin );
        return true;
    }

    public function __invoke( ...$args ) {
        Decisions::used( $this->origin );
        return new self( $this->origin );
    }

    #[\ReturnTypeWillChange]
    public function offsetExists( $offset ) {
        Decisions::used( $this->origin );
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

    /** One item, so that a list that is made of it shows it. */
    #[\ReturnTypeWillChange]
    public function getIterator() {
        return new \ArrayIterator(
            Decisions::$are_turned ? array() : array( mark( $this->origin ) => new self( $this->origin ) )
        );
    }

    #[\ReturnTypeWillChange]
    public function count() {
        return Decisions::$are_turned ? 0 : 1;
    }

    #[\ReturnTypeWillChange]
    public function jsonSerialize() {
        return mark( $this->origin );
    }
}

/** The text that an unknown value becomes. No plugin writes characters of the private use area. */
function mark( string $origin ): string {
    return "\u{E0FF}$origin\u{E0FF}";
}

/** The origins of the unknown values in a JSON text. */
function find_marks( string $json ): array {
    preg_match_all( '/\x{E0FF}([^\x{E0FF}]*)\x{E0FF}/u', $json, $found );
    return array_values( array_unique( array_map( 'stripslashes', $found[1] ) ) );
}

/**
 * Conditions that a made-up value decided. A second run turns them round: an ability that is another then, or is not there,
 * depends on the value.
 */
final class Decisions {
    /** Whether this run turns conditions round. */
    public static $are_turned = false;
    /** Whether the database of this run has rows, which nobody knows. */
    public static $has_rows = false;
    /** @var string[] The origins of the made-up values that were used, in their order. */
    private static $used = array();
    /** @var array<string, array{origin: string, file: string, line: int}> */
    public static $made = array();

    public static function used( string $origin ): void {
        if ( count( self::$used ) < 100000 ) {
            self::$used[] = $origin;
        }
    }

    public static function mark(): int {
        return count( self::$used );
    }

    /**
     * The value of a condition, or the opposite.
     *
     * @param int    $from   what {@see Decisions::mark} was before
     * @param array  $values the values of the variables in the condition
     * @param string $names  the other names in it
     */
    public static function by( int $from, $value, array $values, string $names ) {
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
        if ( array() === $origins ) {
            return $value;
        }
        $frame = debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 1 )[0];
        $place = ( $frame['file'] ?? '' ) . ':' . ( $frame['line'] ?? 0 );

        self::$made[ $place ] = array( 'origin' => $origins[0], 'file' => $frame['file'] ?? '', 'line' => $frame['line'] ?? 0 );
        return self::$are_turned ? ! $value : $value;
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

/** What is known of the missing things, and which of them were used. */
final class Missing {
    /** @var array<string, mixed> Values that the user gives, by name of function or constant. */
    public static $given = array();
    /** @var array<string, string> How functions answer, where a value of any kind would not do: a type. */
    public static $answers = array();
    /** @var array<string, true> Interfaces and traits, by kind and name. */
    public static $kinds = array();
    /** @var array<string, string[]> Constants of classes. */
    public static $class_constants = array();
    /** @var array<string, true> Classes that this run has made up. */
    public static $made_up = array();
    /** @var string[] Constants that are made up. */
    public static $constants = array();
    /** @var array<string, true> Functions that had to answer with a plain value; what follows may depend on it. */
    public static $guessed = array();
    /** @var string|null The function that answered last with a value that nobody knows. */
    public static $last = null;

    /** What a name in a condition stands for, where that is made up: a constant, or a class. */
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
            if ( array_key_exists( $key, self::$given ) ) {
                return self::$given[ $key ];
            }
        }
        $origin = $name . '()';
        Decisions::used( $origin );
        $type   = self::$answers[ strtolower( $name ) ] ?? 'unknown';
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
            $known = self::$given[ $name ] ?? self::$given[ $short ] ?? null;
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
        $unknown = '\\' . Decisions::class . '::used( ' . var_export( $name, true ) . ' ); '
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
