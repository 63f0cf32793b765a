<?php
/** The arrays in the code of plugins: their places, elements and surroundings. */

namespace McpCodegen\Trace;

final class Sites {
    /** The limit of traced code, in characters. Plugins have less. */
    private const MOST = 3000000;

    /**
     * Each array has `file`, `line`, `from`, `to` (tokens), `scope` (its function), `name` (the assigned variable) and
     * `elements`. An element has `key` (null if computed), `line`, `from`, `to`, `file`, `scope` and `site`, the array
     * that is its whole value.
     */
    public static $all = array();
    /** @var array<string, Code> By file. */
    public static $codes = array();
    /** Constants and properties with arrays that are not collected yet. */
    private static $constants = array();
    private static $size = 0;

    /** Returns the code with calls that record each created array. */
    public static function instrument( string $text, string $file ): string {
        self::$size += strlen( $text );
        if ( self::$size > self::MOST || ! function_exists( 'token_get_all' ) ) {
            return $text;
        }
        $code   = new Code( $text );
        $scopes = new Scopes( $code );
        $before = array( self::$all, self::$constants );
        $by     = array();
        foreach ( $code->tokens as $at => $token ) {
            $to = $scopes->end_of_array( $at );
            if ( null !== $to ) {
                $by[ $at ] = self::add( $code, $scopes, $file, $at, $to );
                if ( ! $scopes->is_constant( $at ) ) {
                    $code->wrap( $at, $to, ' \\' . Trace::class . "::record( {$by[ $at ]}, ", ' )' );
                }
            } elseif ( '=' === $token[0] ) {
                self::record_assignment( $code, $scopes, $file, $at );
            } elseif ( T_CONSTANT_ENCAPSED_STRING === $token[0] ) {
                Literals::$texts[ unquote( $token[1] ) ][] = array( 'file' => $file, 'line' => $token[2] );
            }
        }
        // Inner arrays follow the outer array.
        foreach ( $by as $id ) {
            foreach ( self::$all[ $id ]['elements'] as $index => $element ) {
                $to = $scopes->end_of_array( $element['from'] );
                if ( $to === $element['to'] ) {
                    self::$all[ $id ]['elements'][ $index ]['site'] = $by[ $element['from'] ];
                }
            }
        }
        $instrumented = $code->print();
        if ( ! can_be_parsed( $instrumented ) ) {
            list( self::$all, self::$constants ) = $before;
            return $text;
        }
        self::$codes[ $file ] = $code;
        return $instrumented;
    }

    private static function add( Code $code, Scopes $scopes, string $file, int $from, int $to ): int {
        $open  = '[' === $code->kind( $from ) ? $from : $code->next( $from );
        $scope = $scopes->name_at( $from );
        $site  = array(
            'file'     => $file,
            'line'     => $code->tokens[ $from ][2],
            'from'     => $from,
            'to'       => $to,
            'scope'    => $scope,
            'name'     => self::assigned_name( $code, $from ),
            'elements' => array(),
        );
        $next  = 0;
        for ( $at = $code->next( $open ); null !== $at && $at < $code->partner[ $open ]; $at = $code->next( $end ) ) {
            list( $end, $arrow ) = self::end_of_element( $code, $at, $code->partner[ $open ] );
            $key                 = null;
            if ( null === $arrow ) {
                $key = T_ELLIPSIS === $code->kind( $at ) ? null : $next++;
            } elseif ( $code->previous( $arrow ) === $at ) {
                $key = self::literal( $code, $at );
            }
            $value = null === $arrow ? $at : $code->next( $arrow );
            if ( $value < $end ) {
                $site['elements'][] = array(
                    'key'   => $key,
                    'file'  => $file,
                    'line'  => $code->tokens[ $at ][2],
                    'from'  => $value,
                    'to'    => $code->previous( $end ),
                    'scope' => $scope,
                    'site'  => null,
                );
            }
        }
        self::$all[] = $site;
        $id          = count( self::$all ) - 1;
        $constant    = $scopes->constant_at( $from );
        if ( null !== $constant ) {
            self::$constants[] = array( 'site' => $id ) + $constant;
        }
        return $id;
    }

    /** Returns the comma or bracket after an element, and its arrow. */
    private static function end_of_element( Code $code, int $at, int $close ): array {
        $arrow = null;
        // The arrow of an arrow function belongs to a value.
        $is_function = false;
        for ( ; $at < $close; $at++ ) {
            $kind = $code->kind( $at );
            if ( ',' === $kind ) {
                break;
            }
            $is_function = $is_function || T_FN === $kind || ( defined( 'T_MATCH' ) && T_MATCH === $kind );
            if ( T_DOUBLE_ARROW === $kind && null === $arrow && ! $is_function ) {
                $arrow = $at;
            }
            if ( isset( $code->partner[ $at ] ) && $code->partner[ $at ] > $at ) {
                $at = $code->partner[ $at ];
            }
        }
        return array( $at, $arrow );
    }

    private static function assigned_name( Code $code, int $at ): string {
        $before = $code->previous( $at );
        $kind   = $code->kind( $before );
        if ( '=' !== $kind && T_COALESCE_EQUAL !== $kind && T_PLUS_EQUAL !== $kind ) {
            return '';
        }
        $name = $code->previous( $before );
        return in_array( $code->kind( $name ), array( T_VARIABLE, T_STRING ), true ) ? ltrim( $code->tokens[ $name ][1], '$' ) : '';
    }

    /** Records `$array['key'] = …;` as an entry, and `$name = 'text';` or `const NAME = 5;` as a named value. */
    private static function record_assignment( Code $code, Scopes $scopes, string $file, int $at ): void {
        $left = $code->previous( $at );
        $from = $code->next( $at );
        $end  = $from;
        while ( null !== $end && ! in_array( $code->kind( $end ), array( ';', ')', ']', '}', ',' ), true ) ) {
            $end = isset( $code->partner[ $end ] ) && $code->partner[ $end ] > $end ? $code->partner[ $end ] + 1 : $end + 1;
            if ( ! isset( $code->tokens[ $end ] ) ) {
                return;
            }
        }
        if ( null === $end || $end === $from ) {
            return;
        }
        $to = $code->previous( $end );
        if ( in_array( $code->kind( $left ), array( T_VARIABLE, T_STRING ), true ) ) {
            $place = array( 'file' => $file, 'from' => $from, 'to' => $to, 'line' => $code->tokens[ $from ][2], 'scope' => $scopes->name_at( $at ) );

            Literals::$named[ ltrim( $code->tokens[ $left ][1], '$' ) ][] = $place;
            return;
        }
        $open = ']' === $code->kind( $left ) ? $code->partner[ $left ] : null;
        $key  = null === $open ? null : $code->next( $open );
        if ( null === $key || $code->next( $key ) !== $left || ';' !== $code->kind( $end ) || '&' === $code->tokens[ $from ][1] || $scopes->is_constant( $at ) ) {
            return;
        }
        $name = self::literal( $code, $key );
        if ( null === $name ) {
            return;
        }
        $scope       = $scopes->name_at( $at );
        self::$all[] = array(
            'file'     => $file,
            'line'     => $code->tokens[ $key ][2],
            'from'     => $from,
            'to'       => $to,
            'scope'    => $scope,
            'name'     => '',
            'elements' => array( array( 'key' => $name, 'file' => $file, 'line' => $code->tokens[ $key ][2], 'from' => $from, 'to' => $to, 'scope' => $scope, 'site' => null ) ),
        );
        $code->wrap( $from, $to, ' \\' . Trace::class . '::record_entry( ' . ( count( self::$all ) - 1 ) . ', ', ' )' );
    }

    /** Returns the key of a literal token; null for other tokens. */
    private static function literal( Code $code, int $at ) {
        switch ( $code->kind( $at ) ) {
            case T_CONSTANT_ENCAPSED_STRING:
                return unquote( $code->tokens[ $at ][1] );
            case T_LNUMBER:
                return (int) $code->tokens[ $at ][1];
            default:
                return null;
        }
    }

    /** Returns the arrays of constants and properties with their values, each once. */
    public static function collect_constants(): array {
        $found = array();
        foreach ( self::$constants as $constant ) {
            try {
                $found[] = array( 'site' => $constant['site'], 'value' => self::value_of( $constant ) );
            } catch ( \Throwable $error ) {
                continue;
            }
        }
        self::$constants = array();
        return $found;
    }

    private static function value_of( array $constant ) {
        list( $class, $name ) = array( $constant['class'], $constant['name'] );
        // An anonymous class is known by its line.
        foreach ( '@' === ( $class[0] ?? '' ) ? get_declared_classes() : array() as $declared ) {
            $reflection = new \ReflectionClass( $declared );
            if ( $reflection->isAnonymous() && '@' . $reflection->getStartLine() === $class && $reflection->getFileName() === self::$all[ $constant['site'] ]['file'] ) {
                $class = $declared;
            }
        }
        if ( '' === $class ) {
            return constant( $name );
        }
        $reflection = new \ReflectionClass( $class );
        return '$' === $name[0] ? $reflection->getDefaultProperties()[ substr( $name, 1 ) ] ?? null : $reflection->getConstant( $name );
    }

    /** Returns the call on a line that registers an ability, as an expression with its array. */
    public static function find_call( string $file, int $line ): ?array {
        $code = self::$codes[ $file ] ?? null;
        foreach ( null === $code ? array() : $code->tokens as $at => $token ) {
            $open = in_array( $token[0], NAMES, true ) ? $code->next( $at ) : null;
            if ( null === $open || '(' !== $code->kind( $open ) || ! isset( $code->partner[ $open ] ) ) {
                continue;
            }
            // PHP reports the first line of a call, and since PHP 8 the line of its name.
            if ( $token[2] === $line || ( $token[2] <= $line && $code->tokens[ $code->partner[ $open ] ][2] === $line ) ) {
                foreach ( self::$all as $id => $site ) {
                    if ( $site['file'] === $file && $code->previous( $site['from'] ) > $open && $site['to'] === self::last_argument( $code, $open ) ) {
                        return array( 'file' => $file, 'from' => $open, 'to' => $code->partner[ $open ], 'scope' => $site['scope'], 'site' => $id );
                    }
                }
                return array( 'file' => $file, 'from' => $open, 'to' => $code->partner[ $open ], 'scope' => '', 'site' => null );
            }
        }
        return null;
    }

    private static function last_argument( Code $code, int $open ): int {
        $last = $code->previous( $code->partner[ $open ] );
        return ',' === $code->kind( $last ) ? $code->previous( $last ) : $last;
    }

    /** Returns the element of the code that an entry comes from; null if it is computed. */
    public static function find_element( array $made, $key, $item ): ?array {
        list( $site, $value ) = $made;
        $computed             = array();
        foreach ( self::$all[ $site ]['elements'] as $element ) {
            if ( null === $element['key'] ) {
                $computed[] = $element;
            } elseif ( is_int( $key ) && is_int( $element['key'] ) ? ( $value[ $element['key'] ] ?? null ) === $item : $element['key'] === $key ) {
                return $element;
            }
        }
        return 1 === count( $computed ) ? $computed[0] : null;
    }

    /** Returns how near an array is to the surrounding expressions: inside one of them, or named there. */
    public static function nearness( int $id, array $around ): int {
        $site = self::$all[ $id ];
        foreach ( $around as $far => $expression ) {
            if ( self::is_within( $site, $expression ) ) {
                return 500 - $far;
            }
        }
        foreach ( $around as $far => $expression ) {
            $names = self::names_in( $expression );
            $is_local = $expression['file'] === $site['file'] && $expression['scope'] === $site['scope'];
            if ( '' !== $site['name'] && isset( $names[ $site['name'] ] ) ) {
                return ( $is_local ? 400 : 300 ) - $far;
            }
            if ( '' !== $site['scope'] && isset( $names[ $site['scope'] ] ) ) {
                return 300 - $far;
            }
        }
        foreach ( $around as $far => $expression ) {
            if ( $expression['file'] === $site['file'] ) {
                return ( $expression['scope'] === $site['scope'] ? 200 : 100 ) - $far;
            }
        }
        return 0;
    }

    /** Returns the place of an array or an element. */
    public static function place( array $part ): array {
        return array( 'file' => $part['file'], 'line' => $part['line'] );
    }

    public static function is_within( array $one, array $other ): bool {
        return $one['file'] === $other['file'] && $one['from'] >= $other['from'] && $one['to'] <= $other['to'];
    }

    /** @return array<string, true> The variables, functions and constants of an expression. */
    public static function names_in( array $expression ): array {
        $code  = self::$codes[ $expression['file'] ];
        $names = array();
        for ( $at = $expression['from']; $at <= $expression['to']; $at++ ) {
            if ( T_VARIABLE === $code->kind( $at ) || in_array( $code->kind( $at ), NAMES, true ) ) {
                $text                                       = $code->tokens[ $at ][1];
                $names[ ltrim( strrchr( "\\$text", '\\' ), '\\$' ) ] = true;
            }
        }
        return $names;
    }
}
