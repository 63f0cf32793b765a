<?php
/**
 * The database of a site without one: the options of a new site, and one user. Every other query finds nothing. WordPress
 * loads this file as its drop-in `db.php`.
 */

namespace McpCodegen\Core;

final class No_Database extends \wpdb {
    private const TEXT = "'((?:[^'\\\\]++|\\\\.)*+)'";

    /** @var array<string, string> */
    private $rows = array( 'siteurl' => 'http://localhost', 'home' => 'http://localhost' );

    public function __construct() {
        $this->charset     = 'utf8mb4';
        $this->collate     = '';
        $this->ready       = true;
        // Otherwise it asks for the columns of a table before it writes.
        $this->is_mysql    = false;
        $this->field_types = array();
    }

    public function query( $query ) {
        $this->flush();
        ++$this->num_queries;
        $this->last_query = $query;
        $text             = $this->remove_placeholder_escape( $query );
        if ( 1 === preg_match( '/^\s*(?:insert|replace|update|delete)\b/i', $text ) ) {
            return $this->write( $text );
        }
        $found = $this->read( $text );
        if ( null === $found ) {
            Watch::record_query();
        }
        $this->last_result = array_map( static fn( array $row ) => (object) $row, $found ?? array() );
        $this->num_rows    = count( $this->last_result );
        return $this->num_rows;
    }

    /** Returns the rows of a query; null for one that a site would answer otherwise. */
    private function read( string $query ): ?array {
        if ( 1 === preg_match( '/^\s*SELECT option_name(, option_value)?.* FROM \S*options\b/i', $query ) ) {
            $has_names = 1 === preg_match( '/option_name in \(([^)]*)\)/i', $query, $match ) && preg_match_all( '/' . self::TEXT . '/', $match[1], $texts );
            $rows      = $has_names ? array_intersect_key( $this->rows, array_flip( array_map( 'stripslashes', $texts[1] ) ) ) : $this->rows;
            return array_map(
                static fn( $name, $value ) => array( 'option_name' => $name, 'option_value' => $value, 'autoload' => 'on' ),
                array_keys( $rows ),
                $rows
            );
        }
        if ( 1 === preg_match( '/^\s*SELECT (?:autoload|option_value) FROM \S*options`? WHERE option_name = ' . self::TEXT . '/i', $query, $match ) ) {
            $value = $this->rows[ stripslashes( $match[1] ) ] ?? null;
            return null === $value ? array() : array( array( 'option_value' => $value, 'autoload' => 'on' ) );
        }
        if ( 1 === preg_match( "/^\s*SELECT \* FROM \S*users WHERE (?:ID = '?1'?|user_login = 'admin')/i", $query ) ) {
            $names = array( 'user_login', 'user_nicename', 'display_name' );
            return array( array( 'ID' => '1', 'user_email' => 'admin@example.org', 'user_registered' => '2026-01-01 00:00:00', 'user_status' => '0' ) + array_fill_keys( $names, 'admin' ) + array_fill_keys( array( 'user_pass', 'user_url', 'user_activation_key' ), '' ) );
        }
        if ( 1 === preg_match( '/^\s*SELECT user_id, meta_key, meta_value FROM \S*usermeta WHERE user_id IN \(1\)/i', $query ) ) {
            return array( array( 'user_id' => '1', 'meta_key' => 'wp_capabilities', 'meta_value' => serialize( array( 'administrator' => true ) ) ) );
        }
        return null;
    }

    /** Writes options only. Returns the number of changed rows. */
    private function write( string $query ): int {
        $value = self::TEXT;
        if ( 1 === preg_match( '/^\s*(?:INSERT|REPLACE)[^(]* INTO \S*options`? *\([^)]*\) VALUES/i', $query, $match ) ) {
            preg_match_all( "/\(\s*$value\s*,\s*$value\s*,\s*$value\s*\)/", substr( $query, strlen( $match[0] ) ), $rows, PREG_SET_ORDER );
            foreach ( $rows as list( , $name, $text ) ) {
                $this->rows[ stripslashes( $name ) ] = stripslashes( $text );
            }
            $this->insert_id     = 1;
            $this->rows_affected = count( $rows );
        } elseif ( 1 === preg_match( "/^\s*UPDATE \S*options`? SET `option_value` = $value(?:, `autoload` = $value)? WHERE `option_name` = $value/i", $query, $match ) ) {
            $this->rows[ stripslashes( end( $match ) ) ] = stripslashes( $match[1] );
            $this->rows_affected                         = 1;
        } elseif ( 1 === preg_match( "/^\s*DELETE FROM \S*options`? WHERE `?option_name`? = $value/i", $query, $match ) ) {
            unset( $this->rows[ stripslashes( $match[1] ) ] );
            $this->rows_affected = 1;
        }
        return $this->rows_affected;
    }

    public function _real_escape( $data ) {
        return is_scalar( $data ) ? $this->add_placeholder_escape( addslashes( (string) $data ) ) : '';
    }

    public function db_connect( $allow_bail = true ) {
        return true;
    }

    public function db_server_info() {
        return '8.0.0';
    }

    protected function load_col_info() {
        $this->col_info = array();
    }
}

$GLOBALS['wpdb'] = new No_Database();
