<?php
/**
 * Loads the code of WordPress without a site, with plugins, lets them register their abilities, and writes these as JSON.
 *
 *     php boot.php < JOB     the job is JSON; see `run-core.ts`
 */

define( 'MCP_CODEGEN_CORE', true );
require_once __DIR__ . '/../collect.php';
require_once __DIR__ . '/watch.php';
require_once __DIR__ . '/files.php';

$mcp_codegen_job = json_decode( (string) file_get_contents( 'php://stdin' ), true );
McpCodegen\Core\Watch::begin( $mcp_codegen_job );
$mcp_codegen_home = $mcp_codegen_job['answers']['get_option("home")'] ?? $mcp_codegen_job['options']['siteurl'] ?? 'http://localhost';
$_SERVER += 0 === stripos( $mcp_codegen_home, 'https:' ) ? array( 'HTTPS' => 'on' ) : array();
$mcp_codegen_constants = $mcp_codegen_job['constants'] + array(
    'ABSPATH'        => $mcp_codegen_job['core'] . '/',
    'WP_CONTENT_DIR' => $mcp_codegen_job['content'],
    'WP_CONTENT_URL' => "$mcp_codegen_home/wp-content",
    'WP_HOME'        => $mcp_codegen_home,
    'WP_SITEURL'     => $mcp_codegen_home,
    'WP_DEBUG'       => false,
) + array_fill_keys( array( 'DB_NAME', 'DB_USER', 'DB_PASSWORD', 'DB_HOST' ), '' );
if ( ! empty( $mcp_codegen_constants['MULTISITE'] ) ) {
    $mcp_codegen_constants += array( 'SUNRISE' => true, 'SUBDOMAIN_INSTALL' => false, 'DOMAIN_CURRENT_SITE' => 'localhost', 'PATH_CURRENT_SITE' => '/', 'SITE_ID_CURRENT_SITE' => 1, 'BLOG_ID_CURRENT_SITE' => 1 );
}
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $mcp_codegen_key ) {
    $mcp_codegen_constants += array( "{$mcp_codegen_key}_KEY" => 'x', "{$mcp_codegen_key}_SALT" => 'x' );
}
foreach ( $mcp_codegen_constants as $mcp_codegen_key => $mcp_codegen_value ) {
    if ( ! defined( $mcp_codegen_key ) ) {
        define( $mcp_codegen_key, $mcp_codegen_value );
    }
}
set_exception_handler( array( McpCodegen\Collector::class, 'fail_with' ) );
require ABSPATH . 'wp-includes/version.php';
if ( version_compare( PHP_VERSION, $required_php_version, '<' ) ) {
    McpCodegen\Collector::fail( 'old-php', 'PHP ' . PHP_VERSION . " is too old for WordPress $wp_version, which needs PHP $required_php_version" );
}
if ( array() !== $mcp_codegen_job['trace'] ) {
    require_once __DIR__ . '/../trace/trace.php';
}
McpCodegen\Core\Files::guard( $mcp_codegen_job['dir'], array() === $mcp_codegen_job['trace'] ? array() : $mcp_codegen_job['folders'] );

// Not in a function: variables that WordPress defines in its files must be global.
$table_prefix = 'wp_';
require ABSPATH . 'wp-settings.php';
remove_all_actions( 'shutdown' );
McpCodegen\Collector::collect();
