<?php
/** Actions and filters. */

namespace McpCodegen\Stub {

    /**
     * Callbacks by hook, priority and identity. Callbacks that are added or removed while their hook runs take effect
     * at later priorities, and later at the current priority.
     */
    final class Hooks {
        /** @var array<string, array<int, array<string, array{0: callable, 1: int}>>> */
        private static $callbacks = array();
        /** @var array<string, int> */
        private static $done = array();
        /** @var string[] */
        private static $running = array();
        /** @var callable|null Runs the callbacks: ( callable, args, hook, whether another hook is running ). */
        public static $guard = null;

        public static function add( string $hook, $callback, int $priority, int $accepted ): void {
            self::$callbacks[ $hook ][ $priority ][ self::identify( $callback ) ] = array( $callback, $accepted );
            ksort( self::$callbacks[ $hook ] );
        }

        public static function remove( string $hook, $callback, int $priority ): bool {
            $id = self::identify( $callback );
            if ( ! isset( self::$callbacks[ $hook ][ $priority ][ $id ] ) ) {
                return false;
            }
            unset( self::$callbacks[ $hook ][ $priority ][ $id ] );
            return true;
        }

        public static function remove_all( string $hook, $priority ): void {
            if ( false === $priority ) {
                unset( self::$callbacks[ $hook ] );
            } else {
                unset( self::$callbacks[ $hook ][ $priority ] );
            }
        }

        /** Returns the priority of a callback, or whether the hook has any callback. */
        public static function has( string $hook, $callback ) {
            $priorities = array_filter( self::$callbacks[ $hook ] ?? array() );
            if ( false === $callback ) {
                return array() !== $priorities;
            }
            $id = self::identify( $callback );
            foreach ( $priorities as $priority => $callbacks ) {
                if ( isset( $callbacks[ $id ] ) ) {
                    return $priority;
                }
            }
            return false;
        }

        public static function filter( string $hook, array $args ) {
            return self::run( $hook, $args, true );
        }

        public static function action( string $hook, array $args ): void {
            self::$done[ $hook ] = ( self::$done[ $hook ] ?? 0 ) + 1;
            self::run( $hook, array() === $args ? array( '' ) : $args, false );
        }

        public static function count_done( string $hook ): int {
            return self::$done[ $hook ] ?? 0;
        }

        public static function is_running( ?string $hook ): bool {
            return null === $hook ? array() !== self::$running : in_array( $hook, self::$running, true );
        }

        public static function current() {
            return end( self::$running );
        }

        private static function run( string $hook, array $args, bool $is_filter ) {
            self::$running[] = $hook;
            try {
                $seen     = array();
                $priority = null;
                while ( null !== ( $priority = self::next_priority( $hook, $priority ) ) ) {
                    while ( null !== ( $entry = self::next_callback( $hook, $priority, $seen ) ) ) {
                        list( $callback, $accepted ) = $entry;
                        $given  = array_slice( $args, 0, $accepted );
                        $answer = null !== self::$guard
                            ? call_user_func( self::$guard, $callback, $given, $hook, count( self::$running ) > 1 )
                            : call_user_func_array( $callback, $given );
                        if ( $is_filter ) {
                            $args[0] = $answer;
                        }
                    }
                }
            } finally {
                array_pop( self::$running );
            }
            return $args[0] ?? null;
        }

        private static function next_priority( string $hook, ?int $after ): ?int {
            foreach ( array_keys( self::$callbacks[ $hook ] ?? array() ) as $priority ) {
                if ( null === $after || $priority > $after ) {
                    return $priority;
                }
            }
            return null;
        }

        private static function next_callback( string $hook, int $priority, array &$seen ): ?array {
            foreach ( self::$callbacks[ $hook ][ $priority ] ?? array() as $id => $entry ) {
                if ( ! isset( $seen[ "$priority $id" ] ) ) {
                    $seen[ "$priority $id" ] = true;
                    return $entry;
                }
            }
            return null;
        }

        private static function identify( $callback ): string {
            if ( is_string( $callback ) ) {
                return $callback;
            }
            if ( is_object( $callback ) ) {
                return spl_object_hash( $callback );
            }
            if ( is_array( $callback ) && isset( $callback[0], $callback[1] ) && is_string( $callback[1] ) ) {
                $owner = is_object( $callback[0] ) ? spl_object_hash( $callback[0] ) : (string) $callback[0];
                return "$owner::{$callback[1]}";
            }
            return md5( serialize( $callback ) );
        }
    }
}

namespace {

    use McpCodegen\Stub\Hooks;
    use McpCodegen\Stub\SiteState;

    function add_filter( $hook_name, $callback, $priority = 10, $accepted_args = 1 ) {
        Hooks::add( (string) $hook_name, $callback, (int) $priority, (int) $accepted_args );
        return true;
    }

    function add_action( $hook_name, $callback, $priority = 10, $accepted_args = 1 ) {
        return add_filter( $hook_name, $callback, $priority, $accepted_args );
    }

    function remove_filter( $hook_name, $callback, $priority = 10 ) {
        return Hooks::remove( (string) $hook_name, $callback, (int) $priority );
    }

    function remove_action( $hook_name, $callback, $priority = 10 ) {
        return remove_filter( $hook_name, $callback, $priority );
    }

    function remove_all_filters( $hook_name, $priority = false ) {
        Hooks::remove_all( (string) $hook_name, $priority );
        return true;
    }

    function remove_all_actions( $hook_name, $priority = false ) {
        return remove_all_filters( $hook_name, $priority );
    }

    function has_filter( $hook_name, $callback = false ) {
        return Hooks::has( (string) $hook_name, $callback );
    }

    function has_action( $hook_name, $callback = false ) {
        return has_filter( $hook_name, $callback );
    }

    function apply_filters( $hook_name, $value, ...$args ) {
        // The value of a filter without callbacks is known, but the site may have a callback that switches something on.
        return is_bool( $value ) && ! Hooks::has( (string) $hook_name, false )
            ? SiteState::answer( 'apply_filters', (string) $hook_name, $value )
            : Hooks::filter( (string) $hook_name, array_merge( array( $value ), $args ) );
    }

    function apply_filters_ref_array( $hook_name, $args ) {
        return Hooks::filter( (string) $hook_name, $args );
    }

    function apply_filters_deprecated( $hook_name, $args, $version = '', $replacement = '', $message = '' ) {
        return Hooks::filter( (string) $hook_name, $args );
    }

    function do_action( $hook_name, ...$args ) {
        Hooks::action( (string) $hook_name, $args );
    }

    function do_action_ref_array( $hook_name, $args ) {
        Hooks::action( (string) $hook_name, $args );
    }

    function do_action_deprecated( $hook_name, $args, $version = '', $replacement = '', $message = '' ) {
        Hooks::action( (string) $hook_name, $args );
    }

    function did_action( $hook_name ) {
        return Hooks::count_done( (string) $hook_name ) ?: SiteState::answer( 'did_action', (string) $hook_name, 0 );
    }

    function did_filter( $hook_name ) {
        return Hooks::count_done( (string) $hook_name );
    }

    function doing_filter( $hook_name = null ) {
        return Hooks::is_running( $hook_name );
    }

    function doing_action( $hook_name = null ) {
        return Hooks::is_running( $hook_name );
    }

    function current_filter() {
        return Hooks::current();
    }

    function current_action() {
        return Hooks::current();
    }

    function register_activation_hook( $file, $callback ) {
    }

    function register_deactivation_hook( $file, $callback ) {
    }

    function register_uninstall_hook( $file, $callback ) {
    }

    function __return_true() {
        return true;
    }

    function __return_false() {
        return false;
    }

    function __return_null() {
        return null;
    }

    function __return_zero() {
        return 0;
    }

    function __return_empty_array() {
        return array();
    }

    function __return_empty_string() {
        return '';
    }
}
