<?php
/** Rewrites the code of plugins for {@see Loader}. */

namespace McpCodegen\Stub;

/** The tokens of a file, and the texts to insert between them. */
final class Code {
    /** @var array<int, array{0: int|string, 1: string, 2: int}> Kind, text and line. */
    public $tokens = array();
    /** @var array<int, int> The matching bracket of each bracket. */
    public $partner = array();
    /** @var array<int, string> Inserted texts by token. */
    private $before = array();
    private $after  = array();

    public function __construct( string $code ) {
        $line = 1;
        $open = array();
        foreach ( token_get_all( $code ) as $token ) {
            $token = is_array( $token ) ? $token : array( $token, $token, $line );
            $line  = $token[2] + substr_count( $token[1], "\n" );
            $at    = count( $this->tokens );
            switch ( $token[0] ) {
                case '(':
                case '[':
                case '{':
                case T_CURLY_OPEN:
                case T_DOLLAR_OPEN_CURLY_BRACES:
                    $open[] = $at;
                    break;
                case ')':
                case ']':
                case '}':
                    $from = array_pop( $open );
                    if ( null !== $from ) {
                        $this->partner[ $from ] = $at;
                        $this->partner[ $at ]   = $from;
                    }
                    break;
                default:
                    // PHP 7 reads an attribute as a comment.
                    if ( '#[' === $token[1] ) {
                        $open[] = $at;
                    }
            }
            $this->tokens[] = $token;
        }
    }

    /** Returns the kind of a token; null without one. */
    public function kind( ?int $at ) {
        return $this->tokens[ $at ][0] ?? null;
    }

    /** Returns the next token that is neither space nor comment. */
    public function next( int $at ): ?int {
        return $this->step( $at, 1 );
    }

    public function previous( int $at ): ?int {
        return $this->step( $at, -1 );
    }

    private function step( int $at, int $by ): ?int {
        do {
            $at += $by;
        } while ( in_array( $this->kind( $at ), array( T_WHITESPACE, T_COMMENT, T_DOC_COMMENT ), true ) );
        return isset( $this->tokens[ $at ] ) ? $at : null;
    }

    /** The text that is inserted first is outermost. */
    public function wrap( int $from, int $to, string $before, string $after ): void {
        $this->before[ $from ] = ( $this->before[ $from ] ?? '' ) . $before;
        $this->after[ $to ]    = $after . ( $this->after[ $to ] ?? '' );
    }

    public function insert_after( int $at, string $text ): void {
        $this->after[ $at ] = ( $this->after[ $at ] ?? '' ) . $text;
    }

    public function print(): string {
        $text = '';
        foreach ( $this->tokens as $at => $token ) {
            $text .= ( $this->before[ $at ] ?? '' ) . $token[1] . ( $this->after[ $at ] ?? '' );
        }
        return $text;
    }

    /** Whether a token may end an operand, so that an operator or an index can follow. */
    public function ends_operand( ?int $at ): bool {
        return in_array(
            $this->kind( $at ),
            array( ')', ']', '}', '"', T_VARIABLE, T_STRING, T_LNUMBER, T_DNUMBER, T_CONSTANT_ENCAPSED_STRING, T_STRING_VARNAME, T_END_HEREDOC, T_CLASS_C, T_NS_C, T_DIR, T_FILE, T_LINE, T_FUNC_C, T_METHOD_C, T_CLASS ),
            true
        ) || in_array( $this->tokens[ $at ?? -1 ][0] ?? null, NAMES, true );
    }
}

/** Token kinds of names. PHP 8 has separate ones for qualified names. */
define(
    __NAMESPACE__ . '\NAMES',
    array_map( 'constant', array_filter( array( 'T_STRING', 'T_NAME_QUALIFIED', 'T_NAME_FULLY_QUALIFIED', 'T_NAME_RELATIVE' ), 'defined' ) )
);

/** Whether code checks for a name that WordPress does not always define. */
function has_checks( string $code ): bool {
    $known = '(?!\s*[\'"](?:ABSPATH|WPINC)[\'"])';
    return 1 === preg_match( '/\b(?:' . implode( '|', SiteState::CHECKS ) . ")\\s*\\($known/i", $code );
}

/**
 * Returns the code with calls that record caught errors; if `$watches`, conditions that depend on made-up values; and if
 * `$checks`, names that the code checks for.
 */
function rewrite( string $text, bool $watches, bool $checks ): string {
    if ( ! function_exists( 'token_get_all' ) || ! ( $watches || $checks || 1 === preg_match( '/\bcatch\b/i', $text ) ) ) {
        return $text;
    }
    $code = new Code( $text );
    // The outer ones first.
    if ( $watches ) {
        watch_expressions( $code );
    }
    foreach ( $code->tokens as $at => $token ) {
        if ( T_CATCH === $token[0] ) {
            report_caught( $code, $at );
        } elseif ( $watches && ( T_IF === $token[0] || T_ELSEIF === $token[0] ) ) {
            $open = $code->next( $at );
            if ( isset( $code->partner[ $open ] ) ) {
                watch( $code, $open + 1, $code->partner[ $open ] - 1 );
            }
        } elseif ( $watches && '?' === $token[0] && $code->ends_operand( $code->previous( $at ) ) ) {
            $from = start_of_condition( $code, $at );
            if ( null !== $from ) {
                watch( $code, $from, $code->previous( $at ) );
            }
        } elseif ( $checks && T_CONSTANT_ENCAPSED_STRING === $token[0] && '[' === $code->kind( $code->previous( $at ) ) && ']' === $code->kind( $code->next( $at ) ) ) {
            SiteState::record_key( $token[1] );
        }
        if ( $checks && in_array( $token[0], NAMES, true ) && in_array( strtolower( ltrim( $token[1], '\\' ) ), SiteState::CHECKS, true ) ) {
            report_check( $code, $at );
        }
    }
    $rewritten = $code->print();
    return ( $watches || $checks ) && ! can_be_parsed( $rewritten ) ? rewrite( $text, false, false ) : $rewritten;
}

function can_be_parsed( string $code ): bool {
    try {
        token_get_all( $code, TOKEN_PARSE );
        return true;
    } catch ( \ParseError $error ) {
        return false;
    }
}

function report_caught( Code $code, int $at ): void {
    $open  = $code->next( $at );
    $close = $code->partner[ $open ] ?? null;
    $body  = null === $close ? null : $code->next( $close );
    if ( null === $body || '{' !== $code->kind( $body ) ) {
        return;
    }
    $last = $code->previous( $close );
    $name = T_VARIABLE === $code->kind( $last ) ? $code->tokens[ $last ][1] : '$mcp_codegen_caught';
    if ( T_VARIABLE !== $code->kind( $last ) ) {
        $code->insert_after( $last, " $name" );
    }
    $code->insert_after( $body, ' \\' . Run::class . "::record_caught( $name );" );
}

/** Replaces the call of a function of PHP. */
function report_check( Code $code, int $at ): void {
    $before = $code->kind( $code->previous( $at ) );
    $open   = $code->next( $at );
    $close  = $code->partner[ $open ] ?? null;
    $is_own = in_array( $before, array( T_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_NEW, T_NS_SEPARATOR ), true );
    if ( $is_own || '(' !== $code->kind( $open ) || null === $close || $code->next( $open ) === $close || T_ELLIPSIS === $code->kind( $code->next( $open ) ) ) {
        return;
    }
    $function              = strtolower( ltrim( $code->tokens[ $at ][1], '\\' ) );
    $code->tokens[ $at ][1] = '\\' . SiteState::class . '::check';
    $code->insert_after( $open, " '$function'," );
}

/** Kinds of tokens that make an expression a condition. */
const COMPARISONS = array( '<', '>', '!', T_IS_EQUAL, T_IS_NOT_EQUAL, T_IS_IDENTICAL, T_IS_NOT_IDENTICAL, T_IS_SMALLER_OR_EQUAL, T_IS_GREATER_OR_EQUAL, T_BOOLEAN_AND, T_BOOLEAN_OR, T_EMPTY, T_ISSET, T_BOOL_CAST );

/** Watches conditions that are returned, assigned, or at the start of a statement before `&&`, `||`, `and` and `or`. */
function watch_expressions( Code $code ): void {
    $last = count( $code->tokens ) - 1;
    foreach ( $code->tokens as $at => $token ) {
        $before = $code->kind( $code->previous( $at ) );
        if ( T_RETURN === $token[0] || '=' === $token[0] ) {
            $from     = $code->next( $at );
            $is_found = false;
            for ( $to = $from; null !== $to && $to <= $last; $to = $code->next( $to ) ) {
                $kind = $code->kind( $to );
                if ( ';' === $kind ) {
                    break;
                }
                if ( in_array( $kind, array( '?', '=', '&', ')', ']', '}', ',', T_COALESCE, T_FN, T_FUNCTION, T_LOGICAL_AND, T_LOGICAL_OR, T_CLOSE_TAG ), true ) ) {
                    $is_found = false;
                    break;
                }
                $is_found = $is_found || in_array( $kind, COMPARISONS, true );
                $to       = $code->partner[ $to ] ?? $to;
            }
            if ( $is_found && $to !== $from && ';' === $code->kind( $to ) && is_runtime( $code, $at ) ) {
                watch( $code, $from, $code->previous( $to ) );
            }
        } elseif ( in_array( $before, array( ';', '{', '}', T_OPEN_TAG ), true ) && in_array( $token[0], array_merge( NAMES, array( T_VARIABLE, '!', '(', T_EMPTY, T_ISSET ) ), true ) ) {
            for ( $to = $at; null !== $to; $to = $code->next( $to ) ) {
                $kind = $code->kind( $to );
                if ( in_array( $kind, array( T_BOOLEAN_AND, T_BOOLEAN_OR, T_LOGICAL_AND, T_LOGICAL_OR ), true ) ) {
                    watch( $code, $at, $code->previous( $to ) );
                    break;
                }
                if ( in_array( $kind, array( ';', '=', '?', ',', ')', ']', '}', '{', ':' ), true ) ) {
                    break;
                }
                $to = $code->partner[ $to ] ?? $to;
            }
        }
    }
}

/** Whether an `=` assigns when it runs: not a constant, property or parameter. */
function is_runtime( Code $code, int $at ): bool {
    if ( T_RETURN === $code->kind( $at ) ) {
        return true;
    }
    $target = $code->previous( $at );
    while ( null !== $target && ! in_array( $code->kind( $target ), array( ';', '{', '}', T_OPEN_TAG ), true ) ) {
        if ( in_array( $code->kind( $target ), array( T_CONST, T_STATIC, T_PUBLIC, T_PROTECTED, T_PRIVATE, T_VAR ), true ) ) {
            return false;
        }
        $target = $code->previous( $target );
    }
    return true;
}

/** Returns the first token of the condition of a `?`; null if it is not certain. */
function start_of_condition( Code $code, int $at ): ?int {
    $ends = array( '(', '[', '{', '}', ',', ';', '=', '?', ':', T_DOUBLE_ARROW, T_RETURN, T_ECHO, T_PRINT, T_YIELD, T_THROW, T_OPEN_TAG, T_LOGICAL_AND, T_LOGICAL_OR, T_LOGICAL_XOR, T_CONCAT_EQUAL, T_PLUS_EQUAL, T_MINUS_EQUAL, T_MUL_EQUAL, T_DIV_EQUAL, T_AND_EQUAL, T_OR_EQUAL, T_COALESCE_EQUAL, T_CASE, T_INCLUDE, T_INCLUDE_ONCE, T_REQUIRE, T_REQUIRE_ONCE, T_ELSE );
    $from = null;
    for ( $token = $code->previous( $at ); null !== $token; $token = $code->previous( $token ) ) {
        $kind = $code->kind( $token );
        if ( ( ')' === $kind || ']' === $kind ) && isset( $code->partner[ $token ] ) ) {
            $token = $code->partner[ $token ];
        } elseif ( in_array( $kind, $ends, true ) ) {
            return $from;
        }
        $from = $token;
    }
    return null;
}

/** Wraps a condition in a call that checks whether it depends on a made-up value. */
function watch( Code $code, int $from, int $to ): void {
    $values = array();
    $names  = array();
    for ( $at = $from; $at <= $to; $at++ ) {
        $text = $code->tokens[ $at ][1];
        if ( T_VARIABLE === $code->kind( $at ) && T_DOUBLE_COLON !== $code->kind( $code->previous( $at ) ) ) {
            $arrow    = $code->next( $at );
            $property = T_OBJECT_OPERATOR === $code->kind( $arrow ) ? $code->next( $arrow ) : null;
            $is_call  = null !== $property && '(' === $code->kind( $code->next( $property ) );
            if ( '$this' !== $text ) {
                $values[] = "$text ?? null";
            }
            if ( T_STRING === $code->kind( $property ) && ! $is_call ) {
                $values[] = "$text->{$code->tokens[ $property ][1]} ?? null";
            }
        } elseif ( in_array( $code->kind( $at ), NAMES, true ) && names_value( $code, $at ) ) {
            $names[] = $text;
        }
    }
    $class = '\\' . Decisions::class;
    $code->wrap(
        $from,
        $to,
        " $class::decide( $class::count_uses(), (",
        '), array( ' . implode( ', ', array_unique( $values ) ) . ' ), ' . var_export( implode( ' ', array_unique( $names ) ), true ) . ", $from )"
    );
}

/** Whether a name is that of a constant or class, not of a function or member. */
function names_value( Code $code, int $at ): bool {
    $before = $code->kind( $code->previous( $at ) );
    $arrows = array( T_OBJECT_OPERATOR, T_DOUBLE_COLON, defined( 'T_NULLSAFE_OBJECT_OPERATOR' ) ? T_NULLSAFE_OBJECT_OPERATOR : null );
    return ! in_array( $before, $arrows, true ) && ( T_NEW === $before || '(' !== $code->kind( $code->next( $at ) ) );
}
