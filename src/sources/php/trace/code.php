<?php
/** The tokens of PHP code, and texts between them. */

namespace McpCodegen\Trace;

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

function can_be_parsed( string $code ): bool {
    try {
        token_get_all( $code, TOKEN_PARSE );
        return true;
    } catch ( \ParseError $error ) {
        return false;
    }
}
