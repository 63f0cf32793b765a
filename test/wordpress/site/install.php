<?php
/**
 * Creates the tables, three users with one application password, and permalinks:
 *
 *     php install.php SITE PASSWORD
 */

list( , $site, $password ) = $argv;
define( 'WP_INSTALLING', true );

// Replaces the function of WordPress that sends mail.
function wp_new_blog_notification() {
}

mkdir( "$site/wp-content/database" );
require "$site/wp-load.php";
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter( 'pre_http_request', static fn() => new WP_Error( 'off', 'No network.' ) );
wp_install( 'Tests', 'admin', 'admin@example.org', false, '', wp_generate_password() );
$GLOBALS['wp_rewrite']->set_permalink_structure( '/%postname%/' );

foreach ( array( 'admin' => 'administrator', 'editor' => 'editor', 'subscriber' => 'subscriber' ) as $login => $role ) {
    $user = get_user_by( 'login', $login );
    $id   = $user ? $user->ID : wp_insert_user( array( 'user_login' => $login, 'user_pass' => wp_generate_password(), 'role' => $role ) );
    WP_Application_Passwords::create_new_application_password( $id, array( 'name' => 'tests' ) );
    $known                = WP_Application_Passwords::get_user_application_passwords( $id );
    $known[0]['password'] = WP_Application_Passwords::hash_password( str_replace( ' ', '', $password ) );
    update_user_meta( $id, WP_Application_Passwords::USERMETA_KEY_APPLICATION_PASSWORDS, $known );
}
