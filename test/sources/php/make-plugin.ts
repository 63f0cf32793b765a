import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { PhpConfig } from "../../../src/config/config.js";
import type { PhpReading, ReadPhpOptions } from "../../../src/sources/php/php-answer.js";
import { readPhp } from "../../../src/sources/php/read-php.js";

/** The files of a plugin, by their names. */
export type Files = Readonly<Record<string, string>>;

/** A folder with plugins, which is removed after the tests of a file. */
export interface Plugins {
  readonly dir: string;
  /** Writes files below the folder. */
  readonly put: (files: Files) => Promise<void>;
  /** Writes the files of a plugin. Returns its path for `php.paths`. */
  readonly write: (files: Files | string) => Promise<string>;
  /** Writes a plugin, and reads it in the core of WordPress. */
  readonly read: (
    files: Files | string,
    php?: PhpConfig,
    options?: Partial<ReadPhpOptions>,
  ) => Promise<PhpReading>;
}

export const lookup = (name: string): string | undefined => process.env[name];

export const HEADER = "<?php\n/* Plugin Name: Acme */\n";

export async function makePlugins(): Promise<Plugins> {
  const dir = await mkdtemp(join(tmpdir(), "plugins-"));
  afterAll(() => rm(dir, { recursive: true }));
  let count = 0;
  const put = async (files: Files): Promise<void> => {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, file)), { recursive: true });
      await writeFile(join(dir, file), text);
    }
  };
  const write = async (files: Files | string): Promise<string> => {
    count += 1;
    const name = `acme-${count}`;
    const { "acme.php": main = "", ...others } = typeof files === "string" ? { "acme.php": files } : files;
    const all = { ...others, "acme.php": HEADER + main };
    await put(Object.fromEntries(Object.entries(all).map(([file, text]) => [`${name}/${file}`, text])));
    return name;
  };
  return {
    dir,
    put,
    write,
    read: async (files, php = {}, options = {}) => {
      const paths = [...(php.paths ?? []), await write(files)];
      return readPhp("acme", { ...php, paths }, { dir, lookup, ...options });
    },
  };
}

/** Returns PHP that registers an ability, in a hook. */
export function register(name: string, more = ""): string {
  return `wp_register_ability( 'acme/${name}', array( 'label' => 'L', 'description' => 'D', 'category' => 'site',
    'execute_callback' => '__return_true', 'permission_callback' => '__return_true', ${more} ) );`;
}

/** Returns a plugin that runs PHP when abilities are registered. */
export function onInit(php: string): string {
  return `add_action( 'wp_abilities_api_init', function () {\n${php}\n} );\n`;
}
