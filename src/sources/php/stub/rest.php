<?php
/** The classes of the REST API that plugins name when they register routes. No request is served. */

class WP_REST_Server {
    use \McpCodegen\Stub\Lenient;

    const READABLE   = 'GET';
    const CREATABLE  = 'POST';
    const EDITABLE   = 'POST, PUT, PATCH';
    const DELETABLE  = 'DELETE';
    const ALLMETHODS = 'GET, POST, PUT, PATCH, DELETE';

    public function get_routes( $route_namespace = '' ) {
        return array();
    }

    public function register_route( $route_namespace, $route, $route_args, $override = false ) {
    }
}

class WP_REST_Request implements ArrayAccess {
    use \McpCodegen\Stub\Lenient;

    private $method;
    private $route;
    private $params = array();

    public function __construct( $method = '', $route = '', $attributes = array() ) {
        $this->method = $method;
        $this->route  = $route;
    }

    public function get_method() {
        return $this->method;
    }

    public function get_route() {
        return $this->route;
    }

    public function get_param( $key ) {
        return $this->params[ $key ] ?? null;
    }

    public function set_param( $key, $value ) {
        $this->params[ $key ] = $value;
    }

    public function get_params() {
        return $this->params;
    }

    public function get_json_params() {
        return $this->params;
    }

    public function get_header( $key ) {
        return null;
    }

    #[\ReturnTypeWillChange]
    public function offsetExists( $offset ) {
        return isset( $this->params[ $offset ] );
    }

    #[\ReturnTypeWillChange]
    public function offsetGet( $offset ) {
        return $this->get_param( $offset );
    }

    #[\ReturnTypeWillChange]
    public function offsetSet( $offset, $value ) {
        $this->set_param( $offset, $value );
    }

    #[\ReturnTypeWillChange]
    public function offsetUnset( $offset ) {
        unset( $this->params[ $offset ] );
    }
}

class WP_REST_Response {
    use \McpCodegen\Stub\Lenient;

    public $data;
    public $status;
    public $headers;

    public function __construct( $data = null, $status = 200, $headers = array() ) {
        $this->data    = $data;
        $this->status  = $status;
        $this->headers = $headers;
    }

    public function get_data() {
        return $this->data;
    }

    public function get_status() {
        return $this->status;
    }
}

abstract class WP_REST_Controller {
    use \McpCodegen\Stub\Lenient;

    protected $namespace;
    protected $rest_base;
    protected $schema;

    public function register_routes() {
    }

    public function get_item_schema() {
        return array();
    }

    public function get_collection_params() {
        return array();
    }
}
