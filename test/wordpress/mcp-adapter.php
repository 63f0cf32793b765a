<?php
/**
 * Plugin Name: Stand-in for the MCP adapter
 *
 * This is not the MCP adapter. It answers as the adapter 0.5 and 0.4 did in recorded sessions, since the adapter is in no
 * package registry. A must-use plugin.
 *
 * There are two servers: the default server with three meta-tools, and `acme`, which lists every ability of a plugin as
 * a tool. ADAPTER_VERSION=0.4 answers like 0.4. ADAPTER_SESSIONS=one keeps only the latest session, like the adapter when
 * several open at the same time; ADAPTER_SESSIONS=lost loses the first session when tools are listed.
 */

defined( 'ABSPATH' ) || exit;

final class Adapter_Stand_In {
    const VERSIONS = array( '2025-11-25', '2025-06-18', '2024-11-05' );

    const ABILITY_NAME = array( 'ability_name' => array( 'type' => 'string' ) );
    const META_TOOLS   = array(
        'mcp-adapter-discover-abilities' => array( 'description' => 'Lists the abilities that are shown.', 'inputSchema' => array( 'type' => 'object' ) ),
        'mcp-adapter-get-ability-info'   => array(
            'description' => 'Returns one ability whole.',
            'inputSchema' => array( 'type' => 'object', 'properties' => self::ABILITY_NAME, 'required' => array( 'ability_name' ) ),
        ),
        'mcp-adapter-execute-ability'    => array(
            'description' => 'Runs one ability.',
            'inputSchema' => array(
                'type'       => 'object',
                'properties' => self::ABILITY_NAME + array( 'parameters' => array( 'type' => 'object' ) ),
                'required'   => array( 'ability_name', 'parameters' ),
            ),
        ),
    );

    /** The server lists abilities as tools. */
    private bool $has_tools;
    private bool $is_new;
    private array $headers = array();

    public function __construct( string $server ) {
        $this->has_tools = 'acme' === $server;
        $this->is_new    = '0.4' !== getenv( 'ADAPTER_VERSION' );
    }

    public static function has( string $server ): bool {
        return in_array( $server, array( 'mcp-adapter-default-server', 'acme' ), true );
    }

    /** Returns the body, the status and the headers of an answer. */
    public function answer( string $method, string $body ): array {
        $session = $_SERVER['HTTP_MCP_SESSION_ID'] ?? '';
        if ( 'DELETE' === $method ) {
            $this->save_sessions( array_diff_key( $this->sessions(), array( $session => true ) ) );
        }
        if ( 'POST' !== $method ) {
            return array( null, 'DELETE' === $method ? 200 : 405, array() );
        }
        $message = json_decode( $body );
        if ( is_array( $message ) ) {
            $answers = array_map( fn( $one ) => $this->respond( $one, $session )[1], $message );
            return array( $answers, 200, $this->headers );
        }
        list( $status, $answer ) = $this->respond( $message, $session );
        return array( $answer, $status, $this->headers );
    }

    private function sessions(): array {
        return (array) get_option( 'adapter_sessions', array() );
    }

    private function save_sessions( array $sessions ): void {
        update_option( 'adapter_sessions', $sessions, false );
    }

    /** Returns the status and the JSON-RPC message. */
    private function respond( stdClass $message, string $session ): array {
        $id = $message->id ?? null;
        if ( 'initialize' === $message->method ) {
            $session = bin2hex( random_bytes( 16 ) );
            $kept    = 'one' === getenv( 'ADAPTER_SESSIONS' ) ? array() : $this->sessions();
            $this->save_sessions( $kept + array( $session => get_current_user_id() ) );
            $this->headers = array( 'Mcp-Session-Id' => $session );
            $wanted        = $message->params->protocolVersion ?? '';
            $version       = in_array( $wanted, self::VERSIONS, true ) ? $wanted : self::VERSIONS[0];
            return $this->result(
                $id,
                array(
                    'protocolVersion' => $this->is_new ? $version : '2025-06-18',
                    'capabilities'    => array( 'tools' => new stdClass() ),
                    'serverInfo'      => array( 'name' => 'Stand-in', 'version' => 'v1.0.0' ),
                )
            );
        }
        $version = $_SERVER['HTTP_MCP_PROTOCOL_VERSION'] ?? self::VERSIONS[0];
        if ( '' === $session ) {
            return $this->error( $id, 400, -32600, 'Invalid Request: Missing Mcp-Session-Id header' );
        }
        if ( ( $this->sessions()[ $session ] ?? null ) !== get_current_user_id() ) {
            return $this->lost( $id );
        }
        if ( $this->is_new && ! in_array( $version, self::VERSIONS, true ) ) {
            $supported = implode( ', ', self::VERSIONS );
            return $this->error( $id, 400, -32600, "Bad Request: Unsupported protocol version: $version (supported versions: $supported)" );
        }
        if ( null === $id ) {
            return array( 202, null );
        }
        switch ( $message->method ) {
            case 'ping':
                return $this->result( $id, new stdClass() );
            case 'tools/list':
                if ( 'lost' === getenv( 'ADAPTER_SESSIONS' ) && ! get_option( 'adapter_lost' ) ) {
                    update_option( 'adapter_lost', true );
                    $this->save_sessions( array() );
                    return $this->lost( $id );
                }
                return $this->result( $id, array( 'tools' => $this->list_tools() ) );
            case 'tools/call':
                $arguments = json_decode( json_encode( $message->params->arguments ?? array() ), true );
                return $this->has_tools
                    ? $this->call_ability( $id, $message->params->name, $arguments )
                    : $this->call_meta_tool( $id, $message->params->name, $arguments );
            default:
                return $this->error( $id, 404, -32601, "Method not found: {$message->method}" );
        }
    }

    private function lost( $id ): array {
        return $this->is_new
            ? $this->error( $id, 404, -32005, 'Session not found: Invalid or expired session' )
            : $this->error( $id, 200, -32602, 'Invalid params: Invalid or expired session' );
    }

    private function list_tools(): array {
        if ( $this->has_tools ) {
            return array_values( array_filter( array_map( array( $this, 'to_tool' ), $this->abilities() ) ) );
        }
        return array_map( static fn( $name, $tool ) => array( 'name' => $name ) + $tool, array_keys( self::META_TOOLS ), self::META_TOOLS );
    }

    /** The abilities of plugins, by the names of their tools. */
    private function abilities(): array {
        $found = array();
        foreach ( wp_get_abilities() as $ability ) {
            if ( 0 !== strpos( $ability->get_name(), 'core/' ) ) {
                $found[ str_replace( '/', '-', $ability->get_name() ) ] = $ability;
            }
        }
        return $found;
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
        if ( self::is_wrapped( $schema ) ) {
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

    private static function is_wrapped( array $schema ): bool {
        return isset( $schema['type'] ) && 'object' !== $schema['type'];
    }

    private function call_ability( $id, string $name, array $arguments ): array {
        $ability = $this->abilities()[ $name ] ?? null;
        if ( null === $ability ) {
            return $this->error( $id, 404, -32003, "Tool not found: $name" );
        }
        $is_wrapped = self::is_wrapped( $ability->get_input_schema() );
        return $this->run( $id, $ability, $is_wrapped ? $arguments['input'] ?? null : $arguments );
    }

    private function call_meta_tool( $id, string $name, array $arguments ): array {
        if ( ! isset( self::META_TOOLS[ $name ] ) ) {
            return $this->error( $id, 404, -32003, "Tool not found: $name" );
        }
        $public = array_filter(
            wp_get_abilities(),
            static function ( $ability ) {
                $mcp = $ability->get_meta_item( 'mcp', array() );
                return true === ( $mcp['public'] ?? false ) && 'tool' === ( $mcp['type'] ?? 'tool' );
            }
        );
        if ( 'mcp-adapter-discover-abilities' === $name ) {
            $describe = static fn( $ability ) => array( 'name' => $ability->get_name(), 'label' => $ability->get_label(), 'description' => $ability->get_description() );
            return $this->content( $id, array( 'abilities' => array_values( array_map( $describe, $public ) ) ) );
        }
        foreach ( self::META_TOOLS[ $name ]['inputSchema']['required'] as $key ) {
            $own = str_replace( 'mcp-adapter-', 'mcp-adapter/', $name );
            if ( ! isset( $arguments[ $key ] ) ) {
                return $this->is_error( $id, "Ability \"$own\" has invalid input. Reason: $key is a required property of input." );
            }
            if ( 'parameters' === $key && ! is_array( $arguments[ $key ] ) ) {
                return $this->is_error( $id, "Ability \"$own\" has invalid input. Reason: input[parameters] is not of type object." );
            }
        }
        $ability = $public[ $arguments['ability_name'] ] ?? null;
        if ( null === $ability ) {
            return $this->is_error( $id, "Ability \"{$arguments['ability_name']}\" is not exposed via MCP (mcp.public!=true)" );
        }
        if ( 'mcp-adapter-execute-ability' === $name ) {
            // Reports say that the adapter passes empty parameters on as null.
            return $this->run( $id, $ability, array() === $arguments['parameters'] ? null : $arguments['parameters'] );
        }
        $described = array( 'name' => $ability->get_name(), 'label' => $ability->get_label(), 'description' => $ability->get_description(), 'input_schema' => $ability->get_input_schema() );
        if ( array() !== $ability->get_output_schema() ) {
            $described['output_schema'] = $ability->get_output_schema();
        }
        return $this->content( $id, $described + array( 'meta' => $ability->get_meta() ) );
    }

    private function run( $id, WP_Ability $ability, $input ): array {
        $input = array() === $ability->get_input_schema() ? null : $input;
        try {
            $result = $ability->execute( $input );
        } catch ( Throwable $error ) {
            return $this->is_error( $id, $this->is_new ? "Ability \"{$ability->get_name()}\" callback threw an exception: {$error->getMessage()}" : $error->getMessage() );
        }
        if ( is_wp_error( $result ) ) {
            return $this->is_error( $id, 'ability_invalid_permissions' === $result->get_error_code() ? 'Permission denied' : $result->get_error_message() );
        }
        if ( ! $this->has_tools ) {
            return $this->content( $id, array( 'success' => true, 'data' => $result ) );
        }
        if ( is_array( $result ) && false === ( $result['success'] ?? null ) && isset( $result['error'] ) ) {
            return $this->is_error( $id, $result['error'] );
        }
        return $this->content( $id, ! is_array( $result ) || self::is_wrapped( $ability->get_output_schema() ) ? array( 'result' => $result ) : $result );
    }

    private function content( $id, array $value ): array {
        $result = array( 'content' => array( array( 'type' => 'text', 'text' => json_encode( $value ) ) ), 'structuredContent' => $value );
        return $this->result( $id, $this->is_new ? $result + array( 'isError' => false ) : $result );
    }

    private function is_error( $id, string $text ): array {
        return $this->result( $id, array( 'content' => array( array( 'type' => 'text', 'text' => $text ) ), 'isError' => true ) );
    }

    private function result( $id, $result ): array {
        return array( 200, array( 'jsonrpc' => '2.0', 'id' => $id, 'result' => $result ) );
    }

    private function error( $id, int $status, int $code, string $message ): array {
        return array( $status, array( 'jsonrpc' => '2.0', 'id' => $id, 'error' => array( 'code' => $code, 'message' => $message ) ) );
    }
}

add_action(
    'rest_api_init',
    static function () {
        register_rest_route(
            'mcp',
            '/(?P<server>[a-z-]+)',
            array(
                'methods'             => array( 'GET', 'POST', 'DELETE' ),
                'permission_callback' => static fn() => current_user_can( 'read' ),
                'callback'            => static fn( $request ) => Adapter_Stand_In::has( $request['server'] )
                    ? new WP_REST_Response( ...( new Adapter_Stand_In( $request['server'] ) )->answer( $request->get_method(), $request->get_body() ) )
                    : new WP_Error( 'rest_no_route', 'No route was found matching the URL and request method.', array( 'status' => 404 ) ),
            )
        );
    }
);
