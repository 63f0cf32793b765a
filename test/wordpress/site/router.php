<?php
/**
 * Routes a request of PHP's web server: existing files as they are, other paths to WordPress. Requests of its REST API are
 * logged to the file REQUESTS_LOG.
 */

$path = rawurldecode( (string) parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) );
if ( 0 === strpos( $path, '/wp-json' ) || isset( $_GET['rest_route'] ) ) {
    file_put_contents( getenv( 'REQUESTS_LOG' ), "{$_SERVER['REQUEST_METHOD']} $path\n", FILE_APPEND );
} elseif ( is_file( $_SERVER['DOCUMENT_ROOT'] . $path ) ) {
    return false;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
$_SERVER['PHP_SELF']    = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
