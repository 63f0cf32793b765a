<?php

namespace McpCodegen\Stub;

/** For stub classes with fewer methods than in WordPress: the results of the others are made up. */
trait Lenient {
    public function __call( $name, $args ) {
        return self::__callStatic( $name, $args );
    }

    public static function __callStatic( $name, $args ) {
        $origin = self::class . "::$name()";
        Decisions::record_use( $origin );
        return new Unknown( $origin );
    }
}
