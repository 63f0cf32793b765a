<?php
/** One run: the current callback, its errors, and the answer. */

namespace McpCodegen\Stub;

use function McpCodegen\definition_of;
use function McpCodegen\place_of_callback;
use function McpCodegen\to_json;

final class Run {
    private static $out;
    private static $is_finished = false;
    private static $reserve;
    /** @var array{during: string, file: string, line: int, plugin: string} */
    private static $at = array( 'during' => 'starting', 'file' => '', 'line' => 0, 'plugin' => '' );
    /** @var resource The file with the current step, for the case that this process dies. */
    private static $trail;
    /** @var array<string, true> The abilities to trace. */
    private static $traced = array();
    /** @var string[] The main files of the plugins. */
    private static $plugins = array();
    /** @var array<string, string> The plugin that loaded each file, for files that plugins load immediately. */
    private static $owners = array();
    /** @var array<string, array{0: string, 1: int}> The place of each registration. */
    private static $places = array();
    /** @var array<string, string> The plugin of each ability. */
    private static $owner = array();
    /** @var array<string, string[]> Guessed values that an ability may depend on. */
    private static $guesses = array();
    /** Whether a plugin checks for something with a function of PHP. */
    private static $has_checks = false;
    /** @var array<string, array> What plugins print, by place. */
    private static $outputs = array();
    private static $refused = array();
    private static $errors  = array();

    /** The hooks on which abilities are registered. */
    const REGISTRATION = array( 'wp_abilities_api_categories_init', 'abilities_api_categories_init', 'wp_abilities_api_init', 'abilities_api_init' );

    public static function begin( array $job ): void {
        self::$out                = $job['out'];
        self::$trail              = fopen( self::$out . '.trail', 'w' );
        self::$plugins            = $job['plugins'];
        Decisions::$are_inverted    = $job['inverted'] ?? false;
        Decisions::$has_rows      = $job['rows'] ?? false;
        Decisions::$seen           = $job['observed'] ?? false ? array() : null;
        Decisions::$normal         = $job['conditions'] ?? array();
        SiteState::$replaced       = array_fill_keys( $job['replaced'] ?? array(), true );
        Missing::$values           = $job['stubs'] ?? array();
        Missing::$types         = $job['missing']['functions'] ?? array();
        Missing::$kinds           = $job['missing']['kinds'] ?? array();
        Missing::$class_constants = $job['missing']['classConstants'] ?? array();
        self::$reserve            = str_repeat( ' ', 1 << 20 );
        register_shutdown_function( array( self::class, 'end' ) );
        foreach ( $job['disabled'] ?? array() as $name ) {
            Missing::$values += array( $name => false );
        }
        foreach ( array_keys( Missing::$values ) as $name ) {
            1 === preg_match( '/^[A-Z0-9_\\\\]+$/', $name )
                ? Missing::define_constant( $name )
                : Missing::define_function( $name );
        }
        foreach ( $job['missing']['names'] ?? array() as $name ) {
            Missing::define_function( $name );
        }
        foreach ( $job['missing']['constants'] ?? array() as $name ) {
            Missing::define_constant( $name );
        }
        spl_autoload_register( array( UndefinedNames::class, 'make_up' ) );
        add_action( 'mcp_codegen_registered', array( self::class, 'record_registered' ) );
        add_action( 'mcp_codegen_refused', array( self::class, 'record_refused' ), 10, 3 );
        Hooks::$guard = array( self::class, 'call' );
        self::$traced = array_fill_keys( $job['traced'] ?? array(), true );
        $watches      = $job['watches'] ?? false;
        $checks       = $watches || array() !== array_intersect( SiteState::CHECKS, array_keys( Missing::$values ) );
        $traces       = array() !== self::$traced;
        if ( $traces ) {
            require_once __DIR__ . '/trace.php';
        }
        Loader::start(
            static function ( string $code, string $file ) use ( $watches, $traces, $checks ): string {
                if ( 0 === strpos( $file, __DIR__ . DIRECTORY_SEPARATOR ) ) {
                    return $code;
                }
                $is_own = false === strpos( str_replace( '\\', '/', $file ), '/vendor/' );
                self::$has_checks = self::$has_checks || ( $is_own && has_checks( $code ) );
                return rewrite( $traces && $is_own ? Sites::instrument( $code, $file ) : $code, $watches, $checks && $is_own );
            }
        );
    }

    /** Called before a main file is loaded. */
    public static function load( string $file ): void {
        self::assign_owners();
        self::set_position( array( 'during' => 'loading', 'file' => $file, 'line' => 1, 'plugin' => in_array( $file, self::$plugins, true ) ? $file : '' ) );
    }

    /** Assigns new files to the current plugin. */
    private static function assign_owners(): void {
        foreach ( get_included_files() as $file ) {
            self::$owners += array( $file => self::$at['plugin'] );
        }
    }

    /** Returns the main file of a file's plugin: the one that loaded it, or the one in a folder above. */
    private static function plugin_of( string $file ): string {
        if ( isset( self::$owners[ $file ] ) ) {
            return self::$owners[ $file ];
        }
        $found = array();
        foreach ( self::$plugins as $plugin ) {
            if ( 0 === strpos( $file, dirname( $plugin ) . DIRECTORY_SEPARATOR ) ) {
                $found[ strlen( dirname( $plugin ) ) ][] = $plugin;
            }
        }
        krsort( $found );
        $nearest = reset( $found );
        // Must-use plugins share a folder.
        return false !== $nearest && 1 === count( $nearest ) ? $nearest[0] : '';
    }

    private static function set_position( array $at ): void {
        self::$at = $at;
        ftruncate( self::$trail, 0 );
        rewind( self::$trail );
        fwrite( self::$trail, (string) json_encode( $at, JSON_INVALID_UTF8_SUBSTITUTE ) );
    }

    /**
     * Calls a callback of a hook. Undefined names in it are recorded and made up in the next run, and the next
     * callbacks are still called, even if another plugin fired the hook and would catch the error. Other errors are
     * thrown to a plugin that fired the hook, as in WordPress.
     */
    public static function call( $callback, array $args, string $hook, bool $is_nested ) {
        // A callback of another plugin, which would be there on a site that has the plugin.
        if ( array() !== SiteState::$replaced && ! is_callable( $callback ) ) {
            return $args[0] ?? null;
        }
        $is_guarded = ! $is_nested || in_array( $hook, self::REGISTRATION, true );
        $before     = self::$at;
        $guessed    = Missing::$guessed;
        if ( $is_guarded ) {
            $place            = place_of_callback( $callback );
            Missing::$guessed = array();
            self::set_position( array( 'during' => "in the hook \"$hook\"", 'file' => $place[0], 'line' => $place[1], 'plugin' => self::plugin_of( $place[0] ) ) );
        }
        try {
            return call_user_func_array( $callback, $args );
        } catch ( \Throwable $error ) {
            if ( $is_guarded ) {
                self::record_error( $error );
            } elseif ( ! UndefinedNames::record_error( $error ) ) {
                throw $error;
            }
            return $args[0] ?? null;
        } finally {
            if ( $is_guarded ) {
                self::set_position( $before );
                Missing::$guessed = $guessed;
            }
        }
    }

    /** Called with each error that a plugin catches. */
    public static function record_caught( \Throwable $error ): void {
        UndefinedNames::record_error( $error, true );
    }

    /** Returns the plugin that runs, and the hook if abilities are registered on it. */
    public static function get_step(): array {
        $hooks = array_filter( self::REGISTRATION, static fn( $hook ) => self::$at['during'] === "in the hook \"$hook\"" );
        return array( 'plugin' => self::$at['plugin'], 'hook' => reset( $hooks ) ?: '' );
    }

    public static function record_error( \Throwable $error ): void {
        if ( UndefinedNames::record_error( $error ) ) {
            return;
        }
        list( $file, $line ) = self::place_of( $error );
        self::$errors[]      = array(
            'kind'    => $error instanceof \ParseError ? 'parse' : 'thrown',
            'message' => get_class( $error ) . ': ' . $error->getMessage(),
            'file'    => $file,
            'line'    => $line,
            'during'  => self::$at['during'],
            'plugin'  => self::$at['plugin'],
        );
    }

    /** Returns the place of an error: the line of the user when our code throws. */
    private static function place_of( \Throwable $error ): array {
        $frames = array_merge( array( array( 'file' => $error->getFile(), 'line' => $error->getLine() ) ), $error->getTrace() );
        return self::nearest( $frames ) ?? array( $error->getFile(), $error->getLine() );
    }

    public static function nearest( array $frames ): ?array {
        foreach ( $frames as $frame ) {
            $file = $frame['file'] ?? '';
            if ( '' !== $file && 0 !== strpos( $file, __DIR__ . DIRECTORY_SEPARATOR ) && false === strpos( $file, 'eval()' ) ) {
                return array( $file, (int) ( $frame['line'] ?? 0 ) );
            }
        }
        return null;
    }

    public static function record_registered( string $name ): void {
        $frames                 = debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS );
        self::$places[ $name ]  = self::nearest( $frames );
        self::$owner[ $name ]   = self::$at['plugin'];
        self::$guesses[ $name ] = array_keys( Missing::$guessed );
    }

    /** Called with what a plugin prints. A site prints it before its JSON. */
    public static function record_output( string $text ): void {
        $place = self::nearest( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) ) ?? array( self::$at['file'], 0 );
        // Space before JSON is allowed.
        if ( self::$is_finished || '' === trim( $text ) || count( self::$outputs ) > 20 ) {
            return;
        }
        self::$outputs += array(
            implode( ':', $place ) => array(
                'text'   => substr( trim( $text ), 0, 200 ),
                'file'   => $place[0],
                'line'   => $place[1],
                'during' => self::$at['during'],
            ),
        );
    }

    public static function record_refused( string $kind, string $name, string $why ): void {
        $place           = self::nearest( debug_backtrace( DEBUG_BACKTRACE_IGNORE_ARGS ) );
        self::$refused[] = array(
            'kind'   => $kind,
            'name'   => $name,
            'reason' => $why,
            'file'   => $place[0] ?? '',
            'line'   => $place[1] ?? 0,
        );
    }

    public static function finish(): void {
        self::assign_owners();
        foreach ( array( 'muplugins_loaded', 'plugins_loaded', 'setup_theme', 'after_setup_theme', 'init', 'wp_loaded' ) as $hook ) {
            do_action( $hook );
        }
        do_action( 'rest_api_init', new \WP_REST_Server() );
        $abilities = array();
        // Not wp_get_abilities(): its filters depend on the user.
        foreach ( \WP_Abilities_Registry::get_instance()->get_all_registered() as $name => $ability ) {
            try {
                $abilities[] = self::describe( $name, $ability );
            } catch ( \Throwable $error ) {
                self::record_error( $error );
            }
        }
        self::$is_finished = true;
        self::write(
            array(
                'php'       => PHP_VERSION,
                'abilities' => $abilities,
                'refused'   => self::$refused,
                'missing'   => UndefinedNames::$found,
                'outputs'   => array_values( self::$outputs ),
                'uses'      => UndefinedNames::get_uses(),
                'loaded'    => self::list_loaded(),
                'autoloaders' => Loader::$absent,
                'madeUp'    => array_keys( Missing::$made_up ),
                'errors'    => self::$errors,
                'usesMadeUp' => Decisions::count_uses() > 0 || array() !== Missing::$made_up || array() !== Missing::$constants,
                'usesDatabase' => $GLOBALS['wpdb'] instanceof \wpdb && $GLOBALS['wpdb']->num_queries > 0,
                'decisions' => array_values( Decisions::$made ),
                'asked'     => SiteState::get_asked(),
                'hasChecks' => self::$has_checks,
                'conditions' => Decisions::$seen ?? array(),
            )
        );
    }

    /** Returns the files of plugins that were loaded. */
    private static function list_loaded(): array {
        $is_own = static fn( string $file ): bool => 0 !== strpos( $file, __DIR__ . DIRECTORY_SEPARATOR );
        return array_values( array_filter( get_included_files(), $is_own ) );
    }

    private static function describe( string $name, \WP_Ability $ability ): array {
        $definition = definition_of( $ability );
        $json       = to_json( $definition );
        $place      = self::$places[ $name ] ?? array( '', 0 );
        return array(
            'name'    => $name,
            // As JSON text, which is what WordPress prints.
            'json'    => $json,
            'file'    => $place[0],
            'line'    => $place[1],
            'lines'   => isset( self::$traced[ $name ] ) ? Trace::lines_of( $definition, $place ) : array(),
            'plugin'  => self::$owner[ $name ] ?? '',
            'unknown' => array_values( array_unique( array_merge( find_marks( $json ), self::$guesses[ $name ] ?? array() ) ) ),
        );
    }

    /** Called at the end of the process, however it ends. */
    public static function end(): void {
        self::$reserve = null;
        if ( self::$is_finished ) {
            return;
        }
        $error = error_get_last();
        $fatal = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
        if ( null === $error || 0 === ( $error['type'] & $fatal ) ) {
            $error = array( 'kind' => 'exit', 'message' => 'exit' ) + self::find_exit();
        } elseif ( ! UndefinedNames::record_message( $error['message'], array() ) ) {
            $error = array( 'kind' => 'fatal', 'message' => strtok( $error['message'], "\n" ), 'file' => $error['file'], 'line' => $error['line'] );
        } else {
            $error = null;
        }
        if ( null !== $error ) {
            self::$errors[] = $error + array( 'during' => self::$at['during'], 'plugin' => self::$at['plugin'] );
        }
        self::write(
            array(
                'php'      => PHP_VERSION,
                'isCutOff' => true,
                'missing'  => UndefinedNames::$found,
                'uses'     => UndefinedNames::get_uses(),
                'errors'   => self::$errors,
            )
        );
    }

    /**
     * Returns the line of the only `exit` or `die` that may have run: in the current file, or else in the last included
     * one. If there is not exactly one, returns the place of the callback.
     */
    private static function find_exit(): array {
        foreach ( array_merge( array( self::$at['file'] ), array_reverse( get_included_files() ) ) as $file ) {
            if ( null === self::nearest( array( array( 'file' => $file ) ) ) ) {
                continue;
            }
            $lines  = array();
            $before = '';
            foreach ( token_get_all( (string) @file_get_contents( $file ) ) as $token ) {
                // "defined( 'ABSPATH' ) || exit" does not exit: it is defined.
                if ( is_array( $token ) && T_EXIT === $token[0] && 1 !== preg_match( '/ABSPATH|WPINC/', substr( $before, -80 ) ) ) {
                    $lines[] = $token[2];
                }
                $before .= is_array( $token ) ? $token[1] : $token;
            }
            if ( array() !== $lines ) {
                return 1 === count( $lines )
                    ? array( 'file' => $file, 'line' => $lines[0] )
                    : array( 'file' => $file, 'line' => $file === self::$at['file'] ? self::$at['line'] : 0 );
            }
        }
        return array( 'file' => self::$at['file'], 'line' => self::$at['line'] );
    }

    private static function write( array $answer ): void {
        stream_wrapper_restore( 'file' );
        file_put_contents( self::$out, to_json( $answer ) );
    }
}
