<?php

namespace McpCodegen\Stub;

/** For classes of WordPress that have more methods than this stub: their answers are made up. */
trait Lenient {
    public function __call( $name, $args ) {
        return self::__callStatic( $name, $args );
    }

    public static function __callStatic( $name, $args ) {
        $origin = self::class . "::$name()";
        Decisions::used( $origin );
        return new Unknown( $origin );
    }
}
