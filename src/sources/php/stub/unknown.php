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
        return new self( $this->origin );
    }

    public function __get( $name ) {
        return new self( $this->origin );
    }

    public function __set( $name, $value ) {
    }

    public function __isset( $name ) {
        return true;
    }

    public function __invoke( ...$args ) {
        return new self( $this->origin );
    }

    #[\ReturnTypeWillChange]
    public function offsetExists( $offset ) {
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
        return new \ArrayIterator( array( mark( $this->origin ) => new self( $this->origin ) ) );
    }

    #[\ReturnTypeWillChange]
    public function count() {
        return 1;
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
    /** @var array<string, true> Functions that had to answer with a plain value; what follows may depend on it. */
    public static $guessed = array();
    /** @var string|null The function that answered last with a value that nobody knows. */
    public static $last = null;

    public static function answer( string $name ) {
        $short = self::short( $name );
        foreach ( array( $name, $short ) as $key ) {
            if ( array_key_exists( $key, self::$given ) ) {
                return self::$given[ $key ];
            }
        }
        $origin = $name . '()';
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
            define( $name, self::$given[ $name ] ?? self::$given[ $short ] ?? mark( $name ) );
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
        $unknown = 'return new \\' . Unknown::class . '( ' . var_export( $name, true ) . ' ); }';
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
