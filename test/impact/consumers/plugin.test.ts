/** A WordPress plugin, and an application that uses it on a site: from PHP to the TypeScript that a change breaks. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { CONSUMER_NAME } from "../../../src/core/consumer.js";
import { commitAll, git } from "../../e2e/git.js";
import { makeProject, type Project } from "../../e2e/make-project.js";
import { linkPackages } from "../../e2e/user-project.js";
import { hasPhp, WITH_PHP } from "../../sources/php/has-php.js";
import { AUTH, startSite } from "../../wordpress/start-site.js";

const plugin = (output: string): string => `<?php
/* Plugin Name: Acme */
add_action( 'wp_abilities_api_categories_init', function () {
  wp_register_ability_category( 'shop', array( 'label' => 'Shop', 'description' => 'Products.' ) );
} );
add_action( 'wp_abilities_api_init', function () {
  wp_register_ability( 'acme/get-product', array(
    'label' => 'Get a product', 'description' => 'Gets a product.', 'category' => 'shop',
    'input_schema' => array(
      'type' => 'object',
      'properties' => array( 'id' => array( 'type' => 'integer' ), 'view' => array( 'type' => 'string', 'enum' => array( 'full', 'short' ) ) ),
      'required' => array( 'id' ),
    ),
    'output_schema' => array(
      'type' => 'object',
      'properties' => array(
        'title' => array( 'type' => 'string' ),
${output}
      ),
      'required' => array( 'title' ),
    ),
    'execute_callback' => '__return_true', 'permission_callback' => '__return_true',
    'meta' => array( 'show_in_rest' => true, 'mcp' => array( 'public' => true ) ),
  ) );
} );
`;

const PRICE = "        'price' => array( 'type' => 'number' ),";
const LEGACY = "        'legacy_id' => array( 'type' => 'string' ),";

/** The plugin's repository, with its lock on the branch \`main\`. */
async function makePlugin(): Promise<Project> {
  const project = await makeProject({ output: false, servers: { acme: { php: { paths: ["."] } } } });
  await project.write("acme.php", plugin(`${PRICE}\n${LEGACY}`));
  const { exitCode, stderr } = await project.run(["pull"]);
  if (exitCode !== 0) throw new Error(stderr);
  await commitAll(project.dir);
  return project;
}

/** The file of an application whose server has another name: a site that runs the plugin. */
async function exportApplication(php: string): Promise<string> {
  const site = await startSite({ plugins: [php] });
  onTestFinished(() => site.close());
  const app = await makeProject({
    servers: {
      wp: {
        url: "${WP_URL}/wp-json/mcp/mcp-adapter-default-server",
        auth: AUTH,
      },
    },
  });
  await linkPackages(app.dir);
  await mkdir(join(app.dir, "src"));
  await app.write(
    "tsconfig.json",
    '{ "compilerOptions": { "module": "nodenext", "strict": true, "skipLibCheck": true }, "include": ["src"] }',
  );
  await app.write(
    "src/shop.ts",
    `import { acmeGetProduct } from "../generated/wp/index.js";
    export async function label(id: number): Promise<string> {
      const { title, price } = await acmeGetProduct({ id, view: "short" });
      return \`\${title}: \${price?.toFixed(2)}\`;
    }`,
  );
  const { env } = site;
  const pulled = await app.run(["pull"], env);
  if (pulled.exitCode !== 0) throw new Error(pulled.stderr);
  const exported = await app.run(["export", "--consumer", "acme-web"], env);
  if (exported.exitCode !== 0) throw new Error(exported.stderr);
  return app.read(CONSUMER_NAME);
}

describe.skipIf(!hasPhp)(`check --php --consumers${WITH_PHP}`, () => {
  it("reports which applications a change of PHP breaks, with the line of PHP", async () => {
    const project = await makePlugin();
    await mkdir(join(project.dir, "consumers"));
    await project.write("consumers/acme-web.json", await exportApplication(join(project.dir, "acme.php")));
    await git(project.dir, "switch", "--quiet", "--create", "feature");
    const argv = [
      "check",
      "--php",
      "--against",
      "main",
      "--consumers",
      "consumers/*.json",
      "--fail-on",
      "consumer",
    ];

    await project.write("acme.php", plugin(PRICE));
    const harmless = await project.run(argv);
    expect(harmless.stdout).toContain("no known consumer reads `legacy_id`");
    expect([harmless.exitCode, harmless.stderr]).toEqual([0, ""]);

    await project.write("acme.php", plugin(LEGACY));
    const broken = await project.run([...argv, "--format", "github"]);
    expect(broken.exitCode).toBe(1);
    expect(broken.stdout).toMatch(/::error file=acme\.php,line=\d+,/);
    expect(broken.stdout).toContain("breaks acme-web: reads `price` in 1 place");

    await project.write(
      "acme.php",
      plugin(`${PRICE}\n${LEGACY}`).replace("'full', 'short'", "'full', 'brief'"),
    );
    const { document } = await project.runJson(argv);
    expect(document).toMatchObject({
      exitCode: 1,
      changes: [
        {
          rule: "input-enum-value-removed",
          consumers: [{ consumer: "acme-web", effect: "breaks", says: 'passes `view`: "short" in 1 place' }],
        },
        { rule: "input-enum-value-added" },
      ],
      unverified: [],
    });
  }, 60_000);
});
