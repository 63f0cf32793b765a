<?php
/** Arrays and strings. */

function wp_parse_args( $args, $defaults = array() ) {
    if ( $args instanceof McpCodegen\Stub\Unknown ) {
        $args = array_fill_keys( array_keys( (array) $defaults ), $args );
    } elseif ( is_object( $args ) ) {
        $args = get_object_vars( $args );
    } elseif ( ! is_array( $args ) ) {
        wp_parse_str( (string) $args, $args );
    }
    return is_array( $defaults ) ? array_merge( $defaults, $args ) : $args;
}

function wp_parse_str( $input_string, &$result ) {
    parse_str( (string) $input_string, $result );
}

function wp_parse_list( $input_list ) {
    return is_array( $input_list )
        ? array_filter( $input_list, 'is_scalar' )
        : preg_split( '/[\s,]+/', (string) $input_list, -1, PREG_SPLIT_NO_EMPTY );
}

function wp_parse_id_list( $input_list ) {
    return array_unique( array_map( 'absint', wp_parse_list( $input_list ) ) );
}

function wp_parse_slug_list( $input_list ) {
    return array_unique( array_map( 'sanitize_title', wp_parse_list( $input_list ) ) );
}

function wp_array_slice_assoc( $input_array, $keys ) {
    return array_intersect_key( $input_array, array_flip( $keys ) );
}

function wp_list_pluck( $input_list, $field, $index_key = null ) {
    $plucked = array();
    foreach ( (array) $input_list as $key => $item ) {
        $item  = (array) $item;
        $place = null === $index_key ? $key : ( $item[ $index_key ] ?? null );
        if ( null === $place ) {
            $plucked[] = $item[ $field ] ?? null;
        } else {
            $plucked[ $place ] = $item[ $field ] ?? null;
        }
    }
    return $plucked;
}

function wp_filter_object_list( $input_list, $args = array(), $operator = 'and', $field = false ) {
    $found = wp_list_filter( $input_list, $args, $operator );
    return false === $field ? $found : wp_list_pluck( $found, $field );
}

function wp_list_filter( $input_list, $args = array(), $operator = 'AND' ) {
    if ( array() === $args ) {
        return (array) $input_list;
    }
    return array_filter(
        (array) $input_list,
        static function ( $item ) use ( $args, $operator ) {
            $item    = (array) $item;
            $matches = 0;
            foreach ( $args as $key => $value ) {
                $matches += (int) ( array_key_exists( $key, $item ) && $value == $item[ $key ] );
            }
            switch ( strtoupper( $operator ) ) {
                case 'OR':
                    return $matches > 0;
                case 'NOT':
                    return 0 === $matches;
                default:
                    return count( $args ) === $matches;
            }
        }
    );
}

function wp_list_sort( $input_list, $orderby = array(), $order = 'ASC', $preserve_keys = false ) {
    $orders = is_string( $orderby ) ? array( $orderby => $order ) : $orderby;
    $sort   = static function ( $a, $b ) use ( $orders ) {
        foreach ( $orders as $field => $direction ) {
            $difference = ( (array) $a )[ $field ] <=> ( (array) $b )[ $field ];
            if ( 0 !== $difference ) {
                return 'DESC' === strtoupper( $direction ) ? -$difference : $difference;
            }
        }
        return 0;
    };
    $preserve_keys ? uasort( $input_list, $sort ) : usort( $input_list, $sort );
    return $input_list;
}

function wp_is_numeric_array( $data ) {
    return is_array( $data ) && array() === array_filter( array_keys( $data ), 'is_string' );
}

function _wp_array_get( $input_array, $path, $default_value = null ) {
    foreach ( (array) $path as $key ) {
        if ( ! is_array( $input_array ) || ! array_key_exists( $key, $input_array ) ) {
            return $default_value;
        }
        $input_array = $input_array[ $key ];
    }
    return $input_array;
}

function map_deep( $value, $callback ) {
    if ( is_array( $value ) ) {
        foreach ( $value as $key => $item ) {
            $value[ $key ] = map_deep( $item, $callback );
        }
        return $value;
    }
    return call_user_func( $callback, $value );
}

function wp_json_encode( $data, $options = 0, $depth = 512 ) {
    return json_encode( $data, $options | JSON_INVALID_UTF8_SUBSTITUTE, $depth );
}

/** Returns the value of a JSON file; null for a file that cannot be read. */
function wp_json_file_decode( $filename, $options = array() ) {
    $text = is_file( $filename ) ? file_get_contents( $filename ) : false;
    return false === $text ? null : json_decode( $text, $options['associative'] ?? false );
}

function absint( $maybeint ) {
    return abs( (int) $maybeint );
}

function wp_validate_boolean( $value ) {
    return is_string( $value ) && 'false' === strtolower( $value ) ? false : (bool) $value;
}

function trailingslashit( $value ) {
    return untrailingslashit( $value ) . '/';
}

function untrailingslashit( $value ) {
    return rtrim( (string) $value, '/\\' );
}

function wp_normalize_path( $path ) {
    return preg_replace( '|(?<=.)/+|', '/', str_replace( '\\', '/', (string) $path ) );
}

function path_join( $base, $path ) {
    return '' !== $path && '/' === $path[0] ? $path : rtrim( $base, '/' ) . '/' . $path;
}

function esc_html( $text ) {
    return htmlspecialchars( (string) $text, ENT_QUOTES, 'UTF-8', false );
}

function esc_attr( $text ) {
    return esc_html( $text );
}

function esc_textarea( $text ) {
    return htmlspecialchars( (string) $text, ENT_QUOTES, 'UTF-8' );
}

function esc_js( $text ) {
    return addslashes( (string) $text );
}

function esc_url( $url, $protocols = null, $_context = 'display' ) {
    return filter_var( (string) $url, FILTER_SANITIZE_URL );
}

function esc_url_raw( $url, $protocols = null ) {
    return esc_url( $url );
}

function sanitize_url( $url, $protocols = null ) {
    return esc_url( $url );
}

function esc_sql( $data ) {
    return is_array( $data ) ? array_map( 'esc_sql', $data ) : addslashes( (string) $data );
}

function wp_strip_all_tags( $text, $remove_breaks = false ) {
    $text = strip_tags( preg_replace( '@<(script|style)[^>]*?>.*?</\\1>@si', '', (string) $text ) );
    return trim( $remove_breaks ? preg_replace( '/[\r\n\t ]+/', ' ', $text ) : $text );
}

function sanitize_text_field( $str ) {
    return is_scalar( $str ) ? wp_strip_all_tags( (string) $str, true ) : '';
}

function sanitize_textarea_field( $str ) {
    return is_scalar( $str ) ? wp_strip_all_tags( (string) $str ) : '';
}

function sanitize_key( $key ) {
    return is_scalar( $key ) ? preg_replace( '/[^a-z0-9_\-]/', '', strtolower( (string) $key ) ) : '';
}

function sanitize_title( $title, $fallback_title = '', $context = 'save' ) {
    $slug = preg_replace( '/[^a-z0-9_\s-]/', '', strtolower( strip_tags( (string) $title ) ) );
    $slug = trim( preg_replace( '/[\s-]+/', '-', $slug ), '-' );
    return '' === $slug ? $fallback_title : $slug;
}

function sanitize_title_with_dashes( $title, $raw_title = '', $context = 'display' ) {
    return sanitize_title( $title );
}

function sanitize_html_class( $classname, $fallback = '' ) {
    $clean = preg_replace( '/[^A-Za-z0-9_-]/', '', (string) $classname );
    return '' === $clean ? $fallback : $clean;
}

function sanitize_file_name( $filename ) {
    return trim( preg_replace( '/[^A-Za-z0-9._-]+/', '-', (string) $filename ), '.-_' );
}

function sanitize_email( $email ) {
    $clean = filter_var( (string) $email, FILTER_SANITIZE_EMAIL );
    return is_email( $clean ) ? $clean : '';
}

function sanitize_user( $username, $strict = false ) {
    return preg_replace( '/[^A-Za-z0-9 _.\-@]/', '', strip_tags( (string) $username ) );
}

function sanitize_hex_color( $color ) {
    return 1 === preg_match( '/^#(?:[A-Fa-f0-9]{3}){1,2}$/', (string) $color ) ? $color : null;
}

function sanitize_mime_type( $mime_type ) {
    return preg_replace( '/[^-+*.a-zA-Z0-9\/]/', '', (string) $mime_type );
}

function is_email( $email ) {
    return false === filter_var( (string) $email, FILTER_VALIDATE_EMAIL ) ? false : $email;
}

function wp_kses( $content, $allowed_html, $allowed_protocols = array() ) {
    return (string) $content;
}

function wp_kses_post( $data ) {
    return (string) $data;
}

function wp_kses_data( $data ) {
    return (string) $data;
}

function wp_kses_allowed_html( $context = '' ) {
    return array();
}

function wp_slash( $value ) {
    return is_string( $value ) ? addslashes( $value ) : ( is_array( $value ) ? array_map( 'wp_slash', $value ) : $value );
}

function wp_unslash( $value ) {
    return map_deep(
        $value,
        static function ( $item ) {
            return is_string( $item ) ? stripslashes( $item ) : $item;
        }
    );
}

function wp_trim_words( $text, $num_words = 55, $more = null ) {
    $words = preg_split( '/\s+/', wp_strip_all_tags( $text ), -1, PREG_SPLIT_NO_EMPTY );
    $more  = $more ?? '&hellip;';
    return count( $words ) > $num_words
        ? implode( ' ', array_slice( $words, 0, $num_words ) ) . $more
        : implode( ' ', $words );
}

function wpautop( $text, $br = true ) {
    return (string) $text;
}

function wptexturize( $text, $reset = false ) {
    return (string) $text;
}

function wp_sprintf( $pattern, ...$args ) {
    return vsprintf( $pattern, $args );
}

function zeroise( $number, $threshold ) {
    return sprintf( '%0' . (int) $threshold . 's', $number );
}

function size_format( $bytes, $decimals = 0 ) {
    return number_format( (float) $bytes, (int) $decimals ) . ' B';
}

function maybe_serialize( $data ) {
    return is_array( $data ) || is_object( $data ) ? serialize( $data ) : $data;
}

function maybe_unserialize( $data ) {
    $value = is_string( $data ) ? @unserialize( $data, array( 'allowed_classes' => false ) ) : false;
    return false === $value ? $data : $value;
}

function is_serialized( $data, $strict = true ) {
    return is_string( $data ) && ( 'b:0;' === $data || false !== @unserialize( $data, array( 'allowed_classes' => false ) ) );
}

function wp_parse_url( $url, $component = -1 ) {
    return parse_url( (string) $url, $component );
}

function add_query_arg( ...$args ) {
    $added = is_array( $args[0] ) ? $args[0] : array( $args[0] => $args[1] ?? '' );
    $url   = is_array( $args[0] ) ? ( $args[1] ?? '/' ) : ( $args[2] ?? '/' );
    return $url . ( false === strpos( $url, '?' ) ? '?' : '&' ) . http_build_query( $added );
}

function remove_query_arg( $key, $query = false ) {
    return false === $query ? '/' : $query;
}

function wp_basename( $path, $suffix = '' ) {
    return basename( (string) $path, $suffix );
}

function wp_generate_uuid4() {
    return '00000000-0000-4000-8000-000000000000';
}

function wp_is_uuid( $uuid, $version = null ) {
    return is_string( $uuid ) && 1 === preg_match( '/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/', $uuid );
}

function wp_hash( $data, $scheme = 'auth' ) {
    return md5( (string) $data );
}

function wp_rand( $min = 0, $max = 0 ) {
    return (int) $min;
}
