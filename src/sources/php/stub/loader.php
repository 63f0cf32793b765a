<?php
/**
 * Rewrites the code of plugins while PHP loads it, to observe what is not visible from outside: errors that the plugin
 * catches, and conditions that depend on made-up values. Line numbers do not change.
 */

namespace McpCodegen\Stub;

final class Loader {
    /** PHP's STREAM_OPEN_FOR_INCLUDE. */
    private const FOR_INCLUDE = 128;

    /** @var callable(string $code, string $file): string */
    private static $rewrite;
    /** @var string[] Autoloaders of Composer that plugins looked for, and that do not exist. */
    public static $absent = array();
    /** @var resource|null Set by PHP. */
    public $context;
    /** @var resource|null */
    private $handle;

    public static function start( callable $rewrite ): void {
        self::$rewrite = $rewrite;
        self::register();
    }

    private static function register(): void {
        stream_wrapper_unregister( 'file' );
        stream_wrapper_register( 'file', self::class );
    }

    /** Calls a function without this stream wrapper. */
    private static function natively( callable $work ) {
        stream_wrapper_restore( 'file' );
        try {
            return $work();
        } finally {
            self::register();
        }
    }

    public function stream_open( string $path, string $mode, int $options ): bool {
        $context      = $this->context;
        $this->handle = self::natively(
            static function () use ( $path, $mode, $options, $context ) {
                if ( 0 === ( $options & self::FOR_INCLUDE ) ) {
                    return null === $context ? @fopen( $path, $mode ) : @fopen( $path, $mode, false, $context );
                }
                $code = @file_get_contents( $path );
                if ( false === $code && ! self::is_core( $path ) ) {
                    self::record_absent( $path );
                    return false;
                }
                $memory = fopen( 'php://memory', 'w+b' );
                fwrite( $memory, false === $code ? '<?php' : call_user_func( self::$rewrite, $code, $path ) );
                rewind( $memory );
                return $memory;
            }
        ) ?: null;
        return null !== $this->handle;
    }

    /** Files of WordPress that plugins load for their functions. The stub has these functions or makes them up. */
    private static function is_core( string $path ): bool {
        $path = preg_replace( '#/(?:\./)*+/*#', '/', str_replace( '\\', '/', $path ) );
        return 1 === preg_match( '#^' . preg_quote( ABSPATH, '#' ) . 'wp-(?:admin|includes)/[^.].*\.php$#', $path );
    }

    public function stream_read( int $count ) {
        return fread( $this->handle, $count );
    }

    public function stream_write( string $data ) {
        return fwrite( $this->handle, $data );
    }

    public function stream_eof(): bool {
        return feof( $this->handle );
    }

    public function stream_tell() {
        return ftell( $this->handle );
    }

    public function stream_seek( int $offset, int $whence ): bool {
        return 0 === fseek( $this->handle, $offset, $whence );
    }

    public function stream_flush(): bool {
        return fflush( $this->handle );
    }

    public function stream_stat() {
        return fstat( $this->handle );
    }

    public function stream_lock( int $operation ): bool {
        return 0 === $operation || flock( $this->handle, $operation );
    }

    public function stream_truncate( int $size ): bool {
        return ftruncate( $this->handle, $size );
    }

    public function stream_set_option( int $option, int $first, $second ): bool {
        return false;
    }

    public function stream_cast( int $as ) {
        return $this->handle;
    }

    public function stream_close(): void {
        fclose( $this->handle );
    }

    public function stream_metadata( string $path, int $option, $value ): bool {
        return self::natively(
            static function () use ( $path, $option, $value ) {
                switch ( $option ) {
                    case STREAM_META_TOUCH:
                        return touch( $path, ...$value );
                    case STREAM_META_ACCESS:
                        return chmod( $path, $value );
                    default:
                        return false;
                }
            }
        );
    }

    public function unlink( string $path ): bool {
        return self::natively( static fn() => unlink( $path ) );
    }

    public function rename( string $from, string $to ): bool {
        return self::natively( static fn() => rename( $from, $to ) );
    }

    public function mkdir( string $path, int $mode, int $options ): bool {
        return self::natively( static fn() => mkdir( $path, $mode, 0 !== ( $options & STREAM_MKDIR_RECURSIVE ) ) );
    }

    public function rmdir( string $path, int $options ): bool {
        return self::natively( static fn() => rmdir( $path ) );
    }

    public function dir_opendir( string $path, int $options ): bool {
        $this->handle = self::natively( static fn() => @opendir( $path ) ) ?: null;
        return null !== $this->handle;
    }

    public function dir_readdir() {
        return readdir( $this->handle );
    }

    public function dir_rewinddir(): bool {
        rewinddir( $this->handle );
        return true;
    }

    public function dir_closedir(): bool {
        closedir( $this->handle );
        return true;
    }

    public function url_stat( string $path, int $flags ) {
        $stat = self::natively(
            static fn() => 0 === ( $flags & STREAM_URL_STAT_LINK ) ? @stat( $path ) : @lstat( $path )
        );
        if ( false === $stat && self::is_core( $path ) ) {
            return self::natively( static fn() => stat( __FILE__ ) );
        }
        if ( false === $stat ) {
            self::record_absent( $path );
        }
        return $stat;
    }

    private static function record_absent( string $path ): void {
        if ( 1 === preg_match( '#[/\\\\]vendor[\w-]*[/\\\\]autoload[\w.-]*\.php$#', $path ) && ! in_array( $path, self::$absent, true ) ) {
            self::$absent[] = $path;
        }
    }
}
