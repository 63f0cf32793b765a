<?php
/**
 * Posts: five abilities in closures and functions. Data is stored in an option, so that it also runs without a database
 * of posts.
 */

defined( 'ABSPATH' ) || exit;

const ACME_POST_STATUSES = array( 'draft', 'pending', 'publish', 'private' );

add_action(
    'wp_abilities_api_categories_init',
    static function () {
        wp_register_ability_category(
            'content',
            array(
                'label'       => __( 'Content', 'acme' ),
                'description' => __( 'Abilities that read and write content.', 'acme' ),
            )
        );
    }
);

/** @return array<int, array<string, mixed>> By number. */
function acme_posts() {
    return (array) get_option( 'acme_posts', array() );
}

function acme_save_post( array $post ) {
    $posts                = acme_posts();
    $posts[ $post['id'] ] = $post;
    update_option( 'acme_posts', $posts );
    return $post;
}

function acme_find_post( $id ) {
    $posts = acme_posts();
    return $posts[ $id ] ?? new WP_Error( 'post_not_found', __( 'There is no such post.', 'acme' ), array( 'status' => 404 ) );
}

function acme_can_edit() {
    return current_user_can( 'edit_posts' );
}

function acme_post_schema() {
    return array(
        'type'       => 'object',
        'properties' => array(
            'id'      => array( 'type' => 'integer', 'minimum' => 1 ),
            'title'   => array( 'type' => 'string' ),
            'content' => array( 'type' => 'string' ),
            'status'  => array( 'type' => 'string', 'enum' => ACME_POST_STATUSES ),
            'tags'    => array( 'type' => 'array', 'items' => array( 'type' => 'string' ) ),
        ),
        'required'   => array( 'id', 'title', 'content', 'status', 'tags' ),
    );
}

add_action(
    'wp_abilities_api_init',
    static function () {
        $fields = array(
            'title'   => array( 'type' => 'string', 'minLength' => 1, 'description' => __( 'The title.', 'acme' ) ),
            'content' => array( 'type' => 'string', 'description' => __( 'The text, as HTML.', 'acme' ) ),
            'status'  => array(
                'type'        => 'string',
                'enum'        => ACME_POST_STATUSES,
                'default'     => 'draft',
                'description' => __( 'Who can see it.', 'acme' ),
            ),
            'tags'    => array( 'type' => 'array', 'items' => array( 'type' => 'string' ), 'default' => array() ),
        );
        $id     = array( 'type' => 'integer', 'minimum' => 1, 'description' => __( 'The number of the post.', 'acme' ) );

        wp_register_ability(
            'acme/list-posts',
            array(
                'label'               => __( 'List posts', 'acme' ),
                'description'         => __( 'Lists posts, newest first.', 'acme' ),
                'category'            => 'content',
                'input_schema'        => array(
                    'type'                 => 'object',
                    'properties'           => array(
                        'status'   => array( 'type' => 'string', 'enum' => array_merge( ACME_POST_STATUSES, array( 'any' ) ), 'default' => 'any' ),
                        'search'   => array( 'type' => 'string' ),
                        'per_page' => array( 'type' => 'integer', 'minimum' => 1, 'maximum' => 100, 'default' => 10 ),
                        'page'     => array( 'type' => 'integer', 'minimum' => 1, 'default' => 1 ),
                    ),
                    'additionalProperties' => false,
                    'default'              => array(),
                ),
                'output_schema'       => array(
                    'type'       => 'object',
                    'properties' => array(
                        'posts' => array( 'type' => 'array', 'items' => acme_post_schema() ),
                        'total' => array( 'type' => 'integer' ),
                    ),
                    'required'   => array( 'posts', 'total' ),
                ),
                'execute_callback'    => static function ( $input ) {
                    $status = $input['status'] ?? 'any';
                    $search = $input['search'] ?? '';
                    $found  = array_filter(
                        array_reverse( acme_posts() ),
                        static function ( $post ) use ( $status, $search ) {
                            return ( 'any' === $status || $status === $post['status'] )
                                && ( '' === $search || false !== stripos( $post['title'], $search ) );
                        }
                    );
                    $size   = $input['per_page'] ?? 10;
                    return array(
                        'posts' => array_slice( array_values( $found ), ( ( $input['page'] ?? 1 ) - 1 ) * $size, $size ),
                        'total' => count( $found ),
                    );
                },
                'permission_callback' => '__return_true',
                'meta'                => array(
                    'annotations'  => array( 'readonly' => true, 'destructive' => false, 'idempotent' => true ),
                    'mcp'          => array( 'public' => true ),
                    'show_in_rest' => true,
                ),
            )
        );

        wp_register_ability(
            'acme/get-post',
            array(
                'label'               => __( 'Get a post', 'acme' ),
                'description'         => __( 'Gets one post.', 'acme' ),
                'category'            => 'content',
                'input_schema'        => array(
                    'type'       => 'object',
                    'properties' => array( 'id' => $id ),
                    'required'   => array( 'id' ),
                ),
                'output_schema'       => acme_post_schema(),
                'execute_callback'    => static function ( $input ) {
                    return acme_find_post( $input['id'] );
                },
                'permission_callback' => '__return_true',
                'meta'                => array(
                    'annotations'  => array( 'readonly' => true, 'idempotent' => true ),
                    'mcp'          => array( 'public' => true ),
                    'show_in_rest' => true,
                ),
            )
        );

        wp_register_ability(
            'acme/create-post',
            array(
                'label'               => __( 'Create a post', 'acme' ),
                'description'         => __( 'Creates a post.', 'acme' ),
                'category'            => 'content',
                'input_schema'        => array(
                    'type'       => 'object',
                    'properties' => $fields,
                    'required'   => array( 'title', 'content' ),
                ),
                'output_schema'       => acme_post_schema(),
                'execute_callback'    => static function ( $input ) {
                    $ids = array_keys( acme_posts() );
                    return acme_save_post(
                        array(
                            'id'      => array() === $ids ? 1 : max( $ids ) + 1,
                            'title'   => sanitize_text_field( $input['title'] ),
                            'content' => wp_kses_post( $input['content'] ),
                            'status'  => $input['status'] ?? 'draft',
                            'tags'    => $input['tags'] ?? array(),
                        )
                    );
                },
                'permission_callback' => 'acme_can_edit',
                'meta'                => array(
                    'annotations'  => array( 'readonly' => false, 'destructive' => false ),
                    'mcp'          => array( 'public' => true ),
                    'show_in_rest' => true,
                ),
            )
        );

        wp_register_ability(
            'acme/update-post',
            array(
                'label'               => __( 'Update a post', 'acme' ),
                'description'         => __( 'Changes the given fields of a post and leaves the others.', 'acme' ),
                'category'            => 'content',
                'input_schema'        => array(
                    'type'       => 'object',
                    'properties' => array_merge(
                        array( 'id' => $id ),
                        array_map(
                            static function ( $field ) {
                                unset( $field['default'] );
                                return $field;
                            },
                            $fields
                        )
                    ),
                    'required'   => array( 'id' ),
                ),
                'output_schema'       => acme_post_schema(),
                'execute_callback'    => static function ( $input ) {
                    $post = acme_find_post( $input['id'] );
                    return is_wp_error( $post ) ? $post : acme_save_post( array_merge( $post, $input ) );
                },
                'permission_callback' => 'acme_can_edit',
                'meta'                => array(
                    'annotations'  => array( 'readonly' => false, 'destructive' => false, 'idempotent' => true ),
                    'mcp'          => array( 'public' => true ),
                    'show_in_rest' => true,
                ),
            )
        );

        wp_register_ability(
            'acme/delete-post',
            array(
                'label'               => __( 'Delete a post', 'acme' ),
                'description'         => __( 'Deletes a post for good.', 'acme' ),
                'category'            => 'content',
                'input_schema'        => array(
                    'type'       => 'object',
                    'properties' => array( 'id' => $id ),
                    'required'   => array( 'id' ),
                ),
                'output_schema'       => array(
                    'type'       => 'object',
                    'properties' => array( 'deleted' => array( 'type' => 'boolean' ), 'id' => $id ),
                    'required'   => array( 'deleted', 'id' ),
                ),
                'execute_callback'    => static function ( $input ) {
                    $posts = acme_posts();
                    $is    = isset( $posts[ $input['id'] ] );
                    unset( $posts[ $input['id'] ] );
                    update_option( 'acme_posts', $posts );
                    return array( 'deleted' => $is, 'id' => $input['id'] );
                },
                'permission_callback' => 'acme_can_edit',
                'meta'                => array(
                    'annotations'  => array( 'readonly' => false, 'destructive' => true, 'idempotent' => true ),
                    'mcp'          => array( 'public' => true ),
                    'show_in_rest' => true,
                ),
            )
        );
    }
);
