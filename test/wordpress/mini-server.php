<?php
/**
 * A small WordPress for tests: plugins on the stub, the REST API's list of abilities, and the stand-in for the MCP adapter.
 * Abilities run, and options are stored in a file.
 *
 *     MINI_PLUGINS=a.php:b.php MINI_STATE=/tmp/x php -S 127.0.0.1:8080 mini-server.php
 *
 * Clients log in with MINI_USER and MINI_PASSWORD. MINI_REST=closed closes the REST API. Requests are logged to the file
 * REQUESTS_LOG. See mcp-adapter.php for more variables.
 */

require_once __DIR__ . '/../../src/sources/php/stub/boot.php';
require_once __DIR__ . '/mcp-adapter.php';

use McpCodegen\Stub\Store;

final class Mini_Server {
    public function serve(): void {
        $options = getenv( 'MINI_STATE' ) . '/options.json';
        if ( is_file( $options ) ) {
            Store::$options = array_merge( Store::$options, json_decode( file_get_contents( $options ), true ) );
        }
        foreach ( explode( PATH_SEPARATOR, getenv( 'MINI_PLUGINS' ) ) as $plugin ) {
            require_once $plugin;
        }
        foreach ( array( 'muplugins_loaded', 'plugins_loaded', 'init', 'wp_loaded' ) as $hook ) {
            do_action( $hook );
        }
        $path  = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
        file_put_contents( getenv( 'REQUESTS_LOG' ), "{$_SERVER['REQUEST_METHOD']} $path\n", FILE_APPEND );
        $route = $_GET['rest_route'] ?? ( 0 === strpos( $path, '/wp-json' ) ? substr( $path, strlen( '/wp-json' ) ) : null );
        if ( null === $route ) {
            $this->send( 404, null, 'text/html', '<!DOCTYPE html><title>Page not found</title>' );
            return;
        }
        if ( 0 === strpos( $route, '/mcp/' ) ) {
            $this->serve_mcp( substr( $route, strlen( '/mcp/' ) ) );
        } else {
            $this->serve_rest( $route );
        }
        file_put_contents( $options, json_encode( Store::$options ), LOCK_EX );
    }

    private function is_known(): bool {
        return getenv( 'MINI_USER' ) === ( $_SERVER['PHP_AUTH_USER'] ?? '' ) && getenv( 'MINI_PASSWORD' ) === ( $_SERVER['PHP_AUTH_PW'] ?? '' );
    }

    private function serve_rest( string $route ): void {
        if ( '/' === $route ) {
            $this->send( 200, array( 'namespaces' => array( 'wp/v2', 'wp-abilities/v1', 'mcp' ), 'authentication' => array( 'application-passwords' => array( 'endpoints' => array() ) ) ) );
            return;
        }
        if ( ! $this->is_known() || 'closed' === getenv( 'MINI_REST' ) ) {
            $code = '/wp/v2/users/me' === $route ? 'rest_not_logged_in' : 'rest_forbidden';
            $this->send( 401, $this->rest_error( $code, 401 ) );
            return;
        }
        if ( '/wp/v2/settings' === $route ) {
            $this->send( 200, array( 'language' => Store::$options['WPLANG'] ?? '' ) );
            return;
        }
        if ( '/wp-abilities/v1/abilities' !== $route ) {
            $this->send( 404, $this->rest_error( 'rest_no_route', 404 ) );
            return;
        }
        $shown = array_values(
            array_filter(
                wp_get_abilities(),
                static function ( $ability ) {
                    return $ability->get_meta_item( 'show_in_rest', false );
                }
            )
        );
        $size  = (int) ( $_GET['per_page'] ?? 50 );
        header( 'X-WP-Total: ' . count( $shown ) );
        header( 'X-WP-TotalPages: ' . max( 1, (int) ceil( count( $shown ) / $size ) ) );
        $page = array_slice( $shown, ( (int) ( $_GET['page'] ?? 1 ) - 1 ) * $size, $size );
        $this->send( 200, array_map( array( $this, 'describe' ), $page ) );
    }

    private function serve_mcp( string $server ): void {
        if ( ! Adapter_Stand_In::has( $server ) ) {
            $this->send( 404, $this->rest_error( 'rest_no_route', 404 ) );
            return;
        }
        if ( ! $this->is_known() ) {
            $this->send( 401, $this->rest_error( 'rest_forbidden', 401 ) );
            return;
        }
        $adapter = new Adapter_Stand_In( $server );
        list( $body, $status, $headers ) = $adapter->answer( $_SERVER['REQUEST_METHOD'], file_get_contents( 'php://input' ) );
        foreach ( $headers as $name => $value ) {
            header( "$name: $value" );
        }
        $this->send( $status, $body );
    }

    private function describe( WP_Ability $ability ): array {
        return array(
            'name'          => $ability->get_name(),
            'label'         => $ability->get_label(),
            'description'   => $ability->get_description(),
            'category'      => $ability->get_category(),
            'input_schema'  => wp_prepare_json_schema_for_client( $ability->get_input_schema() ),
            'output_schema' => wp_prepare_json_schema_for_client( $ability->get_output_schema() ),
            'meta'          => $ability->get_meta(),
            '_links'        => array( 'self' => array() ),
        );
    }

    private function rest_error( string $code, int $status ): array {
        return array( 'code' => $code, 'message' => 'Sorry, you are not allowed to do that.', 'data' => array( 'status' => $status ) );
    }

    private function send( int $status, $body, string $type = 'application/json; charset=UTF-8', string $text = '' ): void {
        http_response_code( $status );
        header( "Content-Type: $type" );
        echo null === $body ? $text : json_encode( $body );
    }
}

( new Mini_Server() )->serve();
