/** Prints how often `check --php` names the right line: `node --import jiti/register test/php-lines/lines-report.ts [FOLDER PATH…]`. */
import { measureLines } from "./measure-lines.js";

const [folder, ...paths] = process.argv.slice(2);
const sets: readonly (readonly [string, readonly string[]])[] =
  folder === undefined
    ? [
        ["test/wordpress", ["mu-plugins"]],
        ["test/wordpress", ["plugins/acme-shop"]],
        ["test/wordpress", ["plugins/acme-edge"]],
      ]
    : [[folder, paths]];
for (const [source, own] of sets) {
  const { mutations, right, changes, rightChanges, registrations, wrong } = await measureLines(source, own);
  console.log(
    `${own.join(", ")}: ${right} of ${mutations} mutations, ${rightChanges} of ${changes} changes; ${registrations} name the registration`,
  );
  for (const line of wrong) console.log(`  ${line}`);
}
