<?php
/**
 * The database of a site without one, which WordPress loads as its drop-in `db.php`: the options of a new site, and the user
 * `admin` with an application password. PHP's web server keeps the options in a file.
 */

namespace McpCodegen\Core;

final class Watch {
    public static $folders = array();

    public static function record_query(): void {}
}

require __DIR__ . '/../../../src/sources/php/core/no-database.php';

$rows = &\Closure::bind( fn &() => $this->rows, $GLOBALS['wpdb'], No_Database::class )();
$file = WP_CONTENT_DIR . '/options.json';
if ( is_file( $file ) ) {
    $rows = json_decode( file_get_contents( $file ), true );
}
if ( 'cli-server' === PHP_SAPI ) {
    register_shutdown_function(
        static function () use ( &$rows, $file ) {
            file_put_contents( $file, json_encode( $rows ) );
        }
    );
}
add_filter( 'pre_option_using_application_passwords', '__return_true' );
add_filter(
    'get_user_metadata',
    static fn( $value, $user, $key ) => \WP_Application_Passwords::USERMETA_KEY_APPLICATION_PASSWORDS !== $key ? $value : array(
        array(
            array(
                'uuid'      => 'tests',
                'name'      => 'tests',
                'password'  => \WP_Application_Passwords::hash_password( str_replace( ' ', '', (string) getenv( 'SITE_PASSWORD' ) ) ),
                'last_used' => time(),
            ),
        ),
    ),
    10,
    3
);
