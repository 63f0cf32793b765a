<?php
/** Errors as values. */

class WP_Error {
    use \McpCodegen\Stub\Lenient;

    /** @var array<string|int, string[]> */
    public $errors = array();
    /** @var array<string|int, mixed> */
    public $error_data = array();
    protected $additional_data = array();

    public function __construct( $code = '', $message = '', $data = '' ) {
        if ( ! empty( $code ) ) {
            $this->add( $code, $message, $data );
        }
    }

    public function get_error_codes() {
        return array_keys( $this->errors );
    }

    public function get_error_code() {
        $codes = $this->get_error_codes();
        return $codes[0] ?? '';
    }

    public function get_error_messages( $code = '' ) {
        if ( '' === $code ) {
            return array_merge( array(), ...array_values( $this->errors ) );
        }
        return $this->errors[ $code ] ?? array();
    }

    public function get_error_message( $code = '' ) {
        $messages = $this->get_error_messages( '' === $code ? $this->get_error_code() : $code );
        return $messages[0] ?? '';
    }

    public function get_error_data( $code = '' ) {
        return $this->error_data[ '' === $code ? $this->get_error_code() : $code ] ?? null;
    }

    public function get_all_error_data( $code = '' ) {
        $code = '' === $code ? $this->get_error_code() : $code;
        $data = $this->additional_data[ $code ] ?? array();
        if ( isset( $this->error_data[ $code ] ) ) {
            $data[] = $this->error_data[ $code ];
        }
        return $data;
    }

    public function has_errors() {
        return array() !== $this->errors;
    }

    public function add( $code, $message, $data = '' ) {
        $this->errors[ $code ][] = $message;
        if ( ! empty( $data ) ) {
            $this->add_data( $data, $code );
        }
    }

    public function add_data( $data, $code = '' ) {
        $code = '' === $code ? $this->get_error_code() : $code;
        if ( isset( $this->error_data[ $code ] ) ) {
            $this->additional_data[ $code ][] = $this->error_data[ $code ];
        }
        $this->error_data[ $code ] = $data;
    }

    public function remove( $code ) {
        unset( $this->errors[ $code ], $this->error_data[ $code ], $this->additional_data[ $code ] );
    }

    public function merge_from( WP_Error $error ) {
        foreach ( $error->get_error_codes() as $code ) {
            foreach ( $error->get_error_messages( $code ) as $message ) {
                $this->add( $code, $message, $error->get_error_data( $code ) );
            }
        }
    }
}

function is_wp_error( $thing ) {
    return $thing instanceof WP_Error;
}
