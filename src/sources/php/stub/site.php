<?php
/** A new site, visited by its administrator. Nothing is stored, and no request is sent. */

namespace McpCodegen\Stub {

    /** The contents of the database. */
    final class Store {
        /** @var array<string, mixed> */
        public static $options = array(
            'siteurl'             => 'http://localhost',
            'home'                => 'http://localhost',
            'blogname'            => 'WordPress',
            'blogdescription'     => '',
            'admin_email'         => 'admin@example.com',
            'blog_charset'        => 'UTF-8',
            'date_format'         => 'F j, Y',
            'time_format'         => 'g:i a',
            'timezone_string'     => 'UTC',
            'gmt_offset'          => 0,
            'posts_per_page'      => 10,
            'permalink_structure' => '/%postname%/',
            'template'            => 'stub',
            'stylesheet'          => 'stub',
            'active_plugins'      => array(),
            'default_category'    => 1,
            'users_can_register'  => 0,
            'default_role'        => 'subscriber',
        );
        /** @var array<string, mixed> */
        public static $transients = array();
        /** @var array<string, mixed> */
        public static $cache = array();
    }
}

namespace {

    use McpCodegen\Stub\Hooks;
    use McpCodegen\Stub\SiteState;
    use McpCodegen\Stub\Store;

    function get_option( $option, $default_value = false ) {
        $early = Hooks::filter( "pre_option_$option", array( false, $option, $default_value ) );
        if ( false !== $early ) {
            return $early;
        }
        if ( array_key_exists( $option, Store::$options ) ) {
            return Hooks::filter( "option_$option", array( Store::$options[ $option ], $option ) );
        }
        $default_value = Hooks::filter( "default_option_$option", array( $default_value, $option, func_num_args() > 1 ) );
        return SiteState::answer( 'get_option', (string) $option, $default_value );
    }

    function add_option( $option, $value = '', $deprecated = '', $autoload = null ) {
        if ( array_key_exists( $option, Store::$options ) ) {
            return false;
        }
        Store::$options[ $option ] = $value;
        return true;
    }

    function update_option( $option, $value, $autoload = null ) {
        $before                    = Store::$options[ $option ] ?? false;
        Store::$options[ $option ] = $value;
        do_action( 'updated_option', $option, $before, $value );
        return true;
    }

    function delete_option( $option ) {
        unset( Store::$options[ $option ] );
        return true;
    }

    function get_site_option( $option, $default_value = false, $deprecated = true ) {
        return get_option( $option, $default_value );
    }

    function update_site_option( $option, $value ) {
        return update_option( $option, $value );
    }

    function delete_site_option( $option ) {
        return delete_option( $option );
    }

    function get_network_option( $network_id, $option, $default_value = false ) {
        return get_option( $option, $default_value );
    }

    function register_setting( $option_group, $option_name, $args = array() ) {
    }

    function get_transient( $transient ) {
        return Store::$transients[ $transient ] ?? SiteState::answer( 'get_transient', (string) $transient, false );
    }

    function set_transient( $transient, $value, $expiration = 0 ) {
        Store::$transients[ $transient ] = $value;
        return true;
    }

    function delete_transient( $transient ) {
        unset( Store::$transients[ $transient ] );
        return true;
    }

    function get_site_transient( $transient ) {
        return get_transient( $transient );
    }

    function set_site_transient( $transient, $value, $expiration = 0 ) {
        return set_transient( $transient, $value, $expiration );
    }

    function delete_site_transient( $transient ) {
        return delete_transient( $transient );
    }

    function wp_cache_get( $key, $group = '', $force = false, &$found = null ) {
        $found = array_key_exists( "$group:$key", Store::$cache );
        return Store::$cache[ "$group:$key" ] ?? false;
    }

    function wp_cache_set( $key, $data, $group = '', $expire = 0 ) {
        Store::$cache[ "$group:$key" ] = $data;
        return true;
    }

    function wp_cache_add( $key, $data, $group = '', $expire = 0 ) {
        return array_key_exists( "$group:$key", Store::$cache ) ? false : wp_cache_set( $key, $data, $group );
    }

    function wp_cache_delete( $key, $group = '' ) {
        unset( Store::$cache[ "$group:$key" ] );
        return true;
    }

    function wp_cache_flush() {
        Store::$cache = array();
        return true;
    }

    function get_bloginfo( $show = '', $filter = 'raw' ) {
        switch ( $show ) {
            case 'version':
                return $GLOBALS['wp_version'];
            case 'url':
            case 'wpurl':
                return 'http://localhost';
            case 'description':
                return get_option( 'blogdescription' );
            case 'admin_email':
                return get_option( 'admin_email' );
            case 'charset':
                return 'UTF-8';
            case 'language':
                return 'en-US';
            default:
                return get_option( 'blogname' );
        }
    }

    function wp_get_wp_version() {
        return $GLOBALS['wp_version'];
    }

    function is_wp_version_compatible( $required ) {
        return version_compare( $GLOBALS['wp_version'], (string) $required, '>=' );
    }

    function is_php_version_compatible( $required ) {
        return version_compare( PHP_VERSION, (string) $required, '>=' );
    }

    function home_url( $path = '', $scheme = null ) {
        return 'http://localhost' . ( '' === (string) $path ? '' : '/' . ltrim( $path, '/' ) );
    }

    function site_url( $path = '', $scheme = null ) {
        return home_url( $path );
    }

    function get_home_url( $blog_id = null, $path = '', $scheme = null ) {
        return home_url( $path );
    }

    function get_site_url( $blog_id = null, $path = '', $scheme = null ) {
        return home_url( $path );
    }

    function network_site_url( $path = '', $scheme = null ) {
        return home_url( $path );
    }

    function admin_url( $path = '', $scheme = 'admin' ) {
        return home_url( 'wp-admin/' . ltrim( $path, '/' ) );
    }

    function includes_url( $path = '', $scheme = null ) {
        return home_url( 'wp-includes/' . ltrim( $path, '/' ) );
    }

    function content_url( $path = '' ) {
        return home_url( 'wp-content/' . ltrim( $path, '/' ) );
    }

    function rest_url( $path = '', $scheme = 'rest' ) {
        return home_url( 'wp-json/' . ltrim( $path, '/' ) );
    }

    function get_rest_url( $blog_id = null, $path = '/', $scheme = 'rest' ) {
        return rest_url( $path );
    }

    function rest_get_url_prefix() {
        return 'wp-json';
    }

    function plugins_url( $path = '', $plugin = '' ) {
        $folder = '' === $plugin ? '' : '/' . basename( dirname( $plugin ) );
        return WP_PLUGIN_URL . $folder . ( '' === $path ? '' : '/' . ltrim( $path, '/' ) );
    }

    function plugin_dir_url( $file ) {
        return trailingslashit( plugins_url( '', $file ) );
    }

    function plugin_dir_path( $file ) {
        return trailingslashit( dirname( $file ) );
    }

    function plugin_basename( $file ) {
        return basename( dirname( $file ) ) . '/' . basename( $file );
    }

    function get_plugins( $plugin_folder = '' ) {
        return array();
    }

    function get_plugin_data( $plugin_file, $markup = true, $translate = true ) {
        return get_file_data(
            $plugin_file,
            array(
                'Name'        => 'Plugin Name',
                'PluginURI'   => 'Plugin URI',
                'Version'     => 'Version',
                'Description' => 'Description',
                'Author'      => 'Author',
                'TextDomain'  => 'Text Domain',
            )
        );
    }

    function get_file_data( $file, $default_headers, $context = '' ) {
        $text = (string) file_get_contents( $file, false, null, 0, 8192 );
        $data = array();
        foreach ( $default_headers as $key => $header ) {
            $found        = preg_match( '/^(?:[ \t]*<\?php)?[ \t\/*#@]*' . preg_quote( $header, '/' ) . ':(.*)$/mi', $text, $match );
            $data[ $key ] = 1 === $found ? trim( preg_replace( '/\s*(?:\*\/|\?>).*/', '', $match[1] ) ) : '';
        }
        return $data;
    }

    function is_plugin_active( $plugin ) {
        return in_array( $plugin, (array) get_option( 'active_plugins', array() ), true )
            || SiteState::answer( 'is_plugin_active', (string) $plugin, false );
    }

    function is_plugin_active_for_network( $plugin ) {
        return SiteState::answer( 'is_plugin_active_for_network', (string) $plugin, false );
    }

    function activate_plugin( $plugin, $redirect = '', $network_wide = false, $silent = false ) {
        return null;
    }

    function deactivate_plugins( $plugins, $silent = false, $network_wide = null ) {
    }

    function wp_upload_dir( $time = null, $create_dir = true, $refresh_cache = false ) {
        return array(
            'path'    => WP_CONTENT_DIR . '/uploads',
            'url'     => WP_CONTENT_URL . '/uploads',
            'subdir'  => '',
            'basedir' => WP_CONTENT_DIR . '/uploads',
            'baseurl' => WP_CONTENT_URL . '/uploads',
            'error'   => false,
        );
    }

    function wp_get_upload_dir() {
        return wp_upload_dir();
    }

    function wp_mkdir_p( $target ) {
        return is_dir( $target );
    }

    function get_template() {
        return 'stub';
    }

    function get_stylesheet() {
        return 'stub';
    }

    function get_template_directory() {
        return WP_CONTENT_DIR . '/themes/stub';
    }

    function get_stylesheet_directory() {
        return get_template_directory();
    }

    function get_template_directory_uri() {
        return WP_CONTENT_URL . '/themes/stub';
    }

    function get_stylesheet_directory_uri() {
        return get_template_directory_uri();
    }

    function get_theme_root( $stylesheet_or_template = '' ) {
        return WP_CONTENT_DIR . '/themes';
    }

    function current_theme_supports( $feature, ...$args ) {
        return SiteState::answer( 'current_theme_supports', (string) $feature, false );
    }

    function wp_is_block_theme() {
        return SiteState::answer( 'wp_is_block_theme', null, false );
    }

    function get_theme_mod( $name, $default_value = false ) {
        return SiteState::answer( 'get_theme_mod', (string) $name, $default_value );
    }

    function wp_get_environment_type() {
        return SiteState::answer( 'wp_get_environment_type', null, 'local' );
    }

    function wp_get_development_mode() {
        return '';
    }

    function wp_is_development_mode( $mode ) {
        return SiteState::answer( 'wp_is_development_mode', (string) $mode, false );
    }

    function is_admin() {
        return SiteState::answer( 'is_admin', null, false );
    }

    function is_network_admin() {
        return SiteState::answer( 'is_network_admin', null, false );
    }

    function is_multisite() {
        return SiteState::answer( 'is_multisite', null, false );
    }

    function is_main_site( $site_id = null ) {
        return SiteState::answer( 'is_main_site', null, true );
    }

    function is_ssl() {
        return false;
    }

    function is_blog_installed() {
        return true;
    }

    function wp_installing( $is_installing = null ) {
        return false;
    }

    function wp_doing_ajax() {
        return false;
    }

    function wp_doing_cron() {
        return false;
    }

    function wp_is_json_request() {
        return true;
    }

    function wp_is_serving_rest_request() {
        return true;
    }

    function wp_using_ext_object_cache( $using = null ) {
        return false;
    }

    function wp_raise_memory_limit( $context = 'admin' ) {
        return false;
    }

    function get_current_blog_id() {
        return SiteState::answer( 'get_current_blog_id', null, 1 );
    }

    function get_current_network_id() {
        return 1;
    }

    function switch_to_blog( $new_blog_id, $deprecated = null ) {
        return true;
    }

    function restore_current_blog() {
        return true;
    }

    function get_sites( $args = array() ) {
        return SiteState::answer( 'get_sites', null, array() );
    }

    function is_user_logged_in() {
        return SiteState::answer( 'is_user_logged_in', null, true );
    }

    function current_user_can( $capability, ...$args ) {
        return SiteState::answer( 'current_user_can', (string) $capability, true );
    }

    function user_can( $user, $capability, ...$args ) {
        return SiteState::answer( 'user_can', (string) $capability, true );
    }

    function is_super_admin( $user_id = false ) {
        return SiteState::answer( 'is_super_admin', null, true );
    }

    function get_current_user_id() {
        return SiteState::answer( 'get_current_user_id', null, 1 );
    }

    function wp_create_nonce( $action = -1 ) {
        return 'stub';
    }

    function wp_verify_nonce( $nonce, $action = -1 ) {
        return 'stub' === $nonce ? 1 : false;
    }

    function check_ajax_referer( $action = -1, $query_arg = false, $stop = true ) {
        return 1;
    }

    function current_time( $type, $gmt = 0 ) {
        return 'timestamp' === $type || 'U' === $type ? 0 : gmdate( 'mysql' === $type ? 'Y-m-d H:i:s' : $type, 0 );
    }

    function wp_date( $format, $timestamp = null, $timezone = null ) {
        return gmdate( $format, (int) $timestamp );
    }

    function wp_timezone_string() {
        return 'UTC';
    }

    function wp_timezone() {
        return new DateTimeZone( 'UTC' );
    }

    function mysql2date( $format, $date, $translate = true ) {
        return gmdate( $format, (int) strtotime( $date . ' UTC' ) );
    }

    function wp_next_scheduled( $hook, $args = array() ) {
        return false;
    }

    function wp_schedule_event( $timestamp, $recurrence, $hook, $args = array(), $wp_error = false ) {
        return true;
    }

    function wp_schedule_single_event( $timestamp, $hook, $args = array(), $wp_error = false ) {
        return true;
    }

    function wp_clear_scheduled_hook( $hook, $args = array(), $wp_error = false ) {
        return 0;
    }

    function wp_unschedule_event( $timestamp, $hook, $args = array(), $wp_error = false ) {
        return true;
    }

    function wp_remote_request( $url, $args = array() ) {
        return new WP_Error( 'http_request_failed', 'There is no network here.' );
    }

    function wp_remote_get( $url, $args = array() ) {
        return wp_remote_request( $url, $args );
    }

    function wp_remote_post( $url, $args = array() ) {
        return wp_remote_request( $url, $args );
    }

    function wp_remote_head( $url, $args = array() ) {
        return wp_remote_request( $url, $args );
    }

    function wp_safe_remote_get( $url, $args = array() ) {
        return wp_remote_request( $url, $args );
    }

    function wp_safe_remote_post( $url, $args = array() ) {
        return wp_remote_request( $url, $args );
    }

    function wp_remote_retrieve_body( $response ) {
        return '';
    }

    function wp_remote_retrieve_response_code( $response ) {
        return '';
    }

    function wp_remote_retrieve_header( $response, $header ) {
        return '';
    }

    function wp_mail( $to, $subject, $message, $headers = '', $attachments = array() ) {
        return false;
    }

    function wp_die( $message = '', $title = '', $args = array() ) {
        throw new RuntimeException( 'wp_die(): ' . ( is_wp_error( $message ) ? $message->get_error_message() : (string) $message ) );
    }

    function _doing_it_wrong( $function_name, $message, $version ) {
        do_action( 'doing_it_wrong_run', $function_name, $message, $version );
    }

    function _deprecated_function( $function_name, $version, $replacement = '' ) {
    }

    function _deprecated_argument( $function_name, $version, $message = '' ) {
    }

    function _deprecated_hook( $hook, $version, $replacement = '', $message = '' ) {
    }

    function wp_trigger_error( $function_name, $message, $error_level = E_USER_NOTICE ) {
    }

    function wp_enqueue_script( $handle, $src = '', $deps = array(), $ver = false, $args = array() ) {
    }

    function wp_enqueue_style( $handle, $src = '', $deps = array(), $ver = false, $media = 'all' ) {
    }

    function wp_register_script( $handle, $src, $deps = array(), $ver = false, $args = array() ) {
        return true;
    }

    function wp_register_style( $handle, $src, $deps = array(), $ver = false, $media = 'all' ) {
        return true;
    }

    function wp_localize_script( $handle, $object_name, $l10n ) {
        return true;
    }

    function wp_add_inline_script( $handle, $data, $position = 'after' ) {
        return true;
    }

    function wp_set_script_translations( $handle, $domain = 'default', $path = '' ) {
        return true;
    }

    function add_menu_page( ...$args ) {
        return '';
    }

    function add_submenu_page( ...$args ) {
        return '';
    }

    function add_options_page( ...$args ) {
        return '';
    }

    function add_management_page( ...$args ) {
        return '';
    }

    function add_meta_box( ...$args ) {
    }

    function add_settings_section( ...$args ) {
    }

    function add_settings_field( ...$args ) {
    }

    function add_shortcode( $tag, $callback ) {
        $GLOBALS['shortcode_tags'][ $tag ] = $callback;
    }

    function remove_shortcode( $tag ) {
        unset( $GLOBALS['shortcode_tags'][ $tag ] );
    }

    function shortcode_exists( $tag ) {
        return isset( $GLOBALS['shortcode_tags'][ $tag ] );
    }

    function do_shortcode( $content, $ignore_html = false ) {
        return $content;
    }

    function shortcode_atts( $pairs, $atts, $shortcode = '' ) {
        return array_merge( $pairs, array_intersect_key( (array) $atts, $pairs ) );
    }

    function add_rewrite_rule( ...$args ) {
    }

    function add_rewrite_endpoint( ...$args ) {
    }

    function add_rewrite_tag( ...$args ) {
    }

    function flush_rewrite_rules( $hard = true ) {
    }

    function add_theme_support( $feature, ...$args ) {
    }

    function add_image_size( $name, $width = 0, $height = 0, $crop = false ) {
    }

    function register_block_type( $block_type, $args = array() ) {
        return false;
    }

    function register_block_type_from_metadata( $file_or_folder, $args = array() ) {
        return false;
    }

    function register_block_pattern( $pattern_name, $pattern_properties ) {
        return true;
    }

    function register_block_pattern_category( $category_name, $category_properties ) {
        return true;
    }

    function register_widget( $widget ) {
    }

    function register_sidebar( $args = array() ) {
        return '';
    }

    function register_nav_menus( $locations = array() ) {
    }

    function register_rest_route( $route_namespace, $route, $args = array(), $override = false ) {
        return true;
    }

    function register_rest_field( $object_type, $attribute, $args = array() ) {
    }

    function dbDelta( $queries = '', $execute = true ) {
        return array();
    }
}
