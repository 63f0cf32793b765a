<?php
/**
 * The database of a new site, with empty tables. Its results are made up, so queries are counted, and another run
 * returns rows of unknown values.
 */

use McpCodegen\Stub\Decisions;
use McpCodegen\Stub\Unknown;

#[\AllowDynamicProperties]
class wpdb {
    public $prefix           = 'wp_';
    public $base_prefix      = 'wp_';
    public $blogid           = 1;
    public $siteid           = 1;
    public $charset          = 'utf8mb4';
    public $collate          = 'utf8mb4_unicode_520_ci';
    public $dbname           = 'wordpress';
    public $dbh              = null;
    public $ready            = true;
    public $is_mysql         = true;
    public $show_errors      = false;
    public $suppress_errors  = true;
    public $last_error       = '';
    public $last_query       = '';
    public $last_result      = array();
    public $num_queries      = 0;
    public $num_rows         = 0;
    public $rows_affected    = 0;
    public $insert_id        = 0;
    public $queries          = array();
    public $tables           = array( 'posts', 'comments', 'links', 'options', 'postmeta', 'terms', 'term_taxonomy', 'term_relationships', 'termmeta', 'commentmeta' );
    public $global_tables    = array( 'users', 'usermeta' );
    public $ms_global_tables = array( 'blogs', 'blogmeta', 'signups', 'site', 'sitemeta', 'registration_log' );

    public function __construct() {
        foreach ( array_merge( $this->tables, $this->global_tables, $this->ms_global_tables ) as $table ) {
            $this->$table = $this->prefix . $table;
        }
    }

    public function get_blog_prefix( $blog_id = null ) {
        return $this->prefix;
    }

    public function tables( $scope = 'all', $prefix = true, $blog_id = 0 ) {
        $names = array_merge( $this->tables, $this->global_tables );
        return $prefix ? array_combine( $names, array_map( fn( $name ) => $this->prefix . $name, $names ) ) : $names;
    }

    public function prepare( $query, ...$args ) {
        if ( null === $query ) {
            return null;
        }
        $args = 1 === count( $args ) && is_array( $args[0] ) ? array_values( $args[0] ) : $args;
        $next = 0;
        return preg_replace_callback(
            '/%%|%(?:(\d+)\$)?[-+0-9.]*([sdfFi])/',
            function ( $match ) use ( $args, &$next ) {
                if ( '%%' === $match[0] ) {
                    return '%';
                }
                $value = $args[ '' === $match[1] ? $next++ : (int) $match[1] - 1 ] ?? '';
                switch ( $match[2] ) {
                    case 'd':
                        return (string) (int) $value;
                    case 'f':
                    case 'F':
                        return sprintf( '%F', (float) $value );
                    case 'i':
                        return '`' . str_replace( '`', '``', (string) $value ) . '`';
                    default:
                        return "'" . $this->_escape( is_scalar( $value ) || is_object( $value ) ? (string) $value : '' ) . "'";
                }
            },
            (string) $query
        );
    }

    public function _escape( $data ) {
        return is_array( $data ) ? array_map( array( $this, '_escape' ), $data ) : addslashes( (string) $data );
    }

    public function _real_escape( $data ) {
        return $this->_escape( $data );
    }

    public function esc_like( $text ) {
        return addcslashes( (string) $text, '_%\\' );
    }

    public function escape_by_ref( &$data ) {
        $data = $this->_escape( $data );
    }

    public function remove_placeholder_escape( $query ) {
        return $query;
    }

    public function add_placeholder_escape( $query ) {
        return $query;
    }

    public function placeholder_escape() {
        return '{stub}';
    }

    public function get_var( $query = null, $x = 0, $y = 0 ) {
        $this->note( $query );
        // Plugins create their tables on activation.
        if ( 1 === preg_match( "/^\s*SHOW\s+TABLES\s+LIKE\s+'((?:[^'\\\\]|\\\\.)*)'/i", (string) $query, $match ) ) {
            return Decisions::$has_rows ? null : stripslashes( stripslashes( $match[1] ) );
        }
        if ( Decisions::$has_rows ) {
            return $this->row();
        }
        return 1 === preg_match( '/^\s*SELECT\s+COUNT\s*\(/i', (string) $query ) ? '0' : null;
    }

    public function get_row( $query = null, $output = 'OBJECT', $y = 0 ) {
        $this->note( $query );
        return Decisions::$has_rows ? $this->row() : null;
    }

    public function get_col( $query = null, $x = 0 ) {
        $this->note( $query );
        return Decisions::$has_rows ? array( $this->row() ) : array();
    }

    public function get_results( $query = null, $output = 'OBJECT' ) {
        $this->note( $query );
        return Decisions::$has_rows ? array( $this->row() ) : array();
    }

    public function query( $query ) {
        $this->note( $query );
        return 0;
    }

    public function insert( $table, $data, $format = null ) {
        $this->note( "INSERT INTO `$table`" );
        $this->insert_id = 1;
        return 1;
    }

    public function replace( $table, $data, $format = null ) {
        return $this->insert( $table, $data, $format );
    }

    public function update( $table, $data, $where, $format = null, $where_format = null ) {
        $this->note( "UPDATE `$table`" );
        return 0;
    }

    public function delete( $table, $where, $where_format = null ) {
        $this->note( "DELETE FROM `$table`" );
        return 0;
    }

    public function get_charset_collate() {
        return 'DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci';
    }

    public function has_cap( $capability ) {
        return true;
    }

    public function db_version() {
        return '8.0.36';
    }

    public function db_server_info() {
        return '8.0.36';
    }

    public function show_errors( $show = true ) {
        return false;
    }

    public function hide_errors() {
        return false;
    }

    public function suppress_errors( $suppress = true ) {
        return true;
    }

    public function print_error( $message = '' ) {
        return false;
    }

    public function flush() {
    }

    public function check_connection( $allow_bail = true ) {
        return true;
    }

    public function close() {
        return true;
    }

    public function set_prefix( $prefix, $set_table_names = true ) {
        return $this->prefix;
    }

    /** Returns null for the table of a plugin or an undefined property. */
    public function __get( $name ) {
        return null;
    }

    public function __call( $name, $args ) {
        $this->note( $name );
        return new Unknown( "\$wpdb->$name()" );
    }

    private function note( $query ): void {
        $this->num_queries++;
        $this->last_query = (string) $query;
        Decisions::record_use( '$wpdb' );
    }

    private function row() {
        return new Unknown( '$wpdb' );
    }
}

$GLOBALS['wpdb'] = new wpdb();
