<?php
/**
 * As much of WordPress as plugins need to register their abilities: hooks, texts, options, the Abilities API. Written
 * for mcp-codegen; no code of WordPress is in it. Including this file defines things and does nothing else. It runs on
 * PHP 7.4 and later.
 */

namespace McpCodegen\Stub;

require_once __DIR__ . '/constants.php';
require_once __DIR__ . '/hooks.php';
require_once __DIR__ . '/lenient.php';
require_once __DIR__ . '/class-wp-error.php';
require_once __DIR__ . '/texts.php';
require_once __DIR__ . '/formatting.php';
require_once __DIR__ . '/site.php';
require_once __DIR__ . '/content.php';
require_once __DIR__ . '/schema.php';
require_once __DIR__ . '/rest.php';
require_once __DIR__ . '/abilities.php';
require_once __DIR__ . '/class-wpdb.php';
