<?php
/**
 * Loads plugins as WordPress would, makes them register their abilities, and writes what was registered as JSON.
 *
 *     php harness.php <job.json>
 *
 * The job names the files, what earlier runs found missing, and where the answer goes; see `run-harness.ts`. The answer
 * is a file of its own, since plugins print what they like.
 */

namespace McpCodegen\Stub;

$mcp_codegen_job = json_decode( (string) file_get_contents( $argv[1] ), true );
ob_start(
    static function () {
        return '';
    },
    4096
);

require_once __DIR__ . '/boot.php';
require_once __DIR__ . '/describe.php';
require_once __DIR__ . '/unknown.php';
require_once __DIR__ . '/loader.php';
require_once __DIR__ . '/rewrite.php';
require_once __DIR__ . '/lack.php';
require_once __DIR__ . '/run.php';

Run::begin( $mcp_codegen_job );

// Plugins are loaded here and not in a function, since what they define at their top is global.
foreach ( $mcp_codegen_job['files'] as $mcp_codegen_file ) {
    try {
        Run::load( $mcp_codegen_file );
        require_once $mcp_codegen_file;
    } catch ( \Throwable $mcp_codegen_error ) {
        Run::take_error( $mcp_codegen_error );
    }
}

Run::finish();
