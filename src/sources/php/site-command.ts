/** A program, its arguments, and what it reads from stdin. */
export interface SiteCommand {
  readonly command: readonly string[];
  readonly stdin: string;
}

/**
 * What runs a PHP script in the WordPress of a configured command. WP-CLI reads the script from stdin. WordPress Playground passes
 * arguments to its PHP, and has WordPress at `/wordpress`. Other commands, such as `wp-env run cli --`, start WP-CLI in a container.
 */
export function commandWith(words: readonly string[], script: string): SiteCommand {
  const playground = words.findIndex((word) => PLAYGROUND.test(word));
  if (playground >= 0) {
    const before = words.slice(0, playground + 1);
    const options = words.slice(playground + 1).filter((word) => word !== "--");
    const php = options[0] === "php" ? [] : ["php"];
    const code = script.replace(/^<\?php/, "");
    return { command: [...before, ...php, ...options, "--", "-r", code, "/wordpress"], stdin: "" };
  }
  const wp = words.some((word) => WP_CLI.test(word)) ? [] : ["wp"];
  return { command: [...words, ...wp, "eval-file", "-"], stdin: script };
}

const WP_CLI = /(?:^|[/\\])(?:wp|wp-cli|wp-cli\.phar|wp\.bat)$/;
const PLAYGROUND = /(?:^|[/\\])(?:wp-playground(?:-cli)?(?:\.js)?|@wp-playground[/\\]cli(?:@[^/\\]+)?)$/;
