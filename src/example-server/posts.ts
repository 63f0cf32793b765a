import { type Calendar, ToolFailure } from "./example-tool.js";

export type PostStatus = "draft" | "pending" | "publish" | "private";

export interface NewPost {
  readonly title: string;
  readonly content: string;
  readonly excerpt?: string | null;
  readonly status?: PostStatus;
  readonly tags?: readonly string[];
  readonly featured_image?: { readonly url: string; readonly alt?: string } | null;
}

export interface Post extends Required<NewPost> {
  readonly id: number;
  readonly created_at: string;
  readonly updated_at: string;
}

interface PostComment {
  readonly author: string;
  readonly text: string;
  readonly replies?: readonly PostComment[];
}

const FIRST_POSTS: readonly NewPost[] = [
  { title: "Hello world", content: "<p>The first post of this site.</p>", status: "publish", tags: ["news"] },
  {
    title: "How we bake our bread",
    content: "<p>Flour, water, salt and a day of patience.</p>",
    excerpt: "Four things and a day.",
    status: "publish",
    tags: ["bread", "recipes"],
    featured_image: { url: "https://example.com/bread.jpg", alt: "A loaf of rye bread" },
  },
  { title: "Opening hours in spring", content: "<p>To be decided.</p>", tags: ["news"] },
];

const FIRST_COMMENTS: readonly PostComment[] = [
  {
    author: "Ada",
    text: "How long does the dough rest?",
    replies: [
      {
        author: "The bakery",
        text: "Overnight, somewhere cool.",
        replies: [{ author: "Ada", text: "Thanks!" }],
      },
    ],
  },
  { author: "Grace", text: "Works with spelt as well." },
];

/** The posts of a site, in memory. */
export interface Posts {
  list(): readonly Post[];
  get(id: number): Post;
  create(post: NewPost): Post;
  update(id: number, changes: Partial<NewPost>): Post;
  remove(id: number): Post;
  comments(id: number): readonly PostComment[];
}

/**
 * Returns a site with three posts, one of them with comments. Throws {@link ToolFailure} for an unknown post.
 */
export function createPosts(now: Calendar): Posts {
  const posts = new Map<number, Post>();
  let lastId = 0;

  const get = (id: number): Post => {
    const post = posts.get(id);
    if (!post) throw new ToolFailure(`There is no post ${id}.`);
    return post;
  };
  const put = (post: Post): Post => {
    posts.set(post.id, post);
    return post;
  };
  const create = (post: NewPost): Post => {
    const time = now();
    const defaults = { excerpt: null, status: "draft", tags: [], featured_image: null } as const;
    return put({ ...defaults, ...post, id: ++lastId, created_at: time, updated_at: time });
  };
  for (const post of FIRST_POSTS) create(post);

  return {
    list: () => [...posts.values()],
    get,
    create,
    update: (id, changes) => put({ ...get(id), ...changes, updated_at: now() }),
    remove: (id) => {
      const post = get(id);
      posts.delete(id);
      return post;
    },
    comments: (id) => (get(id).id === 2 ? FIRST_COMMENTS : []),
  };
}
