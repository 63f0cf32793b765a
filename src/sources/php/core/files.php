<?php
/**
 * Keeps plugins from writing files outside of the temporary folder, and lets the tracer rewrite their code while PHP loads it.
 * Line numbers do not change.
 */

namespace McpCodegen\Core;

use McpCodegen\Trace\Sites;

final class Files {
    /** PHP's STREAM_OPEN_FOR_INCLUDE. */
    private const FOR_INCLUDE = 128;

    /** @var string The folder that plugins may write to. */
    private static $writable = '';
    /** @var string[] The folders whose code is traced. */
    private static $traced = array();
    /** @var resource|null Set by PHP. */
    public $context;
    /** @var resource|null */
    private $handle;

    public static function guard( string $writable, array $traced ): void {
        self::$writable = $writable;
        self::$traced   = $traced;
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

    /** Whether a file may be written: it, or the folder that it would be in, is below the temporary folder. */
    private static function may_write( string $path ): bool {
        $real = self::natively( static fn() => realpath( $path ) ?: realpath( dirname( $path ) ) );
        $is_inside = false !== $real && 0 === strpos( $real . DIRECTORY_SEPARATOR, self::$writable . DIRECTORY_SEPARATOR );
        if ( ! $is_inside ) {
            trigger_error( 'mcp-codegen lets no plugin write outside of its temporary folder.', E_USER_WARNING );
        }
        return $is_inside;
    }

    private static function is_traced( string $path ): bool {
        foreach ( false === strpos( str_replace( '\\', '/', $path ), '/vendor/' ) ? self::$traced : array() as $folder ) {
            if ( 0 === strpos( $path, $folder ) ) {
                return true;
            }
        }
        return false;
    }

    public function stream_open( string $path, string $mode, int $options ): bool {
        if ( 1 === preg_match( '/[waxc+]/', $mode ) && ! self::may_write( $path ) ) {
            return false;
        }
        $context      = $this->context;
        $this->handle = self::natively(
            static function () use ( $path, $mode, $options, $context ) {
                $real = 0 === ( $options & self::FOR_INCLUDE ) || array() === self::$traced ? '' : (string) realpath( $path );
                if ( '' === $real || ! self::is_traced( $real ) ) {
                    return null === $context ? @fopen( $path, $mode ) : @fopen( $path, $mode, false, $context );
                }
                $memory = fopen( 'php://memory', 'w+b' );
                fwrite( $memory, Sites::instrument( (string) file_get_contents( $real ), $real ) );
                rewind( $memory );
                return $memory;
            }
        ) ?: null;
        return null !== $this->handle;
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
        $change = static fn() => STREAM_META_TOUCH === $option ? touch( $path, ...$value ) : STREAM_META_ACCESS === $option && chmod( $path, $value );
        return self::may_write( $path ) && self::natively( $change );
    }

    public function unlink( string $path ): bool {
        return self::may_write( $path ) && self::natively( static fn() => unlink( $path ) );
    }

    public function rename( string $from, string $to ): bool {
        return self::may_write( $from ) && self::may_write( $to ) && self::natively( static fn() => rename( $from, $to ) );
    }

    public function mkdir( string $path, int $mode, int $options ): bool {
        $above    = dirname( $path );
        $is_above = 0 === ( $options & STREAM_MKDIR_RECURSIVE ) || is_dir( $above ) || $this->mkdir( $above, $mode, $options );
        return $is_above && self::may_write( $path ) && self::natively( static fn() => mkdir( $path, $mode ) );
    }

    public function rmdir( string $path, int $options ): bool {
        return self::may_write( $path ) && self::natively( static fn() => rmdir( $path ) );
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
        // An error handler of a plugin would see a warning in spite of "@".
        return self::natively( static fn() => is_link( $path ) && 0 !== ( $flags & STREAM_URL_STAT_LINK ) ? lstat( $path ) : ( file_exists( $path ) ? stat( $path ) : false ) );
    }
}
