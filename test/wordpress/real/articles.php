<?php
/* Plugin Name: Articles */

/** Abilities that read and write posts of WordPress. */

defined( 'ABSPATH' ) || exit;

const ARTICLE_STATUSES = array( 'draft', 'publish' );

function articles_describe( $id ) {
    if ( is_wp_error( $id ) ) {
        return $id;
    }
    $post = get_post( $id );
    return $post
        ? array( 'id' => $post->ID, 'title' => $post->post_title, 'status' => $post->post_status, 'tags' => wp_get_post_tags( $post->ID, array( 'fields' => 'names' ) ) )
        : new WP_Error( 'no_article', "There is no article $id." );
}

function articles_save( array $input ) {
    $names  = array( 'id' => 'ID', 'title' => 'post_title', 'text' => 'post_content', 'status' => 'post_status', 'tags' => 'tags_input' );
    $fields = array();
    foreach ( $input as $name => $value ) {
        $fields[ $names[ $name ] ] = $value;
    }
    return articles_describe( isset( $input['id'] ) ? wp_update_post( wp_slash( $fields ), true ) : wp_insert_post( wp_slash( $fields ), true ) );
}

add_action(
    'wp_abilities_api_categories_init',
    static fn() => wp_register_ability_category( 'articles', array( 'label' => 'Articles', 'description' => 'The posts of the site.' ) )
);

add_action(
    'wp_abilities_api_init',
    static function () {
        $id      = array( 'id' => array( 'type' => 'integer', 'minimum' => 1 ) );
        $fields  = array(
            'title'  => array( 'type' => 'string', 'minLength' => 1 ),
            'text'   => array( 'type' => 'string' ),
            'status' => array( 'type' => 'string', 'enum' => ARTICLE_STATUSES ),
            'tags'   => array( 'type' => 'array', 'items' => array( 'type' => 'string' ) ),
        );
        $article = array(
            'type'       => 'object',
            'properties' => $id + array( 'title' => $fields['title'], 'status' => $fields['status'], 'tags' => $fields['tags'] ),
            'required'   => array( 'id', 'title', 'status', 'tags' ),
        );
        $many    = array( 'type' => 'object', 'properties' => array( 'articles' => array( 'type' => 'array', 'items' => $article ) ), 'required' => array( 'articles' ) );
        $deleted = array( 'type' => 'object', 'properties' => array( 'deleted' => array( 'type' => 'boolean' ) ), 'required' => array( 'deleted' ) );
        $list    = static fn( $input ) => array(
            'articles' => array_map( 'articles_describe', get_posts( array( 'post_status' => $input['status'] ?? 'any', 'fields' => 'ids', 'numberposts' => -1 ) ) ),
        );
        $delete  = static fn( $input ) => is_wp_error( articles_describe( $input['id'] ) )
            ? articles_describe( $input['id'] )
            : array( 'deleted' => (bool) wp_delete_post( $input['id'], true ) );
        // Name, properties of the input, required ones, output, callback, capability.
        $abilities = array(
            array( 'list', array( 'status' => $fields['status'] ), array(), $many, $list, 'read' ),
            array( 'get', $id, array( 'id' ), $article, static fn( $input ) => articles_describe( $input['id'] ), 'read' ),
            array( 'create', $fields, array( 'title' ), $article, 'articles_save', 'edit_posts' ),
            array( 'update', $id + $fields, array( 'id' ), $article, 'articles_save', 'edit_posts' ),
            array( 'delete', $id, array( 'id' ), $deleted, $delete, 'delete_posts' ),
        );
        foreach ( $abilities as list( $name, $properties, $required, $output, $callback, $capability ) ) {
            wp_register_ability(
                "articles/$name",
                array(
                    'label'               => ucfirst( $name ),
                    'description'         => ucfirst( $name ) . ' articles.',
                    'category'            => 'articles',
                    'input_schema'        => array( 'type' => 'object', 'properties' => $properties, 'required' => $required, 'additionalProperties' => false ),
                    'output_schema'       => $output,
                    'execute_callback'    => $callback,
                    'permission_callback' => static fn() => current_user_can( $capability ),
                    'meta'                => array(
                        'annotations'  => array( 'readonly' => 'read' === $capability, 'destructive' => 'delete' === $name ),
                        'mcp'          => array( 'public' => true ),
                        'show_in_rest' => true,
                    ),
                )
            );
        }
    }
);
