import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AbilitySnapshot } from "../../src/core/ability.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/json.js";

/** The abilities that a WordPress 7.1 registered for public plugins, by their main files. */
export const REGISTRY = fileURLToPath(
  new URL("../../../shared/data/wordpress/abilities-raw-wp71.json", import.meta.url),
);

export type Registry = Readonly<Record<string, { readonly abilities: readonly AbilitySnapshot[] }>>;

/**
 * Writes a plugin for each entry of the registry that registers its abilities as most plugins do: the definitions
 * are real, the PHP is ours. Returns the names of the files, relative to the folder.
 */
export function writeRegistry(dir: string): readonly string[] {
  mkdirSync(dir, { recursive: true });
  const registry = JSON.parse(readFileSync(REGISTRY, "utf8")) as Registry;
  return Object.entries(registry).flatMap(([main, { abilities }]) => {
    if (abilities.length === 0) return [];
    const categories = [
      ...new Set(abilities.map(({ category }) => (typeof category === "string" ? category : ""))),
    ];
    writeFileSync(
      join(dir, basename(main)),
      `<?php
/* Plugin Name: ${basename(main)} */
add_action( 'wp_abilities_api_categories_init', function () {
    foreach ( ${print(categories, 1)} as $category ) {
        if ( ! wp_has_ability_category( $category ) ) {
            wp_register_ability_category( $category, array( 'label' => $category, 'description' => $category ) );
        }
    }
} );
add_action( 'wp_abilities_api_init', function () {
${abilities.map(registration).join("\n")}
} );
`,
    );
    return [basename(main)];
  });
}

function registration({ name, ...definition }: JsonObject): string {
  const args = {
    ...definition,
    execute_callback: "__return_true",
    permission_callback: "__return_true",
  };
  return `    wp_register_ability( ${print(name, 1)}, ${print(args, 1)} );`;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function print(value: JsonValue | undefined, depth: number): string {
  if (typeof value === "string") return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  if (isList(value) && value.every((item) => typeof item !== "object")) {
    return value.length === 0 ? "array()" : `array( ${value.map((item) => print(item, depth)).join(", ")} )`;
  }
  const indent = "    ".repeat(depth + 1);
  const close = `\n${"    ".repeat(depth)})`;
  if (isList(value)) {
    return `array(${value.map((item) => `\n${indent}${print(item, depth + 1)},`).join("")}${close}`;
  }
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  if (Object.keys(value).length === 0) return "new stdClass()";
  const keys = Object.entries(value).map(
    ([key, item]) => `\n${indent}${print(key, 0)} => ${print(item, depth + 1)},`,
  );
  return `array(${keys.join("")}${close}`;
}
