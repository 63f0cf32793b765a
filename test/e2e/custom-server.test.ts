/** A server of the MCP adapter with a list of its own (`create_server`): the PHP says what it lists. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LOCKFILE_NAME, makeProject, type Project } from "./make-project.js";
import { hasPhp, WITH_PHP } from "../sources/php/has-php.js";

/** Not the MCP adapter, which is in no package registry: the part of its classes that makes servers and their lists. */
const ADAPTER = `<?php
/* Plugin Name: MCP Adapter */
namespace WP\\MCP\\Core;
final class McpServer {
  private $route; private $tools = array();
  public function __construct( $route, array $names ) {
    $this->route = $route;
    foreach ( $names as $name ) { if ( wp_has_ability( $name ) ) { $this->tools[ str_replace( '/', '-', $name ) ] = true; } }
  }
  public function get_server_route_namespace() { return $this->route[0]; }
  public function get_server_route() { return $this->route[1]; }
  public function get_tools() { return $this->tools; }
}
final class McpAdapter {
  private static $instance; private $servers = array();
  public static function instance() {
    if ( null === self::$instance ) { self::$instance = new self(); add_action( 'rest_api_init', fn() => do_action( 'mcp_adapter_init', self::$instance ), 15 ); }
    return self::$instance;
  }
  public function create_server( $id, $space, $route, $name, $text, $version, $transports, $errors = null, $observer = null, array $tools = array() ) {
    $this->servers[ $id ] = new McpServer( array( $space, $route ), $tools );
  }
  public function get_servers() { return $this->servers; }
}
McpAdapter::instance();
`;

const plugin = (registered: readonly string[], listed: readonly string[]): string => `<?php
/* Plugin Name: Demo */
add_action( 'wp_abilities_api_init', function () {
  foreach ( array( ${registered.map((name) => `'${name}'`).join(", ")} ) as $name ) {
    wp_register_ability( "demo/$name", array( 'label' => $name, 'description' => 'Does.', 'category' => 'site',
      'execute_callback' => '__return_true', 'permission_callback' => '__return_true' ) );
  }
} );
add_action( 'mcp_adapter_init', function ( $adapter ) {
  $adapter->create_server( 'demo', 'demo', 'mcp', 'Demo', 'Demo', '1.0', array(), null, null, array( ${listed.map((name) => `'demo/${name}'`).join(", ")} ) );
} );
`;

const CONFIG = {
  output: false,
  servers: {
    site: {
      url: "${WP_URL}/wp-json/demo/mcp",
      wordpress: { route: "tools" },
      php: { paths: ["plugins/demo"] },
    },
  },
};

/** A project whose lock has `demo/one` and `demo/two`, as a pull from the server makes it: without PHP files. */
async function makeLocked(): Promise<Project> {
  const project = await makeProject(CONFIG);
  for (const folder of ["demo", "mcp-adapter"])
    await mkdir(join(project.dir, "plugins", folder), { recursive: true });
  await project.write("plugins/mcp-adapter/mcp-adapter.php", ADAPTER);
  await project.write("plugins/demo/demo.php", plugin(["one", "two"], ["one", "two"]));
  await project.prints(["pull", "--php"], 0);
  const lock = await project.read(LOCKFILE_NAME);
  expect(lock).toContain('"demo-two"');
  await project.write(LOCKFILE_NAME, lock.replaceAll(/"file": "plugins\/demo\/demo\.php",?\s*/g, ""));
  return project;
}

interface Finding {
  readonly rule: string;
  readonly tool: string;
}

async function findingsOf(project: Project): Promise<readonly [number, readonly string[]]> {
  const { exitCode, document } = await project.runJson(["check", "--php"]);
  return [exitCode, (document["changes"] as Finding[]).map(({ rule, tool }) => `${rule} ${tool}`).sort()];
}

describe.skipIf(!hasPhp)(`a server with a list of its own${WITH_PHP}`, () => {
  it.each<
    readonly [
      what: string,
      registered: readonly string[],
      listed: readonly string[],
      code: number,
      findings: readonly string[],
    ]
  >([
    ["as locked", ["one", "two"], ["one", "two"], 0, []],
    ["an ability that the list does not have", ["one", "two", "three"], ["one", "two"], 0, []],
    [
      "an ability added to both",
      ["one", "two", "three"],
      ["one", "two", "three"],
      1,
      ["tool-added demo-three"],
    ],
    ["an ability that left the list", ["one", "two"], ["one"], 1, ["tool-removed demo-two"]],
    ["an ability that was removed", ["one"], ["one"], 1, ["tool-removed demo-two"]],
  ])("is compared: %s", async (_, registered, listed, code, findings) => {
    const project = await makeLocked();
    await project.write("plugins/demo/demo.php", plugin(registered, listed));
    expect(await findingsOf(project)).toEqual([code, findings]);
  });

  it("finds a renamed ability", async () => {
    const project = await makeLocked();
    await project.write("plugins/demo/demo.php", plugin(["one", "second"], ["one", "second"]));
    const [code, findings] = await findingsOf(project);
    expect([code, findings.some((one) => /^tool-(renamed|removed)/.test(one))]).toEqual([1, true]);
  });

  it("names what cannot be compared without the adapter, with exit code 3", async () => {
    const project = await makeLocked();
    await rm(join(project.dir, "plugins/mcp-adapter"), { recursive: true });
    expect((await project.run(["check", "--php"])).exitCode).toBe(0);
    await project.write("plugins/demo/demo.php", plugin(["one", "two", "three"], ["one", "two", "three"]));
    await project.prints(
      ["check", "--php"],
      3,
      /Not compared, since the list of the server is not known without the MCP adapter: "demo\/three"\. plugins\/demo\/demo\.php:\d+ makes a server of it\./,
    );
  });
});
