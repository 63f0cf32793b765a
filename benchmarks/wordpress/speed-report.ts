/**
 * Prints how long `check --php` takes for 50 and 500 abilities, and the requests and time of a first
 * and an unchanged `pull` of a site: `npm run report php-speed`.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { AUTH, startSite } from "../../test/wordpress/start-site.js";

const PROGRAM = resolve("bin/mcp-codegen.js");
const RUNS = 5;
const dir = mkdtempSync(join(tmpdir(), "php-speed-"));
try {
  for (const count of [50, 500]) await time(count);
  await countRequests();
} finally {
  rmSync(dir, { recursive: true });
}

async function run(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  await promisify(execFile)(process.execPath, [PROGRAM, ...args], options);
}

async function time(count: number): Promise<void> {
  const folder = makeFolder(`abilities-${count}`, { php: { paths: ["acme.php"] } });
  writeFileSync(join(folder, "acme.php"), writePlugin(count));
  await run(folder, ["pull", "--php"]);
  const times: number[] = [];
  for (let at = 0; at < RUNS; at += 1) {
    const start = performance.now();
    await run(folder, ["check", "--php"]);
    times.push(performance.now() - start);
  }
  const median = times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
  console.log(
    `check --php, ${count} abilities, nothing changed: ${(median / 1000).toFixed(2)} s (median of ${RUNS})`,
  );
}

async function countRequests(): Promise<void> {
  const plugins = [resolve("test/wordpress/mu-plugins/acme-posts.php")];
  const site = await startSite({ plugins });
  const routes = [
    ["execute", "mcp-adapter-default-server", {}],
    ["rest", "mcp-adapter-default-server", { wordpress: { route: "rest" } }],
    ["tools", "acme", {}],
  ] as const;
  try {
    for (const [route, server, more] of routes) {
      const folder = makeFolder(route, { url: `${site.site}/wp-json/mcp/${server}`, auth: AUTH, ...more });
      for (const which of ["first", "unchanged"]) {
        await site.takeRequests();
        const start = performance.now();
        await run(folder, ["pull"], site.env);
        const time = ((performance.now() - start) / 1000).toFixed(2);
        console.log(
          `${which} pull, route "${route}": ${(await site.takeRequests()).length} requests, ${time} s`,
        );
      }
    }
  } finally {
    await site.close();
  }
}

function makeFolder(name: string, wordpress: object): string {
  const folder = join(dir, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "mcp-codegen.config.json"), JSON.stringify({ servers: { wordpress } }));
  return folder;
}

function writePlugin(count: number): string {
  return `<?php
/* Plugin Name: Acme */
add_action( 'wp_abilities_api_categories_init', function () {
    wp_register_ability_category( 'shop', array( 'label' => 'Shop', 'description' => 'Products.' ) );
} );
add_action( 'wp_abilities_api_init', function () {
    for ( $at = 0; $at < ${count}; $at++ ) {
        wp_register_ability( "acme/get-product-$at", array(
            'label' => "Get $at", 'description' => "Gets product $at.", 'category' => 'shop',
            'input_schema' => array( 'type' => 'object', 'properties' => array( 'id' => array( 'type' => 'integer', 'minimum' => 1 ), 'status' => array( 'type' => 'string', 'enum' => array( 'draft', 'publish' ) ) ), 'required' => array( 'id' ) ),
            'output_schema' => array( 'type' => 'object', 'properties' => array( 'id' => array( 'type' => 'integer' ), 'price' => array( 'type' => 'string' ) ), 'required' => array( 'id', 'price' ) ),
            'execute_callback' => '__return_empty_array', 'permission_callback' => '__return_true',
            'meta' => array( 'mcp' => array( 'public' => true ), 'show_in_rest' => true ),
        ) );
    }
} );
`;
}
