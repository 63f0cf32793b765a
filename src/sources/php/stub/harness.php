<?php
/**
 * Loads plugins like WordPress, lets them register their abilities, and writes these as JSON.
 *
 *     php harness.php <job.json>
 *
 * The job has the files, the undefined names of earlier runs, and the path of the answer; see `run-plugins.ts`. The
 * answer is written to a file, since plugins may print.
 */

namespace McpCodegen\Stub;

$mcp_codegen_job = json_decode( (string) file_get_contents( $argv[1] ), true );
// Called for each output, while the code that prints is running.
ob_start(
    static function ( string $text ): string {
        if ( class_exists( Run::class, false ) ) {
            Run::record_output( $text );
        }
        return '';
    },
    1
);

require_once __DIR__ . '/boot.php';
require_once __DIR__ . '/describe.php';
require_once __DIR__ . '/loader.php';
require_once __DIR__ . '/rewrite.php';
require_once __DIR__ . '/undefined-names.php';
require_once __DIR__ . '/run.php';

Run::begin( $mcp_codegen_job );

// Not in a function: variables that plugins define in their files must be global.
foreach ( $mcp_codegen_job['files'] as $mcp_codegen_file ) {
    try {
        Run::load( $mcp_codegen_file );
        require_once $mcp_codegen_file;
    } catch ( \Throwable $mcp_codegen_error ) {
        Run::record_error( $mcp_codegen_error );
    }
}

Run::finish();
