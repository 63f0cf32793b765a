<?php
/**
 * A small WordPress for tests: plugins on the stub, the REST API's list of abilities, and the MCP adapter
 * with its default server and one that lists every ability as a tool. Abilities run, and options are stored
 * in a file.
 *
 *     MINI_PLUGINS=a.php:b.php MINI_STATE=/tmp/x MINI_ADAPTER=0.5 php -S 127.0.0.1:8080 mini-server.php
 *
 * MINI_USER and MINI_PASSWORD are required from clients if they are set. MINI_REST=closed closes the REST
 * API. MINI_SESSIONS=one keeps only the latest session, like the adapter when several open at the same time;
 * MINI_SESSIONS=lost loses the first session when tools are listed. Requests are logged to requests.log.
 */

require_once __DIR__ . '/../../src/sources/php/stub/boot.php';

use McpCodegen\Stub\Store;

final class Mini_Server {
    const META_TOOLS = array(
        'mcp-adapter-discover-abilities' => 'Lists the abilities that are shown.',
        'mcp-adapter-get-ability-info'   => 'Tells one ability whole.',
        'mcp-adapter-execute-ability'    => 'Runs one ability.',
    );

    private string $state;
    private bool $is_new;

    public function __construct() {
        $this->state  = getenv( 'MINI_STATE' );
        $this->is_new = '0.4' !== getenv( 'MINI_ADAPTER' );
    }

    public function serve(): void {
        $options = $this->state . '/options.json';
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
        file_put_contents( $this->state . '/requests.log', "{$_SERVER['REQUEST_METHOD']} $path\n", FILE_APPEND );
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
        $user = getenv( 'MINI_USER' );
        return false === $user
            || ( ( $_SERVER['PHP_AUTH_USER'] ?? '' ) === $user && ( $_SERVER['PHP_AUTH_PW'] ?? '' ) === getenv( 'MINI_PASSWORD' ) );
    }

    private function serve_rest( string $route ): void {
        if ( '/' === $route ) {
            $this->send( 200, array( 'namespaces' => array( 'wp/v2', 'wp-abilities/v1', 'mcp' ), 'authentication' => array( 'application-passwords' => array( 'endpoints' => array() ) ) ) );
            return;
        }
        if ( ! $this->is_known() || 'closed' === getenv( 'MINI_REST' ) ) {
            $code = '/wp/v2/users/me' === $route && isset( $_SERVER['PHP_AUTH_USER'] ) ? 'incorrect_password' : 'rest_forbidden';
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
        $this->send(
            200,
            array_map(
                function ( $ability ) {
                    return $this->describe( $ability, true ) + array( '_links' => array( 'self' => array() ) );
                },
                $page
            )
        );
    }

    private function serve_mcp( string $server ): void {
        if ( ! in_array( $server, array( 'mcp-adapter-default-server', 'acme' ), true ) ) {
            $this->send( 404, $this->rest_error( 'rest_no_route', 404 ) );
            return;
        }
        if ( ! $this->is_known() ) {
            $this->send( 401, $this->rest_error( 'rest_forbidden', 401 ) );
            return;
        }
        if ( 'POST' !== $_SERVER['REQUEST_METHOD'] ) {
            $this->send( 'DELETE' === $_SERVER['REQUEST_METHOD'] ? 200 : 405, null );
            return;
        }
        $message = json_decode( file_get_contents( 'php://input' ) );
        $id      = $message->id ?? null;
        if ( 'initialize' === $message->method ) {
            if ( 'one' === getenv( 'MINI_SESSIONS' ) ) {
                array_map( 'unlink', glob( "{$this->state}/session-*" ) );
            }
            $session = bin2hex( random_bytes( 16 ) );
            touch( "{$this->state}/session-$session" );
            header( "Mcp-Session-Id: $session" );
            $version = $this->is_new ? '2025-11-25' : '2025-06-18';
            $this->answer( $id, array( 'protocolVersion' => $version, 'capabilities' => array( 'tools' => new stdClass() ), 'serverInfo' => array( 'name' => 'Mini', 'version' => 'v1.0.0' ) ) );
            return;
        }
        $session = $_SERVER['HTTP_MCP_SESSION_ID'] ?? null;
        if ( null === $session ) {
            $this->fail( $id, 400, -32600, 'Invalid Request: Missing Mcp-Session-Id header' );
        } elseif ( ! ctype_xdigit( $session ) || ! is_file( "{$this->state}/session-$session" ) ) {
            $this->is_new
                ? $this->fail( $id, 404, -32005, 'Session not found: Invalid or expired session' )
                : $this->fail( $id, 200, -32602, 'Invalid params: Invalid or expired session' );
        } elseif ( null === $id ) {
            $this->send( 202, null );
        } elseif ( 'ping' === $message->method ) {
            $this->answer( $id, new stdClass() );
        } elseif ( 'tools/list' === $message->method && 'lost' === getenv( 'MINI_SESSIONS' ) && ! is_file( "{$this->state}/lost" ) ) {
            touch( "{$this->state}/lost" );
            unlink( "{$this->state}/session-$session" );
            $this->fail( $id, 404, -32005, 'Session not found: Invalid or expired session' );
        } elseif ( 'tools/list' === $message->method ) {
            $this->answer( $id, array( 'tools' => $this->list_tools( $server ) ) );
        } elseif ( 'tools/call' === $message->method ) {
            $this->call( $id, $server, $message->params->name, json_decode( json_encode( $message->params->arguments ?? array() ), true ) );
        } else {
            $this->fail( $id, 404, -32601, "Method not found: {$message->method}" );
        }
    }

    private function list_tools( string $server ): array {
        if ( 'acme' === $server ) {
            return array_values( array_filter( array_map( array( $this, 'to_tool' ), wp_get_abilities() ) ) );
        }
        $tools = array();
        foreach ( self::META_TOOLS as $name => $description ) {
            $tools[] = array( 'name' => $name, 'description' => $description, 'inputSchema' => array( 'type' => 'object' ) );
        }
        return $tools;
    }

    private function to_tool( WP_Ability $ability ): ?array {
        $input  = $ability->get_input_schema();
        $output = $ability->get_output_schema();
        $tool   = array( 'name' => str_replace( '/', '-', $ability->get_name() ) );
        if ( $this->is_new ) {
            // Silently omits what its typed schemas cannot hold.
            if ( is_bool( $input['required'] ?? null ) || is_bool( $output['required'] ?? null ) ) {
                return null;
            }
            $tool['title'] = $ability->get_label();
        }
        $tool['description'] = $ability->get_description();
        if ( ! $this->is_new ) {
            $tool['type'] = 'action';
        }
        $nothing             = $this->is_new ? array( 'type' => 'object' ) : array( 'type' => 'object', 'additionalProperties' => false );
        $tool['inputSchema'] = array() === $input ? $nothing : $this->project( $input, 'input' );
        if ( array() !== $output ) {
            $tool['outputSchema'] = $this->project( $output, 'result' );
        }
        $names = array( 'readonly' => 'readOnlyHint', 'destructive' => 'destructiveHint', 'idempotent' => 'idempotentHint' );
        $hints = array();
        foreach ( $ability->get_meta_item( 'annotations', array() ) as $key => $value ) {
            if ( null !== $value && isset( $names[ $key ] ) ) {
                $hints[ $names[ $key ] ] = $value;
            }
        }
        if ( array() !== $hints ) {
            $title               = array( 'title' => $ability->get_label() );
            $tool['annotations'] = $this->is_new ? $title + $hints : $hints + $title;
        }
        return $tool;
    }

    private function project( array $schema, string $wrapper ): array {
        if ( $this->is_new && array() === ( $schema['properties'] ?? null ) ) {
            unset( $schema['properties'] );
        }
        if ( isset( $schema['type'] ) && 'object' !== $schema['type'] ) {
            return array( 'type' => 'object', 'properties' => array( $wrapper => $schema ), 'required' => array( $wrapper ) );
        }
        if ( ! $this->is_new ) {
            return $schema;
        }
        $kept = array( 'type' => 'object' );
        foreach ( $schema['properties'] ?? array() as $name => $property ) {
            $kept['properties'][ $name ] = array() === $property ? new stdClass() : $property;
        }
        if ( isset( $schema['required'] ) ) {
            $kept['required'] = array_values( $schema['required'] );
        }
        return $kept;
    }

    private function describe( WP_Ability $ability, bool $is_rest ): array {
        $described = array( 'name' => $ability->get_name(), 'label' => $ability->get_label(), 'description' => $ability->get_description() );
        if ( $is_rest ) {
            $described['category'] = $ability->get_category();
        }
        // The REST API of WordPress 7.1 publishes fewer keywords than the adapter.
        $publish                   = $is_rest ? 'wp_prepare_json_schema_for_client' : static fn( $schema ) => $schema;
        $described['input_schema'] = $publish( $ability->get_input_schema() );
        if ( $is_rest || array() !== $ability->get_output_schema() ) {
            $described['output_schema'] = $publish( $ability->get_output_schema() );
        }
        return $described + array( 'meta' => $ability->get_meta() );
    }

    private function call( $id, string $server, string $name, array $arguments ): void {
        if ( 'acme' === $server ) {
            foreach ( wp_get_abilities() as $ability ) {
                if ( str_replace( '/', '-', $ability->get_name() ) === $name ) {
                    $this->run( $id, $ability, $arguments, false );
                    return;
                }
            }
            $this->fail( $id, 404, -32003, "Tool not found: $name" );
            return;
        }
        if ( ! isset( self::META_TOOLS[ $name ] ) ) {
            $this->fail( $id, 404, -32003, "Tool not found: $name" );
            return;
        }
        $public = array_filter(
            wp_get_abilities(),
            static function ( $ability ) {
                $mcp = $ability->get_meta_item( 'mcp', array() );
                return true === ( $mcp['public'] ?? false ) && 'tool' === ( $mcp['type'] ?? 'tool' );
            }
        );
        if ( 'mcp-adapter-discover-abilities' === $name ) {
            $listed = array();
            foreach ( $public as $ability ) {
                $listed[] = array( 'name' => $ability->get_name(), 'label' => $ability->get_label(), 'description' => $ability->get_description() );
            }
            $this->tell( $id, array( 'abilities' => $listed ) );
            return;
        }
        $ability = $public[ $arguments['ability_name'] ?? '' ] ?? null;
        if ( null === $ability ) {
            $this->tell_error( $id, "Ability \"{$arguments['ability_name']}\" is not exposed via MCP (mcp.public!=true)" );
        } elseif ( 'mcp-adapter-get-ability-info' === $name ) {
            $this->tell( $id, $this->describe( $ability, false ) );
        } elseif ( ! is_array( $arguments['parameters'] ?? null ) ) {
            $this->tell_error( $id, 'Ability "mcp-adapter/execute-ability" has invalid input. Reason: input[parameters] is not of type object.' );
        } else {
            $this->run( $id, $ability, $arguments['parameters'], true );
        }
    }

    private function run( $id, WP_Ability $ability, array $arguments, bool $is_meta ): void {
        $is_wrapped = static function ( array $schema ): bool {
            return isset( $schema['type'] ) && 'object' !== $schema['type'];
        };
        $input = ! $is_meta && $is_wrapped( $ability->get_input_schema() ) ? ( $arguments['input'] ?? null ) : $arguments;
        try {
            $result = $ability->execute( array() === $ability->get_input_schema() ? null : $input );
        } catch ( Throwable $error ) {
            $this->tell_error( $id, $this->is_new ? "Ability \"{$ability->get_name()}\" callback threw an exception: {$error->getMessage()}" : $error->getMessage() );
            return;
        }
        if ( is_wp_error( $result ) ) {
            $this->tell_error( $id, $result->get_error_message() );
        } elseif ( $is_meta ) {
            $this->tell( $id, array( 'success' => true, 'data' => $result ) );
        } else {
            $this->tell( $id, ! is_array( $result ) || $is_wrapped( $ability->get_output_schema() ) ? array( 'result' => $result ) : $result );
        }
    }

    private function tell( $id, array $value ): void {
        $result = array( 'content' => array( array( 'type' => 'text', 'text' => json_encode( $value ) ) ), 'structuredContent' => $value );
        $this->answer( $id, $this->is_new ? $result + array( 'isError' => false ) : $result );
    }

    private function tell_error( $id, string $text ): void {
        $this->answer( $id, array( 'content' => array( array( 'type' => 'text', 'text' => $text ) ), 'isError' => true ) );
    }

    private function answer( $id, $result ): void {
        $this->send( 200, array( 'jsonrpc' => '2.0', 'id' => $id, 'result' => $result ) );
    }

    private function fail( $id, int $status, int $code, string $message ): void {
        $this->send( $status, array( 'jsonrpc' => '2.0', 'id' => $id, 'error' => array( 'code' => $code, 'message' => $message ) ) );
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
