<?php
/**
 * Reads the abilities that plugins register in a WordPress: in one that it loads from a folder, in one that WP-CLI has
 * loaded, or in the core without a site, where `core/boot.php` uses this class. The answer is JSON: one line on stdout after a
 * marker line, since plugins may print too.
 */

namespace McpCodegen;

final class Collector {
    private const MARKER = '=== mcp-codegen: abilities ===';
    /**
     * Queries without side effects, after comments. MySQL executes the text of a comment that starts with an
     * exclamation mark.
     */
    private const READS = '~^(?:[\s(]|/\*(?!!).*?\*/|(?:--|#)[^\n]*\n)*(?:select|show|desc|describe|explain|set|with|pragma)\b~is';
    /** The hooks of the feature plugin, which WordPress does not fire. */
    private const OLD_HOOKS = array( 'abilities_api_categories_init', 'abilities_api_init' );
    private const MISSING   = '/Call to undefined (?:function|method) ([\w\\\\:]+)\(\)|(?:class|interface|trait) "([^"]+)" not found|Undefined constant "([^"]+)"/i';

    /** @var string[] Folders whose code is not that of plugins. */
    public static $ours = array();
    /** @var string[] The abilities whose lines are looked for. */
    public static $traced = array();
    /** @var array<string, array> The places of registrations, by ability, in their order. */
    public static $places = array();
    /** @var callable(): array|null More parts of the answer, which only the core without a site has. */
    public static $more = null;
    /** @var resource|null A copy of stdout, which plugins cannot close. */
    private static $out = null;

    private static $is_done  = false;
    private static $refused  = array();
    /** @var array|null The place of the last redirect, and where it leads. */
    private static $redirect = null;
    /** @var array|null The answer, in case the process ends while the registration is repeated. */
    private static $answer = null;

    /** Prepares to load WordPress from a folder: no cron, no recovery mode. */
    public static function prepare( string $folder ): void {
        $config = $folder . '/wp-config.php';
        $above  = dirname( $folder ) . '/wp-config.php';
        if ( ! is_file( $config ) && ! is_file( $above ) ) {
            self::fail( 'no-config' );
        }
        $text = (string) file_get_contents( is_file( $config ) ? $config : $above );
        // WordPress finds a site of a network by its host.
        self::prepare_request( 1 === preg_match( '/define\(\s*[\'"]DOMAIN_CURRENT_SITE[\'"]\s*,\s*[\'"]([^\'"]+)/', $text, $match ) ? $match[1] : 'localhost' );
        self::hook( 'query', array( self::class, 'read_only' ) );
        chdir( $folder );
    }

    /** Prepares a request for the list of abilities. */
    public static function prepare_request( string $host ): void {
        foreach ( array( 'DISABLE_WP_CRON', 'WP_HTTP_BLOCK_EXTERNAL', 'WP_DISABLE_FATAL_ERROR_HANDLER', 'AUTOMATIC_UPDATER_DISABLED' ) as $name ) {
            define( $name, true );
        }
        // WordPress derives the current page from PHP_SELF.
        $_SERVER = array( 'PHP_SELF' => '/index.php' ) + $_SERVER + array(
            'HTTP_HOST'       => $host,
            'SERVER_NAME'     => $host,
            'SERVER_PORT'     => '80',
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'SERVER_SOFTWARE' => '',
            'REQUEST_METHOD'  => 'GET',
            'REQUEST_URI'     => '/wp-json/wp-abilities/v1/abilities',
            'REMOTE_ADDR'     => '127.0.0.1',
            'HTTP_USER_AGENT' => 'mcp-codegen',
        );
    }

    public static function watch(): void {
        self::$out = fopen( 'php://stdout', 'w' );
        register_shutdown_function( array( self::class, 'end' ) );
        foreach ( array( 'wp_register_ability_args', 'register_ability_args' ) as $filter ) {
            self::hook( $filter, array( self::class, 'record_ability' ) );
        }
        self::hook( 'doing_it_wrong_run', array( self::class, 'record_refusal' ) );
        self::hook( 'doing_it_wrong_trigger_error', static fn() => false );
        self::hook( 'pre_wp_mail', static fn() => false );
        self::hook( 'pre_http_request', static fn() => new \WP_Error( 'http_request_blocked', 'mcp-codegen blocks HTTP requests.' ) );
        self::hook( 'enable_wp_debug_mode_checks', static fn() => false );
        self::hook( 'enable_loading_advanced_cache_dropin', static fn() => false );
        self::hook( 'wp_die_handler', static fn() => array( self::class, 'die' ) );
        self::hook(
            'wp_redirect',
            static function ( $location ) {
                self::$redirect = array( 'to' => (string) $location ) + self::own_place( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) );
                return $location;
            }
        );
        // Labels and descriptions are compared in the source language.
        foreach ( array( 'locale', 'pre_determine_locale' ) as $filter ) {
            self::hook( $filter, static fn() => 'en_US' );
        }
    }

    /** Adds a filter. Before WordPress is loaded, it is added to `$wp_filter`, which WordPress reads. */
    public static function hook( string $name, $callback, int $arguments = 3 ): void {
        if ( function_exists( 'add_filter' ) ) {
            add_filter( $name, $callback, PHP_INT_MAX, $arguments );
        } else {
            $GLOBALS['wp_filter'][ $name ][ PHP_INT_MAX ][] = array( 'function' => $callback, 'accepted_args' => $arguments );
        }
    }

    /** Replaces a query that writes with one that returns nothing. */
    public static function read_only( $query ) {
        return 1 === preg_match( self::READS, (string) $query ) ? $query : 'SELECT 1 LIMIT 0';
    }

    public static function record_ability( $args, $name = '' ) {
        $call = self::find_call( array( 'wp_register_ability', 'register' ) );
        if ( null !== $call ) {
            self::$places[ (string) $name ] = self::place( $call['file'] ?? '', $call['line'] ?? 0 );
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
            $name            = $call['args'][0] ?? '';
            self::$refused[] = array(
                'kind'   => $kind,
                'name'   => is_scalar( $name ) ? (string) $name : '',
                'reason' => $reason,
            ) + self::place( $call['file'] ?? '', $call['line'] ?? 0 );
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

    /** Returns a place in PHP code; an empty file and line 0 if it is not known. */
    public static function place( string $file = '', int $line = 0 ): array {
        return array( 'file' => $file, 'line' => $line );
    }

    /** Returns the nearest place outside of WordPress itself and of this program. */
    public static function own_place( array $frames ): array {
        foreach ( $frames as $frame ) {
            if ( self::is_own( $frame['file'] ?? '' ) ) {
                return self::place( $frame['file'], (int) ( $frame['line'] ?? 0 ) );
            }
        }
        return self::place();
    }

    public static function is_own( string $file ): bool {
        foreach ( self::$ours as $folder ) {
            if ( 0 === strpos( $file, $folder . DIRECTORY_SEPARATOR ) ) {
                return false;
            }
        }
        return '' !== $file && __FILE__ !== $file && false === strpos( $file, 'eval()' ) && ! self::is_core( $file );
    }

    private static function is_core( string $file ): bool {
        static $root = null;
        if ( null === $root && defined( 'ABSPATH' ) ) {
            $root = ( realpath( ABSPATH ) ?: rtrim( ABSPATH, '/\\' ) ) . DIRECTORY_SEPARATOR;
        }
        return null !== $root && 0 === strpos( $file, $root ) && 1 === preg_match( '/^wp-(?:includes|admin|[\w-]+\.php$)/', substr( $file, strlen( $root ) ) );
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
                defined( 'REST_REQUEST' ) || define( 'REST_REQUEST', true );
                rest_get_server();
            }
            // Not wp_get_abilities(): its filters depend on the user.
            $is_late   = 0 < did_action( 'wp_abilities_api_init' );
            $registry  = \WP_Abilities_Registry::get_instance();
            $abilities = null === $registry ? array() : array_values( $registry->get_all_registered() );
            $found     = array_map( array( self::class, 'describe' ), $abilities );

            self::$answer = array( 'abilities' => $found, 'refused' => self::$refused, 'old' => self::find_old(), 'included' => self::find_included() ) + self::find_servers();
            // Another plugin let abilities register before this script could watch.
            if ( $is_late && array() === self::$places && array() !== $found ) {
                self::repeat_registration();
                self::$answer['abilities'] = array_map( array( self::class, 'describe' ), $abilities );
                self::$answer['refused']   = self::$refused;
            }
            self::write( self::$answer );
        } catch ( \Throwable $error ) {
            self::fail_with( $error );
        }
    }

    private static function describe( \WP_Ability $ability ): array {
        $definition = array(
            'name'          => $ability->get_name(),
            'label'         => $ability->get_label(),
            'description'   => $ability->get_description(),
            'category'      => $ability->get_category(),
            'input_schema'  => $ability->get_input_schema(),
            'output_schema' => $ability->get_output_schema(),
            'meta'          => $ability->get_meta(),
        );
        foreach ( array( 'input_schema', 'output_schema' ) as $schema ) {
            if ( array() === $definition[ $schema ] ) {
                unset( $definition[ $schema ] );
            }
        }
        $place  = self::$places[ $ability->get_name() ] ?? self::place_of( $ability );
        $traced = in_array( $definition['name'], self::$traced, true ) ? Trace\Trace::lines_of( $definition, $place ) : array();
        $json   = wp_json_encode( $definition, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE );
        if ( false === $json ) {
            self::fail( 'thrown', "the definition of \"{$definition['name']}\" cannot be written as JSON: " . json_last_error_msg(), $place + array( 'hook' => 'wp_abilities_api_init' ) );
        }
        return array( 'json' => $json, 'lines' => (object) $traced ) + $place;
    }

    /** Registers again in empty registries, for the places and refusals. */
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

    /** Returns the place of the callback of an ability whose registration was not seen. */
    private static function place_of( \WP_Ability $ability ): array {
        $property = new \ReflectionProperty( \WP_Ability::class, 'execute_callback' );
        $property->setAccessible( true );
        return self::place_of_callback( $property->getValue( $ability ) );
    }

    /** Returns the file and line of a callback; an empty file for a function of PHP. */
    public static function place_of_callback( $callback ): array {
        try {
            if ( is_string( $callback ) && false !== strpos( $callback, '::' ) ) {
                $callback = explode( '::', $callback );
            }
            $reflection = is_array( $callback )
                ? new \ReflectionMethod( $callback[0], $callback[1] )
                : ( is_object( $callback ) && ! $callback instanceof \Closure
                    ? new \ReflectionMethod( $callback, '__invoke' )
                    : new \ReflectionFunction( $callback ) );
            return self::place( (string) $reflection->getFileName(), (int) $reflection->getStartLine() );
        } catch ( \Throwable $error ) {
            return self::place();
        }
    }

    /** Returns the callbacks that are only on hooks that this WordPress does not fire. */
    private static function find_old(): array {
        $found = array();
        foreach ( self::OLD_HOOKS as $hook ) {
            $only = array_filter( self::callbacks_of( $hook ), static fn( $place ) => ! in_array( $place, self::callbacks_of( "wp_$hook" ), true ) );
            foreach ( 0 === did_action( $hook ) ? $only : array() as $place ) {
                $found[] = array( 'hook' => $hook ) + $place;
            }
        }
        return $found;
    }

    /** Returns the tools of each server of the MCP adapter, or the callbacks that make servers if no adapter calls them. */
    private static function find_servers(): array {
        $adapter = 'WP\\MCP\\Core\\McpAdapter';
        if ( 0 === did_action( 'mcp_adapter_init' ) || ! class_exists( $adapter, false ) ) {
            return array( 'servers' => array(), 'uncalled' => self::callbacks_of( 'mcp_adapter_init' ) );
        }
        $servers = array();
        foreach ( $adapter::instance()->get_servers() as $server ) {
            $servers[] = array( 'route' => trim( $server->get_server_route_namespace(), '/' ) . '/' . trim( $server->get_server_route(), '/' ), 'tools' => array_map( 'strval', array_keys( $server->get_tools() ) ) );
        }
        return array( 'servers' => $servers, 'uncalled' => array() );
    }

    /** Returns the places of the callbacks of plugins on a hook, or on one of its priorities. */
    private static function callbacks_of( string $hook, $priority = null ): array {
        $found = array();
        foreach ( $GLOBALS['wp_filter'][ $hook ]->callbacks ?? array() as $each => $callbacks ) {
            foreach ( null === $priority || $each === $priority ? $callbacks : array() as $callback ) {
                $place = self::place_of_callback( $callback['function'] );
                if ( self::is_own( $place['file'] ) ) {
                    $found[] = $place;
                }
            }
        }
        return $found;
    }

    /** Returns the loaded files, without those of WordPress. */
    public static function find_included(): array {
        return array_values( array_filter( get_included_files(), array( self::class, 'is_own' ) ) );
    }

    /** Handles `wp_die()`. Its HTML page may name the database and its user. */
    public static function die( $message = '' ): void {
        // The SQLite integration.
        if ( $message instanceof \WP_Error && 1 === preg_match( '/^pdo_(?:driver_)?not_loaded$/', (string) $message->get_error_code() ) ) {
            self::fail( 'requirements', 'pdo_not_loaded' === $message->get_error_code() ? 'PDO' : 'pdo_sqlite' );
        }
        $frames = debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS, 20 );
        $calls  = array_column( $frames, 'function' );
        if ( array() !== array_intersect( $calls, array( 'dead_db', 'bail', 'db_connect', 'require_wp_db', 'print_error' ) ) ) {
            self::fail( 'database' );
        }
        if ( in_array( 'wp_check_php_mysql_versions', $calls, true ) ) {
            self::fail( 'requirements' );
        }
        $text = $message instanceof \WP_Error ? $message->get_error_message() : (string) $message;
        self::fail( 'died', trim( preg_replace( '/\s+/', ' ', html_entity_decode( strip_tags( $text ), ENT_QUOTES ) ) ), self::own_place( $frames ) );
    }

    public static function fail_with( \Throwable $error ): void {
        $frames = array_merge( array( array( 'file' => $error->getFile(), 'line' => $error->getLine() ) ), $error->getTrace() );
        $own    = self::own_place( $frames );
        self::fail( $error instanceof \ParseError ? 'parse' : 'thrown', get_class( $error ) . ': ' . $error->getMessage(), '' === $own['file'] ? self::place( $error->getFile(), $error->getLine() ) : $own );
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
            self::fail( 'fatal', preg_replace( '/^Uncaught /', '', $message ), self::place( $error['file'], $error['line'] ) );
        } elseif ( false !== strpos( self::$redirect['to'] ?? '', 'wp-admin/install.php' ) ) {
            self::fail( 'not-installed' );
        } elseif ( null !== self::$redirect ) {
            self::fail( 'redirect', self::$redirect['to'], self::$redirect );
        } elseif ( 'db-error.php' === basename( (string) end( $files ) ) ) {
            self::fail( 'database' );
        } else {
            self::fail( 'exit', '', self::find_exit() );
        }
    }

    /**
     * Returns the line of the only `exit` or `die` that may have run: in a callback's file while a hook runs, else in the last
     * file that was loaded. Without exactly one, the place of the callback or the file.
     */
    private static function find_exit(): array {
        $hooks  = $GLOBALS['wp_current_filter'] ?? array();
        $hook   = (string) end( $hooks );
        $places = isset( $GLOBALS['wp_filter'][ $hook ] ) ? self::callbacks_of( $hook, $GLOBALS['wp_filter'][ $hook ]->current_priority() ) : array();
        foreach ( array_reverse( array() === $places ? self::find_included() : array() ) as $file ) {
            $places[] = self::place( $file );
        }
        foreach ( $places as $place ) {
            $lines  = array();
            $before = '';
            foreach ( function_exists( 'token_get_all' ) ? token_get_all( (string) @file_get_contents( $place['file'] ) ) : array() as $token ) {
                // "defined( 'ABSPATH' ) || exit" does not exit: it is defined.
                if ( is_array( $token ) && T_EXIT === $token[0] && $token[2] >= $place['line'] && 1 !== preg_match( '/ABSPATH|WPINC/', substr( $before, -80 ) ) ) {
                    $lines[] = $token[2];
                }
                $before .= is_array( $token ) ? $token[1] : $token;
            }
            if ( array() !== $lines ) {
                return 1 === count( $lines ) ? self::place( $place['file'], $lines[0] ) : $place;
            }
        }
        return $places[0] ?? self::place();
    }

    /** Writes why there are no abilities, and ends the process. */
    public static function fail( string $kind, string $message = '', ?array $place = null ): void {
        if ( null !== self::$answer ) {
            self::write( self::$answer );
            exit( 0 );
        }
        // The last one is what the SQLite integration throws.
        if ( 1 === preg_match( '/^mysqli?_|Access denied for user|SQLSTATE\[|without an active database connection/', $message ) ) {
            list( $kind, $message, $place ) = array( 'database', '', null );
        }
        $hooks   = $GLOBALS['wp_current_filter'] ?? array();
        $missing = 1 === preg_match( self::MISSING, $message, $match ) ? (string) end( $match ) : '';
        self::write(
            array(
                'kind'    => $kind,
                'message' => substr( $message, 0, 1000 ),
                'file'    => $place['file'] ?? '',
                'line'    => $place['line'] ?? 0,
                'hook'    => $place['hook'] ?? (string) end( $hooks ),
                'missing' => $missing,
            )
        );
        exit( 0 );
    }

    private static function write( array $answer ): void {
        self::$is_done = true;
        while ( ob_get_level() > 0 && @ob_end_clean() ) {
            continue;
        }
        $answer += array( 'php' => PHP_VERSION, 'wordpress' => (string) ( $GLOBALS['wp_version'] ?? '' ) );
        $answer += ( null === self::$more ? array() : ( self::$more )() ) + array( 'asked' => array(), 'queries' => array(), 'outputs' => array() );
        fwrite( self::$out ?? fopen( 'php://stdout', 'w' ), "\n" . self::MARKER . "\n" . self::to_json( $answer ) . "\n" );
    }

    private static function to_json( $value ): string {
        $flags = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
        // WordPress writes what is not UTF-8 in its own way.
        $text = function_exists( 'wp_json_encode' ) ? wp_json_encode( $value, $flags, 4096 ) : false;
        return (string) ( false !== $text ? $text : json_encode( $value, $flags | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR, 4096 ) );
    }
}

if ( ! defined( 'MCP_CODEGEN_CORE' ) ) {
    if ( defined( 'ABSPATH' ) ) {
        Collector::watch();
        Collector::hook( 'query', array( Collector::class, 'read_only' ) );
    } else {
        Collector::prepare( $argv[1] );
        Collector::watch();
        try {
            // Not in a function: variables that WordPress defines in its files must be global.
            require $argv[1] . '/wp-load.php';
            remove_all_actions( 'shutdown' );
        } catch ( \Throwable $mcp_codegen_error ) {
            Collector::fail_with( $mcp_codegen_error );
        }
    }
    Collector::collect();
}
