/** A server of the MCP adapter with a list of its own (`create_server`): the PHP says what it lists. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LOCKFILE_NAME, makeProject, type Project } from "../../e2e/make-project.js";
import { hasPhp, WITH_PHP } from "./has-php.js";

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

describe.skipIf(!hasPhp)(`a server with a list of its own${WITH_PHP}`, () => {
  it("is compared by what it lists", async () => {
    const project = await makeLocked();
    const findingsOf = async (registered: readonly string[], listed: readonly string[]): Promise<unknown> => {
      await project.write("plugins/demo/demo.php", plugin(registered, listed));
      const { document } = await project.runJson(["check", "--php"]);
      const changes = document["changes"] as { readonly rule: string; readonly tool: string }[];
      return [document["exitCode"], ...changes.map(({ rule, tool }) => `${rule} ${tool}`)];
    };
    expect(await findingsOf(["one", "two"], ["one", "two"])).toEqual([0]);
    // An ability that the list does not have.
    expect(await findingsOf(["one", "two", "three"], ["one", "two"])).toEqual([0]);
    const all = ["one", "two", "three"];
    expect(await findingsOf(all, all)).toEqual([1, "tool-added demo-three"]);
    expect(await findingsOf(["one", "two"], ["one"])).toEqual([1, "tool-removed demo-two"]);
    expect(await findingsOf(["one"], ["one"])).toEqual([1, "tool-removed demo-two"]);
    const renamed = expect.stringMatching(/^tool-(renamed|removed)/) as string;
    expect(await findingsOf(["one", "second"], ["one", "second"])).toEqual(
      expect.arrayContaining([1, renamed]),
    );
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
