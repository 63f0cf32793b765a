<?php
/** The arrays in the plugins' code: where each is written, its elements, and what is around it. */

namespace McpCodegen\Stub;

final class Sites {
    /** Characters of code that are traced; a plugin's own code is less. */
    private const MOST = 3000000;

    /**
     * Each with `file`, `line`, `from`, `to` (tokens), `scope` (the function it is in), `name` (what it is assigned to) and
     * `elements`. An element has `key` (null where it is computed), `line`, `from`, `to`, `file`, `scope` and `site`, the array
     * that is its whole value.
     */
    public static $all = array();
    /** @var array<string, Code> By file. */
    private static $codes = array();
    /** Constants and properties that have arrays, not yet taken. */
    private static $constants = array();
    /** @var array<string, array<int, array>> The place and the file's scope of texts and numbers that constants and variables are, by name. */
    private static $scalars = array();
    /** @var array<string, array> Places of texts, by text. */
    private static $texts = array();
    private static $size  = 0;

    /** The code with a note of each array that it makes. */
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
                    $code->wrap( $at, $to, ' \\' . Trace::class . "::made( {$by[ $at ]}, ", ' )' );
                }
            } elseif ( '=' === $token[0] ) {
                self::take_assignment( $code, $scopes, $file, $at );
            } elseif ( T_CONSTANT_ENCAPSED_STRING === $token[0] ) {
                self::$texts[ unquote( $token[1] ) ][] = array( 'file' => $file, 'at' => $at, 'line' => $token[2] );
            }
        }
        // Inner arrays come after the ones that they are in.
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

    /** The comma or bracket after an element, and the arrow in it. */
    private static function end_of_element( Code $code, int $at, int $close ): array {
        $arrow = null;
        // The arrow of an arrow function is in a value.
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

    /** `$array['key'] = …;` makes an entry, and `$name = 'text';` or `const NAME = 5;` names one. */
    private static function take_assignment( Code $code, Scopes $scopes, string $file, int $at ): void {
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

            self::$scalars[ ltrim( $code->tokens[ $left ][1], '$' ) ][] = $place;
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
        $code->wrap( $from, $to, ' \\' . Trace::class . '::set( ' . ( count( self::$all ) - 1 ) . ', ', ' )' );
    }

    /** The key that a literal token is; null for what is not one. */
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

    /** The arrays of constants and properties, with their values; each once. */
    public static function take_constants(): array {
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
        if ( '' === $class ) {
            return constant( $name );
        }
        $reflection = new \ReflectionClass( $class );
        return '$' === $name[0] ? $reflection->getDefaultProperties()[ substr( $name, 1 ) ] ?? null : $reflection->getConstant( $name );
    }

    /** The call that registers an ability on this line, as an expression, with the array that it passes. */
    public static function find_call( string $file, int $line ): ?array {
        $code = self::$codes[ $file ] ?? null;
        foreach ( null === $code ? array() : $code->tokens as $at => $token ) {
            $open = in_array( $token[0], NAMES, true ) ? $code->next( $at ) : null;
            if ( null === $open || '(' !== $code->kind( $open ) || ! isset( $code->partner[ $open ] ) ) {
                continue;
            }
            // PHP names the first line of a call, and since 8 the one of its name.
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

    /** The element of an array that an entry is written as; null where it is computed. */
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

    /** How near an array is to the expressions around: written in one of them, or named there. */
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

    private static function is_within( array $one, array $other ): bool {
        return $one['file'] === $other['file'] && $one['from'] >= $other['from'] && $one['to'] <= $other['to'];
    }

    /** @return array<string, true> Variables, functions and constants that an expression names. */
    private static function names_in( array $expression ): array {
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

    /** Where a text, a number or the like is written: in its element, or where a constant, a variable or an argument gets it. */
    public static function find_scalar( $value, ?array $element, array $around ): ?array {
        $text = is_string( $value ) ? $value : null;
        if ( null !== $element ) {
            $own = self::find_text( $value, $element );
            if ( null !== $own ) {
                return $own;
            }
            // A name alone, such as `self::LIMIT` or `$limit`, leads on to what it names.
            $code = self::$codes[ $element['file'] ];
            $name = $code->tokens[ $element['to'] ];
            if ( in_array( $name[0], array( T_VARIABLE, T_STRING ), true ) && $element['to'] - $element['from'] <= 4 ) {
                $places = array_values(
                    array_filter(
                        self::$scalars[ ltrim( $name[1], '$' ) ] ?? array(),
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
        foreach ( $around as $expression ) {
            $found = null === $text ? null : self::find_text( $value, $expression );
            if ( null !== $found && ( null === $element || ! self::is_within( $element, $expression ) || self::is_passed( $element ) ) ) {
                return $found;
            }
        }
        $places = null === $text || '' === $text ? array() : self::$texts[ $text ] ?? array();
        $named  = array();
        foreach ( count( $places ) > 1 ? $around : array() as $expression ) {
            $names = self::names_in( $expression );
            foreach ( $places as $place ) {
                foreach ( self::$all as $site ) {
                    if ( '' !== $site['name'] && isset( $names[ $site['name'] ] ) && $site['file'] === $place['file'] && $site['from'] < $place['at'] && $place['at'] < $site['to'] ) {
                        $named[ $place['file'] . $place['at'] ] = $place;
                    }
                }
            }
            if ( array() !== $named ) {
                $places = array_values( $named );
                break;
            }
        }
        if ( 1 === count( $places ) && ( null === $element || self::is_passed( $element ) ) ) {
            return array( $places[0]['file'], $places[0]['line'] );
        }
        return null === $element ? null : array( $element['file'], $element['line'] );
    }

    /** Whether an element has a value from elsewhere: it is a variable, or is made with one. */
    private static function is_passed( array $element ): bool {
        $code = self::$codes[ $element['file'] ];
        for ( $at = $element['from']; $at <= $element['to']; $at++ ) {
            if ( T_VARIABLE === $code->kind( $at ) || T_STRING === $code->kind( $at ) ) {
                return true;
            }
        }
        return false;
    }

    /** Where an expression has a value as a literal. */
    private static function find_text( $value, array $expression ): ?array {
        $code = self::$codes[ $expression['file'] ];
        for ( $at = $expression['from']; $at <= $expression['to']; $at++ ) {
            $token = $code->tokens[ $at ];
            if ( T_CONSTANT_ENCAPSED_STRING === $token[0] ? unquote( $token[1] ) === $value : in_array( $token[0], array( T_LNUMBER, T_DNUMBER ), true ) && is_numeric( $value ) && (float) $token[1] === abs( (float) $value ) ) {
                return array( $expression['file'], $token[2] );
            }
        }
        return null;
    }
}

/** Functions, classes and constants of a file: what a token is in. */
final class Scopes {
    private $code;
    /** @var array<int, array{0: int, 1: string}> End and name of functions, by start. */
    private $functions = array();
    /** @var array<int, array{0: int, 1: string, 2: string}> End, class and name of what is constant, by start. */
    private $constants = array();
    /** @var array<int, int> What takes arrays apart. */
    private $targets = array();

    public function __construct( Code $code ) {
        $this->code = $code;
        $namespace  = '';
        $classes    = array();
        foreach ( $code->tokens as $at => $token ) {
            $previous = $code->previous( $at );
            switch ( $token[0] ) {
                case T_NAMESPACE:
                    $name = $code->next( $at );
                    for ( $namespace = ''; null !== $name && ! in_array( $code->kind( $name ), array( ';', '{' ), true ); $name = $code->next( $name ) ) {
                        $namespace .= $code->tokens[ $name ][1];
                    }
                    $namespace = '' === $namespace ? '' : $namespace . '\\';
                    break;
                case T_CLASS:
                case T_TRAIT:
                case T_INTERFACE:
                    $name = $code->next( $at );
                    $body = T_DOUBLE_COLON === $code->kind( $previous ) ? null : $this->find( $at, '{' );
                    if ( null !== $body && T_STRING === $code->kind( $name ) ) {
                        $classes[ $body ] = array( $code->partner[ $body ], $namespace . $code->tokens[ $name ][1] );
                    }
                    break;
                case T_FUNCTION:
                case T_FN:
                    $open = $this->find( $at, '(' );
                    if ( null === $open || T_USE === $code->kind( $previous ) ) {
                        break;
                    }
                    $name  = $code->next( $at );
                    $after = $code->partner[ $open ];

                    $this->constants[ $open ] = array( $after, '', '' );
                    $body                     = T_FN === $token[0] ? null : $this->find( $after, '{', ';' );
                    if ( null !== $body && T_STRING === $code->kind( $name ) ) {
                        $this->functions[ $body ] = array( $code->partner[ $body ], $code->tokens[ $name ][1] );
                    }
                    break;
                case T_CONST:
                case T_STATIC:
                case T_VARIABLE:
                    $this->take_constant( $at, $classes, $namespace );
                    break;
                case '[':
                    // `[ $a, [ $b ] ] = …` takes an array apart.
                    $close = $code->partner[ $at ] ?? null;
                    if ( null !== $close && '=' === $code->kind( $code->next( $close ) ) && ! $code->ends_operand( $previous ) ) {
                        $this->targets[ $at - 1 ] = $close;
                    }
                    break;
                case T_AS:
                    $close = $this->find( $at, ')' );
                    if ( null !== $close ) {
                        $this->targets[ $at ] = $close;
                    }
                    break;
            }
        }
    }

    /** The next token of a kind, outside of brackets. */
    private function find( int $at, string $kind, string $unless = '' ): ?int {
        for ( $at++; isset( $this->code->tokens[ $at ] ); $at++ ) {
            $here = $this->code->kind( $at );
            if ( $here === $kind ) {
                return isset( $this->code->partner[ $at ] ) ? $at : null;
            }
            if ( $here === $unless || '}' === $here ) {
                return null;
            }
            if ( isset( $this->code->partner[ $at ] ) && $this->code->partner[ $at ] > $at ) {
                $at = $this->code->partner[ $at ];
            }
        }
        return null;
    }

    private function take_constant( int $at, array $classes, string $namespace ): void {
        $code   = $this->code;
        $kind   = $code->kind( $at );
        $equals = $kind === T_VARIABLE ? $code->next( $at ) : $this->next_equals( $at );
        if ( null === $equals || '=' !== $code->kind( $equals ) ) {
            return;
        }
        $name  = $code->previous( $equals );
        $class = '';
        $is_in = false;
        foreach ( $classes as $from => $one ) {
            if ( $from < $at && $at < $one[0] ) {
                $class = $one[1];
                $is_in = '' === $this->name_at( $at ) && ! $this->is_constant( $at );
            }
        }
        if ( T_VARIABLE === $kind && ! $is_in ) {
            return;
        }
        $end = $equals;
        while ( isset( $code->tokens[ $end ] ) && ';' !== $code->kind( $end ) ) {
            $end = isset( $code->partner[ $end ] ) && $code->partner[ $end ] > $end ? $code->partner[ $end ] : $end + 1;
        }
        $is_local = T_STATIC === $kind && ! $is_in;

        $this->constants[ $equals ] = array( $end, $is_local ? '' : $class, $is_local ? '' : ( '' === $class ? $namespace : '' ) . $code->tokens[ $name ][1] );
    }

    private function next_equals( int $at ): ?int {
        for ( $next = $this->code->next( $at ); null !== $next; $next = $this->code->next( $next ) ) {
            if ( '=' === $this->code->kind( $next ) ) {
                return $next;
            }
            if ( ! in_array( $this->code->kind( $next ), array_merge( NAMES, array( T_VARIABLE, '?', '|', T_ARRAY ) ), true ) ) {
                return null;
            }
        }
        return null;
    }

    public function name_at( int $at ): string {
        $name = '';
        foreach ( $this->functions as $from => $function ) {
            if ( $from < $at && $at < $function[0] ) {
                $name = $function[1];
            }
        }
        return $name;
    }

    public function is_constant( int $at ): bool {
        foreach ( $this->constants as $from => $constant ) {
            if ( $from < $at && $at < $constant[0] ) {
                return true;
            }
        }
        return false;
    }

    /** The constant or property that an array is the whole value of. */
    public function constant_at( int $at ): ?array {
        $equals   = $this->code->previous( $at );
        $constant = $this->constants[ $equals ] ?? null;
        return null === $constant || '' === $constant[2] ? null : array( 'class' => $constant[1], 'name' => $constant[2] );
    }

    /** The last token of the array that begins with a token; null where none does. */
    public function end_of_array( int $at ): ?int {
        $code = $this->code;
        if ( T_ARRAY === $code->kind( $at ) ) {
            $open = $code->next( $at );
            return '(' === $code->kind( $open ) ? $code->partner[ $open ] ?? null : null;
        }
        if ( '[' !== $code->kind( $at ) || ! isset( $code->partner[ $at ] ) || $code->ends_operand( $code->previous( $at ) ) ) {
            return null;
        }
        foreach ( $this->targets as $from => $to ) {
            if ( $from < $at && $at < $to ) {
                return null;
            }
        }
        return $code->partner[ $at ];
    }
}

/** The text that a quoted literal is. */
function unquote( string $literal ): string {
    $inner = substr( $literal, 1, -1 );
    return "'" === $literal[0] ? str_replace( array( "\\'", '\\\\' ), array( "'", '\\' ), $inner ) : stripcslashes( $inner );
}
