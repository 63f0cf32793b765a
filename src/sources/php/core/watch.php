<?php
/** Watches what plugins ask about the site, print, and query, and gives other answers where a job says so. */

namespace McpCodegen\Core;

use McpCodegen\Collector;

final class Watch {
    /** Checks that no hook sees, with the name that they ask for. */
    private const CHECKS = '/(?<![\w>:\\\\$])\\\\?(?:(function_exists|class_exists|interface_exists|defined)\s*\(\s*([\'"])\\\\{0,2}([\w\\\\]+)\2)/';
    private const MOST_OUTPUTS = 20;

    /** @var array<string, string> The real folders of plugins in single files, by the folder that they are linked in. */
    public static $folders = array();
    /** @var array<string, mixed> Other answers, by question. */
    private static $answers = array();
    /** @var array<string, string> The names that tell the state of a site, by question. */
    private static $states  = array();
    /** @var array<string, true> The questions that the configuration answers. */
    private static $settled = array();
    /** @var array<string, array> The questions of plugins, with their places. */
    private static $asked   = array();
    private static $outputs = array();
    /** @var array<string, array> The places of queries and requests that a site would answer otherwise, and what answers. */
    private static $queries = array();
    private static $is_done = false;

    public static function begin( array $job ): void {
        self::$answers     = $job['answers'];
        self::$states      = $job['states'];
        self::$settled     = array_fill_keys( $job['settled'], true );
        self::$folders     = $job['linked'];
        Collector::$traced = $job['trace'];
        Collector::$ours   = array_merge( array( dirname( __DIR__ ), $job['dir'] ), $job['beside'] );
        Collector::$more   = array( self::class, 'finish' );
        ob_start( array( self::class, 'record_output' ), 1 );
        Collector::prepare_request( 'localhost' );
        Collector::watch();
        foreach ( $job['options'] as $name => $value ) {
            // A database has texts.
            $stored = is_bool( $value ) ? ( $value ? '1' : '' ) : ( is_scalar( $value ) ? (string) $value : $value );
            Collector::hook( "pre_option_$name", static fn() => $stored );
        }
        Collector::hook( 'pre_http_request', static fn( $result, $options = array(), $url = '' ) => self::record_query( 'an answer of ' . parse_url( (string) $url, PHP_URL_HOST ) ) ?? $result );
        Collector::hook( 'get_user_metadata', static fn( $value, $user = 0, $key = '' ) => self::record_query( "the user's " . json_encode( $key ) ) ?? $value );
        Collector::hook( 'pre_option', array( self::class, 'answer_option' ) );
        Collector::hook( 'user_has_cap', array( self::class, 'answer_capability' ) );
        Collector::hook( 'determine_current_user', static fn( $user ) => true === ( self::$answers['is_user_logged_in()'] ?? null ) ? 1 : $user );
        foreach ( self::$answers as $question => $answer ) {
            self::define_name( $question, $answer );
        }
    }

    /** Makes the network and its site, as the drop-in `sunrise.php` does. */
    public static function make_network(): void {
        $GLOBALS['current_site'] = new \WP_Network( (object) array( 'id' => 1, 'domain' => 'localhost', 'path' => '/', 'blog_id' => 1, 'cookie_domain' => 'localhost', 'site_name' => 'Network' ) );
        $GLOBALS['current_blog'] = new \WP_Site( (object) ( array( 'blog_id' => 1, 'site_id' => 1, 'domain' => 'localhost', 'path' => '/', 'public' => 1 ) + array_fill_keys( array( 'archived', 'mature', 'spam', 'deleted', 'lang_id', 'registered', 'last_updated' ), '0' ) ) );
    }

    /** Defines a name that a plugin checks for: it then exists, and does nothing. */
    private static function define_name( string $question, $answer ): void {
        if ( false === $answer || 1 !== preg_match( '/^(\w+)\("([\w\\\\]+)"\)$/', $question, $match ) ) {
            return;
        }
        list( , $check, $name ) = $match;
        if ( 'defined' === $check ) {
            define( $name, $answer );
            return;
        }
        $at    = strrpos( $name, '\\' );
        $space = 'namespace ' . substr( $name, 0, (int) $at ) . '; ';
        $short = false === $at ? $name : substr( $name, $at + 1 );
        $kinds = array(
            'function_exists'  => "function $short( ...\$arguments ) {}",
            'class_exists'     => "class $short { public function __call( \$name, \$arguments ) { return \$this; } public static function __callStatic( \$name, \$arguments ) { return new static(); } public function __get( \$name ) { return \$this; } }",
            'interface_exists' => "interface $short {}",
        );
        if ( isset( $kinds[ $check ] ) ) {
            // The name has only letters, digits and underscores.
            eval( ( false === $at ? '' : $space ) . $kinds[ $check ] );
        }
    }

    public static function answer_option( $value, $name = '', $default = false ) {
        // They are equal on most sites, and one answer is then enough.
        $name     = 'siteurl' === $name ? 'home' : $name;
        $question = self::ask( "get_option(\"$name\")", array( 'default' => $default ) );
        return null !== $question && array_key_exists( $question, self::$answers ) ? self::$answers[ $question ] : $value;
    }

    public static function answer_capability( $all, $capabilities = array(), $arguments = array() ) {
        $question = self::ask( 'current_user_can("' . ( is_string( $arguments[0] ?? null ) ? $arguments[0] : '' ) . '")' );
        if ( null !== $question && true === ( self::$answers[ $question ] ?? null ) ) {
            $all = array_fill_keys( $capabilities, true ) + $all;
        }
        return $all;
    }

    /** Records a question of a plugin. Returns it, or null if WordPress itself asks. */
    private static function ask( string $question, array $more = array() ): ?string {
        $place = self::asker();
        if ( null === $place || isset( self::$settled[ $question ] ) ) {
            return null;
        }
        self::$asked += array( $question => $place + $more );
        return $question;
    }

    /** Returns the place in a plugin that called WordPress; null if WordPress asks for itself. */
    private static function asker(): ?array {
        foreach ( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 16 ) as $frame ) {
            // Below these, WordPress runs its own work or calls plugins.
            if ( in_array( $frame['function'], array( 'do_action', 'do_action_ref_array', 'require_once', 'include_once', 'require', 'include' ), true ) && ! Collector::is_own( $frame['file'] ?? '' ) ) {
                return null;
            }
            if ( Collector::is_own( $frame['file'] ?? '' ) ) {
                return Collector::place( $frame['file'], $frame['line'] );
            }
        }
        return null;
    }

    public static function record_query( string $question = 'the contents of the database' ): void {
        $place = self::asker();
        if ( null !== $place ) {
            self::$queries += array( implode( ':', $place ) => array( 'question' => $question, 'after' => (string) array_key_last( Collector::$places ) ) + $place );
        }
    }

    /** Called with what a plugin prints. A site prints it before its JSON. */
    public static function record_output( string $text, int $phase ): string {
        // PHP also ends the buffer when the memory is used up. The report needs some.
        if ( 0 !== ( $phase & PHP_OUTPUT_HANDLER_FINAL ) ) {
            ini_set( 'memory_limit', '640M' );
        }
        // Space before JSON is allowed.
        if ( ! self::$is_done && '' !== trim( $text ) && count( self::$outputs ) < self::MOST_OUTPUTS ) {
            $place          = Collector::own_place( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 50 ) );
            $hooks          = $GLOBALS['wp_current_filter'] ?? array();
            self::$outputs += array( implode( ':', $place ) => array( 'text' => substr( trim( $text ), 0, 200 ), 'hook' => (string) end( $hooks ) ) + $place );
        }
        return '';
    }

    /** Returns what was watched, as parts of the answer. */
    public static function finish(): array {
        self::$is_done = true;
        foreach ( preg_grep( '~[/\\\\]vendor[/\\\\]~', Collector::find_included(), PREG_GREP_INVERT ) as $file ) {
            self::record_checks( $file, (string) @file_get_contents( $file ) );
        }
        $asked = array();
        foreach ( self::$asked as $question => $place ) {
            $is_option  = 1 === preg_match( '/^get_option\("(.*)"\)$/s', $question, $match ) && function_exists( 'get_option' );
            $asked[]   = array( 'question' => $question, 'value' => $is_option ? get_option( $match[1], $place['default'] ?? false ) : false ) + Collector::place( $place['file'], $place['line'] );
        }
        return array( 'asked' => $asked, 'queries' => array_values( self::$queries ), 'outputs' => array_values( self::$outputs ) );
    }

    /** Replaces comments with spaces, so that all else stays where it is. */
    private static function blank_comments( string $code ): string {
        $blank = static fn( $token ) => in_array( $token[0], array( T_COMMENT, T_DOC_COMMENT ), true ) ? preg_replace( '/./', ' ', $token[1] ) : ( $token[1] ?? $token );
        return function_exists( 'token_get_all' ) ? implode( '', array_map( $blank, token_get_all( $code ) ) ) : $code;
    }

    /** Records the checks in a file that a site may answer otherwise: of its state, and for names that are not defined here. */
    private static function record_checks( string $file, string $code ): void {
        $offsets = array_map( static fn( $names ) => preg_match_all( "/(?<![\\w>:])(?:$names)\\b/", $code, $found, PREG_OFFSET_CAPTURE ) ? array_column( $found[0], 1 ) : array(), self::$states );
        preg_match_all( self::CHECKS, $code, $found, PREG_SET_ORDER | PREG_OFFSET_CAPTURE );
        foreach ( $found as $match ) {
            $name     = str_replace( '\\\\', '\\', $match[3][0] );
            $question = "{$match[1][0]}(\"$name\")";
            if ( ! ( $match[1][0] )( $name ) || array_key_exists( $question, self::$answers ) ) {
                $offsets[ $question ][] = $match[0][1];
            }
        }
        $offsets = array_filter( array_diff_key( $offsets, self::$settled, self::$asked ) );
        // Most files ask nothing new.
        $text = array() === $offsets ? '' : self::blank_comments( $code );
        foreach ( $offsets as $question => $all ) {
            $asking = array_filter( $all, static fn( $at ) => ' ' !== $text[ $at ] );
            if ( array() !== $asking ) {
                self::$asked[ $question ] = Collector::place( $file, 1 + substr_count( $code, "\n", 0, min( $asking ) ) );
            }
        }
    }
}
