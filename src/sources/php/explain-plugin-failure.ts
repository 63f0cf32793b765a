import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { McpCodegenError } from "../../core/errors.js";
import { objectOrEmpty, tryParseJson } from "../../core/json.js";
import { describePlace, type SiteFailure } from "./php-answer.js";
import { DEPENDENCIES, type MainFile, type NameOf, readPhpFiles } from "./plugin-files.js";

/** Returns the error for plugins that did not register their abilities. */
export async function explainPluginFailure(
  failure: SiteFailure,
  plugin: MainFile | undefined,
  nameOf: NameOf,
): Promise<McpCodegenError> {
  if (failure.kind === "old-php")
    return new McpCodegenError("PHP_FAILED", `${failure.message}.`, { hint: "Install a newer PHP." });
  if (failure.file === "")
    return new McpCodegenError("PHP_FAILED", `PHP failed: ${failure.message}`, { hint: WAITS });
  const during = failure.hook === "" ? "loading" : `in the hook "${failure.hook}"`;
  return new McpCodegenError(
    "PHP_FAILED",
    `${describePlace(failure, nameOf)}, ${during}: ${describeFailure(failure)}.`,
    { hint: (await hintOfMissing(failure, plugin, nameOf)) ?? hintOf(failure) },
  );
}

const WAITS = "Look for code that loops or waits when the plugins load, or that needs more memory.";

function describeFailure({ kind, message }: SiteFailure): string {
  switch (kind) {
    case "exit":
      return "the plugin ends the process (exit or die)";
    case "died":
      return `the plugin stops WordPress with ${JSON.stringify(message)}`;
    case "redirect":
      return `the plugin redirects to ${JSON.stringify(message)} and ends the process`;
    default:
      return message.replace(/\.$/, "");
  }
}

function hintOf({ kind, message, missing }: SiteFailure): string {
  if (/Failed opening required '[^']*[/\\]vendor[\w-]*[/\\]/.test(message)) return 'Run "composer install".';
  if (kind === "parse") return "Fix the file.";
  if (/^Maximum execution time|^Allowed memory size|undefined function \w*sleep/.test(message)) return WAITS;
  if (missing !== "")
    return `A site fails here too if nothing defines ${missing}. If another plugin does, load it with the php.bootstrap of this server.`;
  if (kind === "fatal" || kind === "thrown")
    return "If it needs another plugin or a setting, load it with the php.bootstrap of this server, or set php.options.";
  return "Set what it checks before it ends, in php.options or the php.bootstrap of this server.";
}

export const AUTOLOADER = "vendor/autoload.php";

/** Returns how to load a name that the plugin itself defines, or that Composer would load; undefined for another name. */
async function hintOfMissing(
  { missing }: SiteFailure,
  plugin: MainFile | undefined,
  nameOf: NameOf,
): Promise<string | undefined> {
  if (missing === "" || plugin === undefined || plugin.isMustUse) return undefined;
  const folder = dirname(plugin.file);
  const composer = await hintOfComposer(plugin, nameOf);
  if (composer !== undefined) return composer;
  const name = missing.slice(missing.lastIndexOf("\\") + 1);
  if (!/^\w+$/.test(name)) return undefined;
  const declares = new RegExp(
    `\\b(?:class|interface|trait|enum|function|const)\\s+&?${name}\\b|\\bdefine\\(\\s*['"]${name}['"]`,
    "i",
  );
  for await (const { file, text } of readPhpFiles([folder], DEPENDENCIES)) {
    if (!declares.test(text)) continue;
    return existsSync(join(folder, "composer.json"))
      ? runComposer(folder, nameOf)
      : `Load ${JSON.stringify(nameOf(file))}, which defines it.`;
  }
  return undefined;
}

function runComposer(folder: string, nameOf: NameOf): string {
  return `Run "composer install" in ${JSON.stringify(nameOf(folder) || ".")}.`;
}

/** Returns what to do if Composer loads the classes of a plugin, and did not run. */
export async function hintOfComposer(
  plugin: MainFile | undefined,
  nameOf: NameOf,
): Promise<string | undefined> {
  if (plugin === undefined || plugin.isMustUse) return undefined;
  const folder = dirname(plugin.file);
  if (existsSync(join(folder, AUTOLOADER))) return undefined;
  const [json, code] = await Promise.all(
    [join(folder, "composer.json"), plugin.file].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const composer = objectOrEmpty(tryParseJson(json ?? ""));
  const requires = Object.keys(objectOrEmpty(composer["require"])).some((name) => name.includes("/"));
  const needs =
    requires ||
    Object.keys(objectOrEmpty(composer["autoload"])).length > 0 ||
    /\bvendor\/autoload\.php/.test(code ?? "");
  return needs ? runComposer(folder, nameOf) : undefined;
}
