<?php
/** The surroundings of tokens in the code of plugins. */

namespace McpCodegen\Trace;

/** The functions, classes and constants around the tokens of a file. */
final class Scopes {
    private $code;
    /** @var array<int, array{0: int, 1: string}> End and name of functions, by start. */
    private $functions = array();
    /** @var array<int, array{0: int, 1: string, 2: string}> End, class and name of constant expressions, by start. */
    private $constants = array();
    /** @var array<int, int> Destructuring assignments. */
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
                    if ( null !== $body ) {
                        $is_named         = T_STRING === $code->kind( $name ) && T_NEW !== $code->kind( $previous );
                        $classes[ $body ] = array( $code->partner[ $body ], $is_named ? $namespace . $code->tokens[ $name ][1] : "@{$token[2]}" );
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
                    $this->record_constant( $at, $classes, $namespace );
                    break;
                case '[':
                    // `[ $a, [ $b ] ] = …` destructures an array.
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

    /** Returns the next token of a kind outside of brackets. */
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

    private function record_constant( int $at, array $classes, string $namespace ): void {
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
                // A method inside of the class begins after it, a function around it before.
                $is_in = $this->function_at( $at ) < $from && ! $this->is_constant( $at );
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
        return $this->functions[ $this->function_at( $at ) ][1] ?? '';
    }

    /** Returns the start of the function around a token; -1 outside of functions. */
    private function function_at( int $at ): int {
        $start = -1;
        foreach ( $this->functions as $from => $function ) {
            if ( $from < $at && $at < $function[0] ) {
                $start = $from;
            }
        }
        return $start;
    }

    public function is_constant( int $at ): bool {
        foreach ( $this->constants as $from => $constant ) {
            if ( $from < $at && $at < $constant[0] ) {
                return true;
            }
        }
        return false;
    }

    /** Returns the constant or property whose whole value is an array. */
    public function constant_at( int $at ): ?array {
        $equals   = $this->code->previous( $at );
        $constant = $this->constants[ $equals ] ?? null;
        return null === $constant || '' === $constant[2] ? null : array( 'class' => $constant[1], 'name' => $constant[2] );
    }

    /** Returns the last token of the array that starts at a token; null if none does. */
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

/** Returns the text of a quoted literal. */
function unquote( string $literal ): string {
    $inner = substr( $literal, 1, -1 );
    return "'" === $literal[0] ? str_replace( array( "\\'", '\\\\' ), array( "'", '\\' ), $inner ) : stripcslashes( $inner );
}
