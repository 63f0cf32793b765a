<?php
/**
 * Finds the lines of abilities. In a separate run, each array of the plugins' code is recorded when PHP creates it. The
 * parts of an ability are then found among these arrays: by their place in a known array, or else by content.
 */

namespace McpCodegen\Trace;

require_once __DIR__ . '/code.php';
require_once __DIR__ . '/scopes.php';
require_once __DIR__ . '/sites.php';
require_once __DIR__ . '/literals.php';

final class Trace {
    /** The limit of recorded arrays. More would take too long. */
    private const MOST = 300000;

    /** @var array<int, array{0: int, 1: array}> Site and value of each recorded array, in order. */
    private static $made = array();
    /** The number of indexed arrays. */
    private static $indexed = 0;
    /** @var array<string, int[]> Arrays by their content. */
    private static $by_content = array();
    /** @var array<string, int[]> Arrays by each of their entries. */
    private static $by_entry = array();
    /** @var array<int, int> The last array of each site. */
    private static $last = array();
    /** @var array<int|string, int[]> Arrays by each of their keys. */
    private static $by_key = array();
    /** @var array<string, array{file: string, line: int}> The lines of the current ability, by JSON Pointer. */
    private static $lines = array();

    public static function record( int $site, $value ) {
        if ( is_array( $value ) && count( self::$made ) < self::MOST ) {
            self::$made[] = array( $site, $value );
        }
        return $value;
    }

    /** Records a value that is assigned to a key of an array. */
    public static function record_entry( int $site, $value ) {
        if ( count( self::$made ) < self::MOST ) {
            self::$made[] = array( $site, array( Sites::$all[ $site ]['elements'][0]['key'] => $value ) );
        }
        return $value;
    }

    /**
     * Returns the lines of an ability, by JSON Pointer into its definition.
     *
     * @param array{file: string, line: int} $place the place of the registration
     * @return array<string, array{file: string, line: int}>
     */
    public static function lines_of( array $definition, array $place ): array {
        foreach ( Sites::collect_constants() as $constant ) {
            self::record_constant_value( $constant['site'], $constant['value'] );
        }
        self::index();
        self::$lines = array();
        unset( $definition['name'] );
        $call = Sites::find_call( $place['file'], $place['line'] );
        self::find_lines( $definition, '', null === $call ? array() : array( $call ), $call['site'] ?? null );
        return self::$lines;
    }

    /** Records a constant. PHP creates constants without calls, so nested arrays are read from the value. */
    private static function record_constant_value( int $site, $value ): void {
        if ( ! is_array( $value ) ) {
            return;
        }
        self::record( $site, $value );
        foreach ( Sites::$all[ $site ]['elements'] as $element ) {
            if ( null !== $element['site'] && null !== $element['key'] && isset( $value[ $element['key'] ] ) ) {
                self::record_constant_value( $element['site'], $value[ $element['key'] ] );
            }
        }
    }

    private static function index(): void {
        for ( ; self::$indexed < count( self::$made ); self::$indexed++ ) {
            list( $site, $value ) = self::$made[ self::$indexed ];
            self::$last[ $site ]  = self::$indexed;
            if ( count( $value ) > 2000 ) {
                continue;
            }
            self::$by_content[ self::print( $value ) ][] = self::$indexed;
            foreach ( $value as $key => $item ) {
                self::$by_entry[ self::entry( $key, $item ) ][] = self::$indexed;
                self::$by_key[ $key ][]                         = self::$indexed;
            }
        }
    }

    private static function print( $value ): string {
        if ( is_array( $value ) ) {
            $text = '';
            foreach ( $value as $key => $item ) {
                $text .= "$key=" . self::print( $item ) . ',';
            }
            return 'a' . md5( $text );
        }
        return is_object( $value ) ? 'o' . spl_object_id( $value ) : gettype( $value ) . ':' . ( is_scalar( $value ) ? (string) $value : '' );
    }

    /** Returns the key of an entry in the index. List items have no position: merging moves them. */
    private static function entry( $key, $item ): string {
        return ( is_int( $key ) ? '#' : "$key=" ) . self::print( $item );
    }

    /**
     * Finds the lines of a value.
     *
     * @param array    $around the expressions that contain the value or that it comes from, the nearest first
     * @param int|null $site   the expected array of the code
     */
    private static function find_lines( array $value, string $pointer, array $around, ?int $site ): void {
        $record = array() === $value ? null : self::find_whole( $value, $around, $site );
        // The array of the code may have been modified. It still has the unmodified entries.
        if ( null !== $site && isset( self::$last[ $site ] ) && ( null === $record || self::$made[ $record ][0] !== $site ) ) {
            $record   = null;
            $original = self::$last[ $site ];
        }
        $list = $record ?? $original ?? null;
        foreach ( $value as $key => $item ) {
            $from    = $record;
            if ( null === $from ) {
                $is_original = isset( $original ) && array_key_exists( $key, self::$made[ $original ][1] );
                $from        = $is_original ? $original : self::find_entry( $value, $key, $item, $around, $site );
            }
            $list    = $list ?? $from;
            $element = null === $from ? null : Sites::find_element( self::$made[ $from ], $key, $item );
            $at      = "$pointer/" . str_replace( array( '~', '/' ), array( '~0', '~1' ), (string) $key );
            $within  = null === $element ? $around : array_merge( array( $element ), $around );
            if ( is_array( $item ) ) {
                if ( null !== $element ) {
                    self::$lines[ $at ] = Sites::place( $element );
                } else {
                    $whole = array() === $item ? null : self::find_whole( $item, $around, null );
                    if ( null !== $whole ) {
                        self::$lines[ $at ] = Sites::place( Sites::$all[ self::$made[ $whole ][0] ] );
                    }
                }
                self::find_lines( $item, $at, $within, $element['site'] ?? null );
                continue;
            }
            $place = Literals::find_scalar( $item, $element, $around );
            if ( null !== $place ) {
                self::$lines[ $at ] = $place;
            }
        }
        // JSON Pointer names the end of a list so. A removed item had its line in this array.
        if ( null !== $list && isset( $value[0] ) ) {
            self::$lines[ "$pointer/-" ] = Sites::place( Sites::$all[ self::$made[ $list ][0] ] );
        }
    }

    /** Returns the array with exactly this content; null if there is none, or several are equally likely. */
    private static function find_whole( array $value, array $around, ?int $site ): ?int {
        return self::choose( self::$by_content[ self::print( $value ) ] ?? array(), $around, $site );
    }

    /**
     * Returns the array that an entry of a merged or modified array comes from: of those with the entry, the one with
     * most of the other entries.
     */
    private static function find_entry( array $value, $key, $item, array $around, ?int $site ): ?int {
        $candidates = self::$by_entry[ self::entry( $key, $item ) ] ?? array();
        // Null is what WordPress itself puts in place of a missing value.
        $is_changed = array() === $candidates && is_string( $key ) && null !== $item;
        if ( $is_changed ) {
            $candidates = self::nearest( self::$by_key[ $key ] ?? array(), $around );
        }
        if ( count( $candidates ) > 1 ) {
            $shared = array();
            foreach ( array_slice( $candidates, -2000 ) as $candidate ) {
                $shared[ $candidate ] = self::count_shared( self::$made[ $candidate ][1], $value, $is_changed );
            }
            $candidates = array_keys( $shared, max( $shared ), true );
        }
        return self::choose( $candidates, $around, $site );
    }

    private static function nearest( array $candidates, array $around ): array {
        $scores = array();
        foreach ( array_slice( $candidates, -2000 ) as $candidate ) {
            $scores[ $candidate ] = Sites::nearness( self::$made[ $candidate ][0], $around );
        }
        $sites = array_unique( array_map( static fn( $candidate ) => self::$made[ $candidate ][0], array_keys( $scores ) ) );
        // The same key in an array that is neither inside nor named is not evidence, unless it is the only one.
        return array() === $scores || ( 250 > max( $scores ) && count( $sites ) > 1 ) ? array() : array_keys( $scores, max( $scores ), true );
    }

    private static function count_shared( array $one, array $other, bool $keys_only ): int {
        if ( $keys_only ) {
            return count( array_intersect_key( $one, $other ) );
        }
        $shared = 0;
        foreach ( $one as $key => $item ) {
            if ( is_int( $key ) ? in_array( $item, $other, true ) : array_key_exists( $key, $other ) && self::print( $other[ $key ] ) === self::print( $item ) ) {
                $shared++;
            }
        }
        return $shared;
    }

    /**
     * Returns the most likely of several arrays: the expected one, one inside of or named by the surrounding
     * expressions, or the last.
     */
    private static function choose( array $candidates, array $around, ?int $site ): ?int {
        $best   = null;
        $scores = array();
        foreach ( $candidates as $candidate ) {
            $id = self::$made[ $candidate ][0];
            if ( ! isset( $scores[ $id ] ) ) {
                $scores[ $id ] = $id === $site ? 1000 : Sites::nearness( $id, $around );
            }
            if ( null === $best || $scores[ $id ] >= $scores[ self::$made[ $best ][0] ] ) {
                $best = $candidate;
            }
        }
        return $best;
    }
}
