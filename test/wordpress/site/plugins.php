<?php
/** A must-use plugin that loads the plugins of a test; SITE_REST=closed closes the REST API, apart from its index. */

foreach ( array_filter( explode( PATH_SEPARATOR, (string) getenv( 'SITE_PLUGINS' ) ) ) as $plugin ) {
    require_once $plugin;
}
if ( 'closed' === getenv( 'SITE_REST' ) ) {
    add_filter(
        'rest_pre_dispatch',
        static fn( $result, $server, $request ) => preg_match( '#^/(mcp/|$)#', $request->get_route() )
            ? $result
            : new WP_Error( 'rest_forbidden', 'Sorry, you are not allowed to do that.', array( 'status' => 401 ) ),
        10,
        3
    );
}
