/** Every page is linked from the README, starts alike, and every link leads somewhere. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGES = readdirSync(`${ROOT}docs`)
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

/** The Markdown outside of fenced blocks. */
const proseOf = (file: string): string => read(file).replace(/^```[\s\S]*?^```$/gmu, "");

/** The anchors that GitHub makes from headings. */
function anchorsOf(file: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...proseOf(file).matchAll(/^#{1,6} (.+)$/gmu)].map(([, heading = ""]) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** The links of a file that lead to no file, or to no heading. */
function brokenLinksOf(file: string): readonly string[] {
  const links = [...proseOf(file).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/gu)];
  return links.flatMap(([link, target = "", anchor]) => {
    const path = target === "" ? file : join(dirname(file), target);
    if (!existsSync(join(ROOT, path))) return [`${file}: ${link}`];
    return anchor === undefined || anchorsOf(path).includes(anchor) ? [] : [`${file}: ${link}`];
  });
}

/** Every text file of a folder, with its folders. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:[cm]?[jt]s|php)$/u.test(name))
    .map((name) => `${folder}/${name}`);
}

describe.each(PAGES)("%s", (page) => {
  test("is linked from the README", () => {
    expect(proseOf("README.md")).toContain(`](${page})`);
  });

  test("starts with a title, a paragraph that names its readers, and an example", () => {
    const [title, paragraph, example] = read(page)
      .replace(/^<!--.*-->\n\n/gmu, "")
      .split("\n\n");
    expect(title).toMatch(/^# \S[^\n]*$/u);
    expect(paragraph?.replace(/\s+/gu, " ")).toMatch(/\b(?:Read this page|For )/u);
    expect(example).toMatch(/^```(?:sh|ts|php)/u);
  });
});

test.each(["README.md", "CONTRIBUTING.md", ...PAGES])(
  "the links of %s lead to files and headings",
  (file) => {
    expect(brokenLinksOf(file)).toEqual([]);
  },
);

/** The most words of all pages together: a word is a part between white space that has a letter or a digit. */
const MOST_WORDS = 30_000;

test(`the pages have at most ${MOST_WORDS} words`, () => {
  const counts = ["README.md", ...PAGES]
    .filter((file) => file !== "docs/CHANGELOG.md")
    .map((file) => [file, read(file).match(/\S*[A-Za-z0-9]\S*/gu)?.length ?? 0] as const);
  const total = counts.reduce((sum, [, words]) => sum + words, 0);
  expect(total, counts.map(([file, words]) => `${file} ${words}`).join("\n")).toBeLessThanOrEqual(MOST_WORDS);
});

test("code and messages name pages that exist", () => {
  const named = ["src", "bin", "test"]
    .flatMap(filesBelow)
    .flatMap((file) =>
      [...read(file).matchAll(/(?:docs\/)[\w./-]+\.md(?:#([\w-]+))?/gu)].map(([name]) => ({ file, name })),
    );
  const missing = named.filter(({ name }) => {
    const [page = "", anchor] = name.split("#");
    return !existsSync(join(ROOT, page)) || (anchor !== undefined && !anchorsOf(page).includes(anchor));
  });
  expect(missing).toEqual([]);
});
