<?php
/**
 * Reads the abilities of a real WordPress. Loads WordPress from a folder, or runs in one that WP-CLI has loaded. The
 * answer is one line of JSON on stdout, after a marker line, since plugins may print too. `run-site.ts` joins this file
 * and `stub/describe.php` into one script.
 */

namespace McpCodegen;

final class Site {
    private const MARKER = '=== mcp-codegen: abilities ===';
    /**
     * Queries without side effects, after comments. MySQL executes the text of a comment that starts with an
     * exclamation mark.
     */
    private const READS = '~^(?:[\s(]|/\*(?!!).*?\*/|(?:--|#)[^\n]*\n)*(?:select|show|desc|describe|explain|set|with|pragma)\b~is';

    private static $is_done  = false;
    private static $places   = array();
    private static $refused  = array();
    private static $redirect = '';
    /** @var array|null The answer, in case the process ends while the registration is repeated. */
    private static $answer = null;

    /** Prepares to load WordPress from a folder: no cron, no HTTP, no recovery mode, a request for the front page. */
    public static function prepare( string $folder ): void {
        foreach ( array( 'DISABLE_WP_CRON', 'WP_HTTP_BLOCK_EXTERNAL', 'WP_DISABLE_FATAL_ERROR_HANDLER', 'AUTOMATIC_UPDATER_DISABLED' ) as $name ) {
            define( $name, true );
        }
        $config = $folder . '/wp-config.php';
        $above  = dirname( $folder ) . '/wp-config.php';
        if ( ! is_file( $config ) && ! is_file( $above ) ) {
            self::fail( 'no-config' );
        }
        $text = (string) file_get_contents( is_file( $config ) ? $config : $above );
        // WordPress finds a site of a network by its host.
        $host     = 1 === preg_match( '/define\(\s*[\'"]DOMAIN_CURRENT_SITE[\'"]\s*,\s*[\'"]([^\'"]+)/', $text, $match ) ? $match[1] : 'localhost';
        $_SERVER += array(
            'HTTP_HOST'       => $host,
            'SERVER_NAME'     => $host,
            'SERVER_PORT'     => '80',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'SERVER_SOFTWARE' => '',
            'REQUEST_METHOD'  => 'GET',
            'REQUEST_URI'     => '/',
            'REMOTE_ADDR'     => '127.0.0.1',
        );
        chdir( $folder );
    }

    public static function watch(): void {
        register_shutdown_function( array( self::class, 'end' ) );
        foreach ( array( 'wp_register_ability_args', 'register_ability_args' ) as $filter ) {
            self::hook( $filter, array( self::class, 'record_ability' ) );
        }
        self::hook( 'doing_it_wrong_run', array( self::class, 'record_refusal' ) );
        self::hook( 'doing_it_wrong_trigger_error', static fn() => false );
        self::hook( 'query', array( self::class, 'read_only' ) );
        self::hook( 'pre_wp_mail', static fn() => false );
        self::hook( 'pre_http_request', static fn() => new \WP_Error( 'http_request_blocked', 'mcp-codegen blocks HTTP requests.' ) );
        self::hook( 'enable_loading_advanced_cache_dropin', static fn() => false );
        self::hook( 'enable_wp_debug_mode_checks', static fn() => false );
        self::hook( 'wp_die_handler', static fn() => array( self::class, 'die' ) );
        self::hook(
            'wp_redirect',
            static function ( $location ) {
                self::$redirect = (string) $location;
                return $location;
            }
        );
        // Labels and descriptions are compared in the source language.
        foreach ( array( 'locale', 'pre_determine_locale' ) as $filter ) {
            self::hook( $filter, static fn() => 'en_US' );
        }
    }

    /** Adds a filter. Before WordPress is loaded, it is added to `$wp_filter`, which WordPress reads. */
    private static function hook( string $name, $callback ): void {
        if ( function_exists( 'add_filter' ) ) {
            add_filter( $name, $callback, PHP_INT_MAX, 3 );
        } else {
            $GLOBALS['wp_filter'][ $name ][ PHP_INT_MAX ][] = array( 'function' => $callback, 'accepted_args' => 3 );
        }
    }

    /** Replaces a query that writes with one that returns nothing. */
    public static function read_only( $query ) {
        return 1 === preg_match( self::READS, (string) $query ) ? $query : 'SELECT 1 LIMIT 0';
    }

    public static function record_ability( $args, $name = '' ) {
        $call = self::find_call( array( 'wp_register_ability', 'register' ) );
        if ( null !== $call ) {
            self::$places[ (string) $name ] = array( $call['file'] ?? '', $call['line'] ?? 0 );
        }
        return $args;
    }

    public static function record_refusal( $function, $message = '' ): void {
        if ( 1 !== preg_match( '/^(?:WP_Abilit(?:y|ies)(?:_Categories)?_Registry::|wp_register_ability)/', (string) $function ) ) {
            return;
        }
        $call = self::find_call( array( 'wp_register_ability', 'wp_register_ability_category', 'register' ) );
        if ( null !== $call ) {
            $kind            = false === stripos( $call['function'] . ( $call['class'] ?? '' ), 'categor' ) ? 'ability' : 'category';
            $reason          = html_entity_decode( strip_tags( (string) $message ), ENT_QUOTES );
            self::$refused[] = array(
                'kind'   => $kind,
                'name'   => (string) ( $call['args'][0] ?? '' ),
                'reason' => $reason,
                'file'   => $call['file'] ?? '',
                'line'   => $call['line'] ?? 0,
            );
        }
    }

    /** Returns the outermost call that registers the current ability: the call in the plugin. */
    private static function find_call( array $functions ): ?array {
        foreach ( debug_backtrace( 0, 20 ) as $frame ) {
            if ( in_array( $frame['function'], $functions, true ) && ( ! isset( $frame['class'] ) || 0 === strpos( $frame['class'], 'WP_Abilit' ) ) ) {
                $found = $frame;
            } elseif ( isset( $found ) ) {
                break;
            }
        }
        return $found ?? null;
    }

    /** Lets plugins register their abilities, and writes the answer. */
    public static function collect(): void {
        try {
            if ( ! function_exists( 'wp_get_abilities' ) ) {
                self::fail( 'no-api' );
            }
            if ( function_exists( 'switch_to_locale' ) ) {
                switch_to_locale( 'en_US' );
            }
            if ( function_exists( 'rest_get_server' ) ) {
                rest_get_server();
            }
            // Not wp_get_abilities(): its filters depend on the user.
            $is_late   = 0 < did_action( 'wp_abilities_api_init' );
            $registry  = \WP_Abilities_Registry::get_instance();
            $abilities = array();
            foreach ( null === $registry ? array() : $registry->get_all_registered() as $ability ) {
                $abilities[] = array( 'name' => $ability->get_name(), 'json' => to_json( definition_of( $ability ) ), 'ability' => $ability );
            }
            self::$answer = array( 'abilities' => self::add_places( $abilities ), 'refused' => array(), 'included' => self::find_included() );
            if ( $is_late ) {
                self::repeat_registration();
            }
            self::write( array( 'abilities' => self::add_places( $abilities ), 'refused' => self::$refused ) + self::$answer );
        } catch ( \Throwable $error ) {
            self::fail_with( $error );
        }
    }

    private static function add_places( array $abilities ): array {
        return array_map(
            static function ( array $found ): array {
                $place = self::$places[ $found['name'] ] ?? self::place_of( $found['ability'] );
                return array( 'name' => $found['name'], 'json' => $found['json'], 'file' => $place[0], 'line' => $place[1] );
            },
            $abilities
        );
    }

    /**
     * Registers again in empty registries, for the places and refusals. Another plugin let abilities register before this
     * script could watch.
     */
    private static function repeat_registration(): void {
        $kept = array();
        foreach ( array( \WP_Ability_Categories_Registry::class, \WP_Abilities_Registry::class ) as $class ) {
            $property = new \ReflectionProperty( $class, 'instance' );
            $property->setAccessible( true );
            $kept[] = array( $property, $property->getValue() );
            $property->setValue( null, null );
        }
        try {
            \WP_Abilities_Registry::get_instance();
        } catch ( \Throwable $error ) {
            // A callback that can run only once.
            self::$refused = array();
        } finally {
            foreach ( $kept as list( $property, $value ) ) {
                $property->setValue( null, $value );
            }
        }
    }

    /** Returns the place of the callback of an ability that was registered before this script could watch. */
    private static function place_of( \WP_Ability $ability ): array {
        try {
            $property = new \ReflectionProperty( \WP_Ability::class, 'execute_callback' );
            $property->setAccessible( true );
            return place_of_callback( $property->getValue( $ability ) );
        } catch ( \Throwable $error ) {
            return array( '', 0 );
        }
    }

    /** Returns the loaded files, without those of WordPress. */
    private static function find_included(): array {
        $root   = ( realpath( ABSPATH ) ?: ABSPATH ) . DIRECTORY_SEPARATOR;
        $is_own = static fn( $file ) => 0 === strpos( $file, $root . 'wp-includes' ) || 0 === strpos( $file, $root . 'wp-admin' );
        return array_values( array_filter( get_included_files(), static fn( $file ) => ! $is_own( $file ) ) );
    }

    /** Handles `wp_die()`. Its HTML page may name the database and its user. */
    public static function die( $message = '' ): void {
        // The SQLite integration.
        if ( $message instanceof \WP_Error && 1 === preg_match( '/^pdo_(?:driver_)?not_loaded$/', (string) $message->get_error_code() ) ) {
            self::fail( 'requirements', 'pdo_not_loaded' === $message->get_error_code() ? 'PDO' : 'pdo_sqlite' );
        }
        $calls = array_column( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 20 ), 'function' );
        if ( array() !== array_intersect( $calls, array( 'dead_db', 'bail', 'db_connect', 'require_wp_db', 'print_error' ) ) ) {
            self::fail( 'database' );
        }
        if ( in_array( 'wp_check_php_mysql_versions', $calls, true ) ) {
            self::fail( 'requirements' );
        }
        $text = $message instanceof \WP_Error ? $message->get_error_message() : (string) $message;
        self::fail( 'died', trim( preg_replace( '/\s+/', ' ', html_entity_decode( strip_tags( $text ), ENT_QUOTES ) ) ) );
    }

    public static function fail_with( \Throwable $error ): void {
        self::fail( $error instanceof \ParseError ? 'parse' : 'thrown', get_class( $error ) . ': ' . $error->getMessage(), $error->getFile(), $error->getLine() );
    }

    /** Called at the end of the process, however it ends. */
    public static function end(): void {
        if ( self::$is_done ) {
            return;
        }
        $error = error_get_last();
        $fatal = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
        $files = get_included_files();
        if ( null !== $error && 0 !== ( $error['type'] & $fatal ) ) {
            $message = preg_replace( '/ in \S+(?::| on line )\d+$/', '', strtok( $error['message'], "\n" ) );
            self::fail( 'fatal', $message, $error['file'], $error['line'] );
        } elseif ( false !== strpos( self::$redirect, 'wp-admin/install.php' ) ) {
            self::fail( 'not-installed' );
        } elseif ( 'db-error.php' === basename( (string) end( $files ) ) ) {
            self::fail( 'database' );
        } else {
            self::fail( 'exit', '', (string) end( $files ) );
        }
    }

    /** Writes why there are no abilities, and ends the process. */
    private static function fail( string $kind, string $message = '', string $file = '', int $line = 0 ): void {
        if ( null !== self::$answer ) {
            self::write( self::$answer );
            exit( 0 );
        }
        // The last one is what the SQLite integration throws.
        if ( 1 === preg_match( '/^mysqli?_|Access denied for user|SQLSTATE\[|without an active database connection/', $message ) ) {
            list( $kind, $message, $file, $line ) = array( 'database', '', '', 0 );
        }
        self::write( array( 'failure' => array( 'kind' => $kind, 'message' => substr( $message, 0, 1000 ), 'file' => $file, 'line' => $line ) ) );
        exit( 0 );
    }

    private static function write( array $answer ): void {
        self::$is_done = true;
        while ( ob_get_level() > 0 && @ob_end_clean() ) {
            continue;
        }
        $answer += array(
            'php'       => PHP_VERSION,
            'wordpress' => (string) ( $GLOBALS['wp_version'] ?? '' ),
            'root'      => defined( 'ABSPATH' ) ? ABSPATH : '',
        );
        file_put_contents( 'php://stdout', "\n" . self::MARKER . "\n" . to_json( $answer ) . "\n" );
    }
}

if ( ! defined( 'ABSPATH' ) ) {
    Site::prepare( $argv[1] );
    Site::watch();
    try {
        // Not in a function: variables that WordPress defines in its files must be global.
        require $argv[1] . '/wp-load.php';
        remove_all_actions( 'shutdown' );
    } catch ( \Throwable $mcp_codegen_error ) {
        Site::fail_with( $mcp_codegen_error );
    }
} else {
    Site::watch();
}
Site::collect();
