<?php
/** The built-in post types, statuses, taxonomies and roles of WordPress, without content. */

namespace McpCodegen\Stub {

    /** Returns a post type or taxonomy with the used properties. */
    function content_type( string $name, string $label, array $args ): \stdClass {
        $labels = array_merge(
            array( 'name' => $label, 'singular_name' => $label ),
            isset( $args['labels'] ) ? (array) $args['labels'] : array()
        );
        $public = (bool) ( $args['public'] ?? false );
        return (object) array_merge(
            array(
                'name'               => $name,
                'label'              => $args['label'] ?? $labels['name'],
                'description'        => '',
                'public'             => $public,
                'publicly_queryable' => $public,
                'show_ui'            => $public,
                'show_in_rest'       => false,
                'rest_base'          => $name,
                'hierarchical'       => false,
                'has_archive'        => false,
                '_builtin'           => false,
                'capability_type'    => 'post',
                'cap'                => (object) array(),
                'supports'           => array(),
                'taxonomies'         => array(),
                'object_type'        => array(),
            ),
            $args,
            array( 'labels' => (object) $labels )
        );
    }

    foreach (
        array(
            'post'       => array( 'Posts', true ),
            'page'       => array( 'Pages', true ),
            'attachment' => array( 'Media', true ),
            'revision'   => array( 'Revisions', false ),
            'nav_menu_item' => array( 'Navigation Menu Items', false ),
            'wp_block'   => array( 'Patterns', false ),
        ) as $name => $type
    ) {
        $GLOBALS['wp_post_types'][ $name ] = content_type(
            $name,
            $type[0],
            array( 'public' => $type[1], 'show_in_rest' => $type[1], '_builtin' => true )
        );
    }
    foreach ( array( 'category' => array( 'Categories', true ), 'post_tag' => array( 'Tags', true ), 'nav_menu' => array( 'Navigation Menus', false ), 'post_format' => array( 'Formats', false ) ) as $name => $type ) {
        $GLOBALS['wp_taxonomies'][ $name ] = content_type(
            $name,
            $type[0],
            array( 'public' => $type[1], 'show_in_rest' => $type[1], '_builtin' => true, 'object_type' => array( 'post' ) )
        );
    }

    /** Filters a list like `get_post_types()` and `get_taxonomies()`. */
    function pick( array $types, array $args, string $output, string $operator ): array {
        $found = wp_list_filter( $types, $args, $operator );
        return 'names' === $output ? array_combine( array_keys( $found ), array_keys( $found ) ) : $found;
    }
}

namespace {

    use McpCodegen\Stub\SiteState;
    use function McpCodegen\Stub\content_type;
    use function McpCodegen\Stub\pick;

    class WP_User {
        use \McpCodegen\Stub\Lenient;

        public $ID            = 1;
        public $user_login    = 'admin';
        public $user_email    = 'admin@example.com';
        public $display_name  = 'admin';
        public $user_nicename = 'admin';
        public $roles         = array( 'administrator' );
        public $caps          = array();
        public $allcaps       = array();

        public function exists() {
            return true;
        }

        public function has_cap( $cap, ...$args ) {
            return true;
        }

        public function get( $key ) {
            return $this->$key ?? '';
        }
    }

    class WP_Post {
        public $ID             = 0;
        public $post_author    = '0';
        public $post_date      = '';
        public $post_content   = '';
        public $post_title     = '';
        public $post_excerpt   = '';
        public $post_status    = 'publish';
        public $post_name      = '';
        public $post_parent    = 0;
        public $post_type      = 'post';
        public $post_mime_type = '';

        public function __construct( $post = array() ) {
            foreach ( (array) $post as $key => $value ) {
                $this->$key = $value;
            }
        }
    }

    class WP_Query {
        use \McpCodegen\Stub\Lenient;

        public $posts         = array();
        public $post_count    = 0;
        public $found_posts   = 0;
        public $max_num_pages = 0;

        public function __construct( $query = '' ) {
        }

        public function have_posts() {
            return false;
        }
    }

    function register_post_type( $post_type, $args = array() ) {
        $GLOBALS['wp_post_types'][ $post_type ] = content_type( $post_type, ucfirst( $post_type ), (array) $args );
        return $GLOBALS['wp_post_types'][ $post_type ];
    }

    function unregister_post_type( $post_type ) {
        unset( $GLOBALS['wp_post_types'][ $post_type ] );
        return true;
    }

    function post_type_exists( $post_type ) {
        return isset( $GLOBALS['wp_post_types'][ $post_type ] );
    }

    function get_post_types( $args = array(), $output = 'names', $operator = 'and' ) {
        return pick( $GLOBALS['wp_post_types'], (array) $args, $output, $operator );
    }

    function get_post_type_object( $post_type ) {
        return $GLOBALS['wp_post_types'][ $post_type ] ?? null;
    }

    function post_type_supports( $post_type, $feature ) {
        return true;
    }

    function add_post_type_support( $post_type, $feature, ...$args ) {
    }

    function register_taxonomy( $taxonomy, $object_type, $args = array() ) {
        $GLOBALS['wp_taxonomies'][ $taxonomy ] = content_type(
            $taxonomy,
            ucfirst( $taxonomy ),
            array_merge( (array) $args, array( 'object_type' => (array) $object_type ) )
        );
        return $GLOBALS['wp_taxonomies'][ $taxonomy ];
    }

    function register_taxonomy_for_object_type( $taxonomy, $object_type ) {
        return true;
    }

    function taxonomy_exists( $taxonomy ) {
        return isset( $GLOBALS['wp_taxonomies'][ $taxonomy ] );
    }

    function get_taxonomies( $args = array(), $output = 'names', $operator = 'and' ) {
        return pick( $GLOBALS['wp_taxonomies'], (array) $args, $output, $operator );
    }

    function get_taxonomy( $taxonomy ) {
        return $GLOBALS['wp_taxonomies'][ $taxonomy ] ?? false;
    }

    function get_object_taxonomies( $object_type, $output = 'names' ) {
        $found = array_filter(
            $GLOBALS['wp_taxonomies'],
            static function ( $taxonomy ) use ( $object_type ) {
                return array() !== array_intersect( (array) $object_type, $taxonomy->object_type );
            }
        );
        return 'names' === $output ? array_keys( $found ) : $found;
    }

    function register_meta( $object_type, $meta_key, $args, $deprecated = null ) {
        return true;
    }

    function register_post_meta( $post_type, $meta_key, $args ) {
        return true;
    }

    function register_term_meta( $taxonomy, $meta_key, $args ) {
        return true;
    }

    function register_post_status( $post_status, $args = array() ) {
        return (object) $args;
    }

    function get_post_statuses() {
        return array(
            'draft'   => 'Draft',
            'pending' => 'Pending Review',
            'private' => 'Private',
            'publish' => 'Published',
        );
    }

    function get_page_statuses() {
        return array(
            'draft'   => 'Draft',
            'private' => 'Private',
            'publish' => 'Published',
        );
    }

    function get_post_stati( $args = array(), $output = 'names', $operator = 'and' ) {
        $names = array( 'publish', 'future', 'draft', 'pending', 'private', 'trash', 'auto-draft', 'inherit' );
        return array_combine( $names, $names );
    }

    function get_post_format_strings() {
        $names = array( 'standard', 'aside', 'chat', 'gallery', 'link', 'image', 'quote', 'status', 'video', 'audio' );
        return array_combine( $names, array_map( 'ucfirst', $names ) );
    }

    function get_post_format_slugs() {
        $names = array_keys( get_post_format_strings() );
        return array_combine( $names, $names );
    }

    function get_posts( $args = null ) {
        return SiteState::answer( 'get_posts', null, array() );
    }

    function get_pages( $args = array() ) {
        return SiteState::answer( 'get_pages', null, array() );
    }

    function get_post( $post = null, $output = 'OBJECT', $filter = 'raw' ) {
        return $post instanceof WP_Post ? $post : null;
    }

    function get_post_type( $post = null ) {
        return false;
    }

    function get_post_status( $post = null ) {
        return false;
    }

    function get_post_meta( $post_id, $key = '', $single = false ) {
        return SiteState::answer( 'get_post_meta', (string) $key, $single ? '' : array() );
    }

    function get_user_meta( $user_id, $key = '', $single = false ) {
        return SiteState::answer( 'get_user_meta', (string) $key, $single ? '' : array() );
    }

    function get_term_meta( $term_id, $key = '', $single = false ) {
        return SiteState::answer( 'get_term_meta', (string) $key, $single ? '' : array() );
    }

    function get_terms( $args = array(), $deprecated = '' ) {
        return SiteState::answer( 'get_terms', null, array() );
    }

    function get_term( $term, $taxonomy = '', $output = 'OBJECT', $filter = 'raw' ) {
        return null;
    }

    function get_term_by( $field, $value, $taxonomy = '', $output = 'OBJECT', $filter = 'raw' ) {
        return false;
    }

    function get_categories( $args = '' ) {
        return SiteState::answer( 'get_categories', null, array() );
    }

    function get_tags( $args = '' ) {
        return SiteState::answer( 'get_tags', null, array() );
    }

    function get_comments( $args = '' ) {
        return array();
    }

    function get_users( $args = array() ) {
        return SiteState::answer( 'get_users', null, array() );
    }

    function get_user_by( $field, $value ) {
        return false;
    }

    function get_userdata( $user_id ) {
        return false;
    }

    function wp_get_current_user() {
        return new WP_User();
    }

    function get_role( $role ) {
        return null;
    }

    function get_editable_roles() {
        return array(
            'administrator' => array( 'name' => 'Administrator', 'capabilities' => array() ),
            'editor'        => array( 'name' => 'Editor', 'capabilities' => array() ),
            'author'        => array( 'name' => 'Author', 'capabilities' => array() ),
            'contributor'   => array( 'name' => 'Contributor', 'capabilities' => array() ),
            'subscriber'    => array( 'name' => 'Subscriber', 'capabilities' => array() ),
        );
    }

    function get_intermediate_image_sizes() {
        return array( 'thumbnail', 'medium', 'medium_large', 'large' );
    }

    function get_allowed_mime_types( $user = null ) {
        return array(
            'jpg|jpeg|jpe' => 'image/jpeg',
            'gif'          => 'image/gif',
            'png'          => 'image/png',
            'webp'         => 'image/webp',
            'pdf'          => 'application/pdf',
        );
    }
}
