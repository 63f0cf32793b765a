<?php
/**
 * The Abilities API. Accepts and rejects the same registrations as WordPress 6.9 and later. Rejections are reported
 * through `_doing_it_wrong()`, as in WordPress.
 */

class WP_Ability_Category {
    protected $slug;
    protected $label;
    protected $description;
    protected $meta = array();

    public function __construct( string $slug, array $args ) {
        if ( '' === $slug ) {
            throw new InvalidArgumentException( 'The ability category slug cannot be empty.' );
        }
        $this->slug = $slug;
        foreach ( $this->prepare_properties( $args ) as $property => $value ) {
            if ( property_exists( $this, $property ) ) {
                $this->$property = $value;
            }
        }
    }

    protected function prepare_properties( array $args ): array {
        foreach ( array( 'label', 'description' ) as $property ) {
            if ( empty( $args[ $property ] ) || ! is_string( $args[ $property ] ) ) {
                throw new InvalidArgumentException( "The ability category properties must contain a `$property` string." );
            }
        }
        if ( isset( $args['meta'] ) && ! is_array( $args['meta'] ) ) {
            throw new InvalidArgumentException( 'The ability category properties should provide a valid `meta` array.' );
        }
        return $args;
    }

    public function get_slug(): string {
        return $this->slug;
    }

    public function get_label(): string {
        return $this->label;
    }

    public function get_description(): string {
        return $this->description;
    }

    public function get_meta(): array {
        return $this->meta;
    }
}

class WP_Ability {
    protected const DEFAULT_SHOW_IN_REST = false;

    /** @var array<string, bool|null> */
    protected static $default_annotations = array(
        'readonly'    => null,
        'destructive' => null,
        'idempotent'  => null,
    );

    protected $name;
    protected $label;
    protected $description;
    protected $category;
    protected $input_schema  = array();
    protected $output_schema = array();
    protected $execute_callback;
    protected $permission_callback;
    protected $meta = array();

    public function __construct( string $name, array $args ) {
        $this->name = $name;
        foreach ( $this->prepare_properties( $args ) as $property => $value ) {
            if ( property_exists( $this, $property ) ) {
                $this->$property = $value;
            } else {
                _doing_it_wrong( __METHOD__, "Property \"$property\" is not a valid property for ability \"$name\".", '6.9.0' );
            }
        }
    }

    /** @throws InvalidArgumentException for what WordPress does not register */
    protected function prepare_properties( array $args ): array {
        foreach ( array( 'label', 'description', 'category' ) as $property ) {
            if ( empty( $args[ $property ] ) || ! is_string( $args[ $property ] ) ) {
                throw new InvalidArgumentException( "The ability properties must contain a `$property` string." );
            }
        }
        // A custom class does not need callbacks.
        if ( self::class === get_class( $this ) ) {
            foreach ( array( 'execute_callback', 'permission_callback' ) as $property ) {
                if ( empty( $args[ $property ] ) || ! is_callable( $args[ $property ] ) ) {
                    throw new InvalidArgumentException( "The ability properties must contain a valid `$property` function." );
                }
            }
        }
        foreach ( array( 'input_schema', 'output_schema', 'meta' ) as $property ) {
            if ( isset( $args[ $property ] ) && ! is_array( $args[ $property ] ) ) {
                throw new InvalidArgumentException( "The ability properties should provide a valid `$property` array." );
            }
        }
        $meta = $args['meta'] ?? array();
        if ( isset( $meta['annotations'] ) && ! is_array( $meta['annotations'] ) ) {
            throw new InvalidArgumentException( 'The ability meta should provide a valid `annotations` array.' );
        }
        foreach ( array( 'show_in_rest', 'public' ) as $flag ) {
            if ( isset( $meta[ $flag ] ) && ! is_bool( $meta[ $flag ] ) ) {
                throw new InvalidArgumentException( "The ability meta should provide a valid `$flag` boolean." );
            }
        }
        $meta                 = wp_parse_args( $meta, array( 'annotations' => static::$default_annotations ) );
        $meta['annotations']  = wp_parse_args( $meta['annotations'], static::$default_annotations );
        $meta['show_in_rest'] = $meta['show_in_rest'] ?? $meta['public'] ?? self::DEFAULT_SHOW_IN_REST;
        $meta['public']       = $meta['public'] ?? false;
        $args['meta']         = $meta;
        return $args;
    }

    public function get_name(): string {
        return $this->name;
    }

    public function get_label(): string {
        return $this->label;
    }

    public function get_description(): string {
        return $this->description;
    }

    public function get_category(): string {
        return $this->category;
    }

    public function get_input_schema(): array {
        return $this->input_schema;
    }

    public function get_output_schema(): array {
        return $this->output_schema;
    }

    public function get_meta(): array {
        return $this->meta;
    }

    public function get_meta_item( string $key, $default_value = null ) {
        return array_key_exists( $key, $this->meta ) ? $this->meta[ $key ] : $default_value;
    }

    public function normalize_input( $input = null ) {
        $schema = $this->get_input_schema();
        return null === $input && array_key_exists( 'default', $schema ) ? $schema['default'] : $input;
    }

    public function validate_input( $input = null ) {
        $schema = $this->get_input_schema();
        if ( array() === $schema ) {
            return null === $input
                ? true
                : new WP_Error(
                    'ability_missing_input_schema',
                    "Ability \"{$this->name}\" does not define an input schema required to validate the provided input."
                );
        }
        return $this->explain( rest_validate_value_from_schema( $input, $schema, 'input' ), 'input' );
    }

    public function check_permissions( $input = null ) {
        if ( ! is_callable( $this->permission_callback ) ) {
            return new WP_Error(
                'ability_invalid_permission_callback',
                "Ability \"{$this->name}\" does not have a valid permission callback."
            );
        }
        return $this->invoke_callback( $this->permission_callback, $input );
    }

    public function execute( $input = null ) {
        $input = $this->normalize_input( $input );
        $valid = $this->validate_input( $input );
        if ( is_wp_error( $valid ) ) {
            return $valid;
        }
        $allowed = $this->check_permissions( $input );
        if ( true !== $allowed ) {
            return is_wp_error( $allowed )
                ? $allowed
                : new WP_Error(
                    'ability_invalid_permissions',
                    "Ability \"{$this->name}\" does not have necessary permission."
                );
        }
        do_action( 'wp_before_execute_ability', $this->name, $input );
        $result = $this->do_execute( $input );
        if ( is_wp_error( $result ) ) {
            return $result;
        }
        $valid = $this->validate_output( $result );
        if ( is_wp_error( $valid ) ) {
            return $valid;
        }
        do_action( 'wp_after_execute_ability', $this->name, $input, $result );
        return $result;
    }

    protected function do_execute( $input = null ) {
        if ( ! is_callable( $this->execute_callback ) ) {
            return new WP_Error(
                'ability_invalid_execute_callback',
                "Ability \"{$this->name}\" does not have a valid execute callback."
            );
        }
        return $this->invoke_callback( $this->execute_callback, $input );
    }

    protected function validate_output( $output ) {
        $schema = $this->get_output_schema();
        return array() === $schema
            ? true
            : $this->explain( rest_validate_value_from_schema( $output, $schema, 'output' ), 'output' );
    }

    /** Calls a callback, with the input only if there is an input schema. */
    protected function invoke_callback( callable $callback, $input = null ) {
        return array() === $this->get_input_schema() ? $callback() : $callback( $input );
    }

    private function explain( $valid, string $side ) {
        return is_wp_error( $valid )
            ? new WP_Error(
                "ability_invalid_$side",
                "Ability \"{$this->name}\" has invalid $side. Reason: " . $valid->get_error_message()
            )
            : true;
    }

    public function __wakeup(): void {
        throw new LogicException( __CLASS__ . ' should never be unserialized.' );
    }
}

final class WP_Ability_Categories_Registry {
    /** @var self|null */
    private static $instance = null;
    /** @var array<string, WP_Ability_Category> */
    private $registered = array();

    public function register( string $slug, array $args ): ?WP_Ability_Category {
        $refuse = static function ( string $why ) use ( $slug ) {
            do_action( 'mcp_codegen_refused', 'category', $slug, $why );
            _doing_it_wrong( 'WP_Ability_Categories_Registry::register', $why, '6.9.0' );
            return null;
        };
        if ( ! doing_action( 'wp_abilities_api_categories_init' ) && ! doing_action( 'abilities_api_categories_init' ) ) {
            return $refuse( 'Ability categories must be registered during the wp_abilities_api_categories_init action.' );
        }
        if ( $this->is_registered( $slug ) ) {
            return $refuse( "Ability category \"$slug\" is already registered." );
        }
        if ( 1 !== preg_match( '/^[a-z0-9]+(?:-[a-z0-9]+)*$/', $slug ) ) {
            return $refuse( 'Ability category slug must contain only lowercase alphanumeric characters and dashes.' );
        }
        try {
            $category = new WP_Ability_Category( $slug, apply_filters( 'wp_register_ability_category_args', $args, $slug ) );
        } catch ( InvalidArgumentException $error ) {
            return $refuse( $error->getMessage() );
        }
        $this->registered[ $slug ] = $category;
        return $category;
    }

    public function unregister( string $slug ): ?WP_Ability_Category {
        $category = $this->registered[ $slug ] ?? null;
        unset( $this->registered[ $slug ] );
        return $category;
    }

    /** @return array<string, WP_Ability_Category> */
    public function get_all_registered(): array {
        return $this->registered;
    }

    public function is_registered( string $slug ): bool {
        return isset( $this->registered[ $slug ] );
    }

    public function get_registered( string $slug ): ?WP_Ability_Category {
        return $this->registered[ $slug ] ?? null;
    }

    public static function get_instance(): self {
        if ( null === self::$instance ) {
            self::$instance = new self();
            // WordPress registers these categories.
            $labels = array( 'site' => 'Site', 'user' => 'User' );
            if ( is_wp_version_compatible( '7.2-alpha' ) ) {
                $labels += array( 'content' => 'Content', 'uncategorized' => 'Uncategorized' );
            }
            foreach ( $labels as $slug => $label ) {
                self::$instance->registered[ $slug ] = new WP_Ability_Category(
                    $slug,
                    array( 'label' => $label, 'description' => "Abilities of WordPress: $slug." )
                );
            }
            do_action( 'wp_abilities_api_categories_init', self::$instance );
            do_action( 'abilities_api_categories_init', self::$instance );
        }
        return self::$instance;
    }
}

final class WP_Abilities_Registry {
    /** @var self|null */
    private static $instance = null;
    /** @var array<string, WP_Ability> */
    private $registered = array();

    public function register( string $name, array $args ): ?WP_Ability {
        $refuse = static function ( string $why ) use ( $name ) {
            do_action( 'mcp_codegen_refused', 'ability', $name, $why );
            _doing_it_wrong( 'WP_Abilities_Registry::register', $why, '6.9.0' );
            return null;
        };
        if ( 1 !== preg_match( '/^[a-z0-9-]+(?:\/[a-z0-9-]+)+$/', $name ) ) {
            return $refuse( 'Ability name must be a string containing a namespace prefix, i.e. "my-plugin/my-ability". It can only contain lowercase alphanumeric characters, dashes and the forward slash.' );
        }
        if ( $this->is_registered( $name ) ) {
            return $refuse( "Ability \"$name\" is already registered." );
        }
        $args = apply_filters( 'wp_register_ability_args', $args, $name );
        if ( ! isset( $args['category'] ) && is_wp_version_compatible( '7.2-alpha' ) ) {
            $args['category'] = 'uncategorized';
        }
        if ( isset( $args['category'] ) && ! wp_has_ability_category( (string) $args['category'] ) ) {
            return $refuse( "Ability category \"{$args['category']}\" is not registered." );
        }
        if ( isset( $args['ability_class'] ) && ! is_a( $args['ability_class'], WP_Ability::class, true ) ) {
            return $refuse( 'The ability args should provide a valid `ability_class` that extends WP_Ability.' );
        }
        $class = $args['ability_class'] ?? WP_Ability::class;
        unset( $args['ability_class'] );
        try {
            $ability = new $class( $name, $args );
        } catch ( InvalidArgumentException $error ) {
            $more = isset( $args['category'] ) ? '' : ' WordPress 7.2 does not require it: set $GLOBALS["wp_version"] to "7.2" in php.bootstrap.';
            return $refuse( $error->getMessage() . $more );
        }
        $this->registered[ $name ] = $ability;
        do_action( 'mcp_codegen_registered', $name );
        return $ability;
    }

    public function unregister( string $name ): ?WP_Ability {
        $ability = $this->registered[ $name ] ?? null;
        unset( $this->registered[ $name ] );
        return $ability;
    }

    /** @return array<string, WP_Ability> */
    public function get_all_registered(): array {
        return $this->registered;
    }

    public function is_registered( string $name ): bool {
        return isset( $this->registered[ $name ] );
    }

    public function get_registered( string $name ): ?WP_Ability {
        return $this->registered[ $name ] ?? null;
    }

    /** Returns the registry. The first call lets plugins register; null before `init`. */
    public static function get_instance(): ?self {
        if ( 0 === McpCodegen\Stub\Hooks::count_done( 'init' ) ) {
            _doing_it_wrong( __METHOD__, 'Ability API should not be initialized before the init action has fired.', '6.9.0' );
            return null;
        }
        if ( null === self::$instance ) {
            self::$instance = new self();
            WP_Ability_Categories_Registry::get_instance();
            do_action( 'wp_abilities_api_init', self::$instance );
            do_action( 'abilities_api_init', self::$instance );
        }
        return self::$instance;
    }
}

function wp_register_ability( string $name, array $args ): ?WP_Ability {
    if ( ! doing_action( 'wp_abilities_api_init' ) && ! doing_action( 'abilities_api_init' ) ) {
        $why = 'Abilities must be registered on the wp_abilities_api_init action.';
        do_action( 'mcp_codegen_refused', 'ability', $name, $why );
        _doing_it_wrong( __FUNCTION__, $why, '6.9.0' );
        return null;
    }
    $registry = WP_Abilities_Registry::get_instance();
    return null === $registry ? null : $registry->register( $name, $args );
}

function wp_unregister_ability( string $name ): ?WP_Ability {
    $registry = WP_Abilities_Registry::get_instance();
    return null === $registry ? null : $registry->unregister( $name );
}

function wp_has_ability( string $name ): bool {
    $registry = WP_Abilities_Registry::get_instance();
    return null !== $registry && $registry->is_registered( $name );
}

function wp_get_ability( string $name ): ?WP_Ability {
    $registry = WP_Abilities_Registry::get_instance();
    return null === $registry ? null : $registry->get_registered( $name );
}

/**
 * Since WordPress 7.1, the abilities can be selected by category, namespace, meta and callbacks.
 *
 * @return array<string, WP_Ability>
 */
function wp_get_abilities( array $args = array() ): array {
    $registry = WP_Abilities_Registry::get_instance();
    if ( null === $registry ) {
        return array();
    }
    $is_wanted = static function ( WP_Ability $ability ) use ( $args ): bool {
        $category  = is_string( $args['category'] ?? null ) ? $args['category'] : '';
        $namespace = is_string( $args['namespace'] ?? null ) ? rtrim( $args['namespace'], '/' ) : '';
        if (
            ( '' !== $category && $ability->get_category() !== $category )
            || ( '' !== $namespace && 0 !== strpos( $ability->get_name(), "$namespace/" ) )
            || ! McpCodegen\Stub\has_meta( $ability->get_meta(), (array) ( $args['meta'] ?? array() ) )
        ) {
            return false;
        }
        $callback = $args['item_include_callback'] ?? null;
        $include  = ! is_callable( $callback ) || (bool) $callback( $ability );
        return (bool) McpCodegen\Stub\Hooks::filter( 'wp_get_abilities_item_include', array( $include, $ability, $args ) );
    };
    $abilities = array_filter( $registry->get_all_registered(), $is_wanted );
    $callback  = $args['result_callback'] ?? null;
    $abilities = is_callable( $callback ) ? (array) $callback( $abilities ) : $abilities;
    return (array) apply_filters( 'wp_get_abilities_result', $abilities, $args );
}

function wp_register_ability_category( string $slug, array $args ): ?WP_Ability_Category {
    return WP_Ability_Categories_Registry::get_instance()->register( $slug, $args );
}

function wp_unregister_ability_category( string $slug ): ?WP_Ability_Category {
    return WP_Ability_Categories_Registry::get_instance()->unregister( $slug );
}

function wp_has_ability_category( string $slug ): bool {
    return WP_Ability_Categories_Registry::get_instance()->is_registered( $slug );
}

function wp_get_ability_category( string $slug ): ?WP_Ability_Category {
    return WP_Ability_Categories_Registry::get_instance()->get_registered( $slug );
}

/** @return array<string, WP_Ability_Category> */
function wp_get_ability_categories(): array {
    return WP_Ability_Categories_Registry::get_instance()->get_all_registered();
}
