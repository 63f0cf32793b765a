<?php
/** The undefined names of a run, from errors and autoloading. The next run makes them up. */

namespace McpCodegen\Stub;

final class UndefinedNames {
    /** By kind, see `Missing` in harness-answer.ts. */
    public static $found = array();
    /** @var array<string, array> The places that use undefined names, see `Use` in harness-answer.ts. */
    private static $uses = array();

    /**
     * Records the undefined name of an error. Returns whether there is one that can be made up.
     *
     * @param bool $is_caught whether the plugin catches the error
     */
    public static function record_error( \Throwable $error, bool $is_caught = false ): bool {
        if ( ! $error instanceof \Error || ! self::record_message( $error->getMessage(), $error->getTrace() ) ) {
            return false;
        }
        $patterns = array(
            'function' => '/^Call to undefined function ([^\s(]+)\(\)/',
            'constant' => '/^Undefined constant ["\']([^"\':]+)["\']/',
        );
        foreach ( $patterns as $kind => $pattern ) {
            if ( 1 === preg_match( $pattern, $error->getMessage(), $match ) ) {
                self::record_use( $kind, $match[1], array( $error->getFile(), $error->getLine() ), $is_caught );
            }
        }
        return true;
    }

    /** Records a place that uses an undefined name. */
    public static function record_use( string $kind, string $name, ?array $place, bool $is_caught = false ): void {
        list( $file, $line ) = $place ?? array( '', 0 );

        $key = "$kind $name $file:$line";
        $use = self::$uses[ $key ] ?? array( 'kind' => $kind, 'name' => $name, 'file' => $file, 'line' => $line, 'isCaught' => false ) + Run::get_step();
        // An error that is caught once is caught each time.
        $use['isCaught']    = $use['isCaught'] || $is_caught;
        self::$uses[ $key ] = $use;
    }

    public static function get_uses(): array {
        return array_values( self::$uses );
    }

    /** Records the undefined name of a message. Returns whether there is one that can be made up. */
    public static function record_message( string $message, array $trace ): bool {
        if ( 1 === preg_match( '/^Call to undefined function ([^\s(]+)\(\)/', $message, $match ) ) {
            self::$found['names'][] = $match[1];
        } elseif ( 1 === preg_match( '/^Undefined (?:class )?constant [\'"]?([\w\\\\]+)::(\w+)/', $message, $match ) && null !== self::made_up_root( $match[1] ) ) {
            self::$found['classConstants'][ strtolower( self::made_up_root( $match[1] ) ) ][] = $match[2];
        } elseif ( 1 === preg_match( '/^Undefined constant ["\']([^"\':]+)["\']/', $message, $match ) ) {
            self::$found['constants'][] = $match[1];
        } elseif ( 1 === preg_match( '/cannot implement (?:previously implemented interface )?([\w\\\\]+) - it is not an interface/', $message, $match ) ) {
            self::$found['kinds'][ strtolower( $match[1] ) ] = 'interface';
        } elseif ( 1 === preg_match( '/cannot use ([\w\\\\]+) - it is not a trait/', $message, $match ) ) {
            self::$found['kinds'][ strtolower( $match[1] ) ] = 'trait';
        } elseif ( false !== strpos( $message, Unknown::class ) ) {
            return self::record_wrong_type( $message, $trace );
        } else {
            return false;
        }
        return true;
    }

    /** Returns the made-up class among a class and its ancestors. */
    private static function made_up_root( string $class ): ?string {
        $family = class_exists( $class, false ) ? array_merge( class_parents( $class ), class_implements( $class ) ) : array();
        foreach ( array_merge( array( $class ), array_keys( $family ) ) as $name ) {
            if ( isset( Missing::$made_up[ $name ] ) ) {
                return $name;
            }
        }
        return null;
    }

    /** Records the required type for a function whose unknown value was passed to a typed parameter. */
    private static function record_wrong_type( string $message, array $trace ): bool {
        $types = 'array|string|int|float|bool|null';
        $type  = 1 === preg_match( '/must be of (?:the )?type \\??([\w\\\\|]+)/', $message, $match )
            ? ( array_values( array_intersect( explode( '|', $types ), explode( '|', $match[1] ) ) )[0] ?? '' )
            : ( false !== strpos( $message, 'Unsupported operand types' ) ? 'int' : '' );
        // The trace does not have the operands of an operator.
        $origin = false === strpos( $message, 'operand' ) ? null : Missing::$last;
        foreach ( $trace as $frame ) {
            foreach ( $frame['args'] ?? array() as $argument ) {
                $origin = $origin ?? ( $argument instanceof Unknown ? $argument->get_origin() : null );
            }
        }
        $is_state = isset( SiteState::$replaced[ (string) $origin ] );
        $name     = null === $origin ? '' : ( $is_state ? $origin : preg_replace( '/\(\)$/', '', $origin ) );
        if ( '' === $type || '' === $name || ( ! $is_state && $name === $origin ) || isset( Missing::$types[ strtolower( $name ) ] ) ) {
            return false;
        }
        self::$found['functions'][ strtolower( $name ) ] = $type;
        return true;
    }

    /** Makes up a class that no autoloader defines, unless the code only checks whether it exists. */
    public static function make_up( string $class ): void {
        if ( 0 === strpos( $class, __NAMESPACE__ . '\\' ) || SiteState::is_checked( $class ) ) {
            return;
        }
        $frames = debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 6 );
        foreach ( array_slice( $frames, 1 ) as $frame ) {
            if ( 'spl_autoload_call' === $frame['function'] ) {
                continue;
            }
            if ( ! isset( $frame['class'] ) && in_array( $frame['function'], self::LOOKUPS, true ) && 0 !== strpos( $frame['file'] ?? '', __DIR__ ) ) {
                return;
            }
            break;
        }
        $is_after = false;
        foreach ( spl_autoload_functions() as $loader ) {
            if ( $is_after ) {
                self::call_loader( $loader, $class );
                if ( class_exists( $class, false ) || interface_exists( $class, false ) || trait_exists( $class, false ) ) {
                    return;
                }
            }
            $is_after = $is_after || array( self::class, 'make_up' ) === $loader;
        }
        self::record_use( 'class', $class, Run::nearest( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) ) );
        Missing::define_class( $class, Missing::$kinds[ strtolower( $class ) ] ?? self::kind_of( $class, $frames ) );
    }

    /** Calls an autoloader. PHP accepts private methods for a class that registers its own. */
    private static function call_loader( $loader, string $class ): void {
        if ( ! is_array( $loader ) ) {
            call_user_func( $loader, $class );
            return;
        }
        $method = new \ReflectionMethod( $loader[0], $loader[1] );
        $method->setAccessible( true );
        $method->invoke( is_object( $loader[0] ) ? $loader[0] : null, $class );
    }

    /** Functions that only check whether a class exists. */
    const LOOKUPS = array( 'class_exists', 'interface_exists', 'trait_exists', 'enum_exists', 'is_a', 'is_subclass_of', 'is_callable', 'method_exists', 'property_exists', 'defined', 'constant', 'class_implements', 'class_parents', 'unserialize' );

    /**
     * Guesses the kind of a name from the file that uses it. A wrong guess causes a fatal error, which corrects the
     * next run.
     */
    private static function kind_of( string $class, array $frames ): string {
        $place = Run::nearest( $frames );
        $text  = null === $place ? '' : (string) @file_get_contents( $place[0] );
        $at    = strrpos( $class, '\\' );
        $short = preg_quote( false === $at ? $class : substr( $class, $at + 1 ), '/' );
        if ( 1 === preg_match( "/\\bimplements\\s[^{]*\\b$short\\b|\\binterface\\s+\\w+\\s+extends\\s[^{]*\\b$short\\b/i", $text ) ) {
            return 'interface';
        }
        return 1 === preg_match( "/^[ \\t]+use\\s[^;(]*\\b$short\\s*[;,{]/m", $text ) ? 'trait' : 'class';
    }
}
