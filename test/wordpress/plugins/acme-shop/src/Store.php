<?php

namespace Acme\Shop;

/** Records by number, in one option per kind. */
final class Store {
    private $option;

    public function __construct( string $kind ) {
        $this->option = "acme_shop_$kind";
    }

    public function all(): array {
        return (array) get_option( $this->option, array() );
    }

    /** @return array|\WP_Error */
    public function find( int $id ) {
        return $this->all()[ $id ] ?? new \WP_Error( 'not_found', __( 'There is no such record.', 'acme-shop' ), array( 'status' => 404 ) );
    }

    public function save( array $record ): array {
        $records      = $this->all();
        $ids          = array_keys( $records );
        $id           = (int) ( $record['id'] ?? ( array() === $ids ? 1 : max( $ids ) + 1 ) );
        $record['id'] = $id;
        $records[ $id ] = array_merge( $records[ $id ] ?? array(), $record );
        update_option( $this->option, $records );
        return $records[ $id ];
    }

    public function delete( int $id ): bool {
        $records = $this->all();
        $is      = isset( $records[ $id ] );
        unset( $records[ $id ] );
        update_option( $this->option, $records );
        return $is;
    }
}
