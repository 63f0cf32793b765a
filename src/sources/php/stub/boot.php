<?php
/**
 * The parts of WordPress that plugins need to register abilities: hooks, texts, options, the Abilities API. Written for
 * mcp-codegen, without code of WordPress. Including this file only defines things. Runs on PHP 7.4 and later.
 */

namespace McpCodegen\Stub;

require_once __DIR__ . '/constants.php';
require_once __DIR__ . '/hooks.php';
require_once __DIR__ . '/lenient.php';
require_once __DIR__ . '/unknown.php';
require_once __DIR__ . '/class-wp-error.php';
require_once __DIR__ . '/texts.php';
require_once __DIR__ . '/formatting.php';
require_once __DIR__ . '/site-state.php';
require_once __DIR__ . '/site.php';
require_once __DIR__ . '/content.php';
require_once __DIR__ . '/schema.php';
require_once __DIR__ . '/json-schema.php';
require_once __DIR__ . '/rest.php';
require_once __DIR__ . '/abilities.php';
require_once __DIR__ . '/class-wpdb.php';
