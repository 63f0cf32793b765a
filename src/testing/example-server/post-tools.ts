import type { JsonSchemaType } from "@modelcontextprotocol/server";
import {
  CHANGES,
  closedObject,
  type ExampleTool,
  exampleTool,
  type NewPost,
  objectWith,
  pageOf,
  READS,
  type Post,
  type Posts,
  type PostStatus,
} from "./stores.js";

const POST_STATUS: JsonSchemaType = {
  type: "string",
  enum: ["draft", "pending", "publish", "private"],
  description: "Who can see the post: only its author, also its reviewers, everybody, or only members.",
};

const FEATURED_IMAGE: JsonSchemaType = closedObject(
  {
    url: { type: "string", format: "uri", description: "Where the image is." },
    alt: { type: "string", description: "What it shows, for people who cannot see it." },
  },
  "url",
);

const POST: JsonSchemaType = objectWith("One post of the site.", {
  id: { type: "integer", minimum: 1 },
  title: { type: "string" },
  content: { type: "string", description: "HTML." },
  excerpt: { type: ["string", "null"], description: "A summary by hand, or null when there is none." },
  status: POST_STATUS,
  tags: { type: "array", items: { type: "string" } },
  featured_image: { anyOf: [FEATURED_IMAGE, { type: "null" }] },
  created_at: { type: "string", format: "date-time" },
  updated_at: { type: "string", format: "date-time" },
});

const COMMENT: JsonSchemaType = {
  type: "object",
  description: "A comment, with the answers to it.",
  properties: {
    author: { type: "string" },
    text: { type: "string" },
    replies: { type: "array", items: { $ref: "#/$defs/Comment" } },
  },
  required: ["author", "text"],
};

const ID = { type: "integer", minimum: 1, description: "The post's number." };

const WRITABLE = {
  title: { type: "string", minLength: 1, maxLength: 200, description: "Plain text." },
  content: { type: "string", description: "HTML." },
  excerpt: { type: ["string", "null"], maxLength: 300, description: "A summary by hand; null for none." },
  tags: {
    type: "array",
    items: { type: "string", pattern: "^[a-z0-9-]+$" },
    uniqueItems: true,
    description: "Lower-case slugs.",
  },
  featured_image: {
    anyOf: [FEATURED_IMAGE, { type: "null" }],
    description: "Shown above the post; null for none.",
  },
};

const POST_ID = closedObject({ id: ID }, "id");

const SLUG = { type: "string", pattern: "^[a-z0-9-]+$", description: "The end of the post's URL." };

interface ListInput {
  readonly status?: PostStatus;
  readonly search?: string;
  readonly tags?: readonly string[];
  readonly order_by?: "date" | "title";
  readonly order?: "asc" | "desc";
  readonly page?: number;
  readonly per_page?: number;
}

/** Returns the tools for posts. The next version lists no `pages`, and `create-post` requires a `slug`. */
export function postTools(posts: Posts, { isNext }: { readonly isNext: boolean }): readonly ExampleTool[] {
  return [
    exampleTool<ListInput>({
      name: "list-posts",
      title: "List posts",
      description:
        "Returns posts, newest first, one page at a time. Use get-post when you know which one you want.",
      input: closedObject({
        status: {
          ...POST_STATUS,
          description: "Only posts with this status; all of them when left out.",
        },
        search: {
          type: "string",
          minLength: 1,
          description: "Only posts with this text in title or content.",
        },
        tags: {
          type: "array",
          items: { type: "string" },
          description: "Only posts that carry all of these tags.",
        },
        order_by: { type: "string", enum: ["date", "title"], default: "date" },
        order: { type: "string", enum: ["asc", "desc"], default: "desc" },
        page: { type: "integer", minimum: 1, default: 1 },
        per_page: {
          type: "integer",
          minimum: 1,
          maximum: 100,
          default: 10,
          description: "Posts in a page.",
        },
      }),
      output: {
        type: "object",
        properties: {
          posts: { type: "array", items: { $ref: "#/$defs/Post" } },
          total: { type: "integer", minimum: 0, description: "How many posts match, on all pages." },
          ...(!isNext && { pages: { type: "integer", minimum: 0 } }),
        },
        required: ["posts", "total", ...(isNext ? [] : ["pages"])],
        $defs: { Post: POST },
      },
      annotations: READS,
      run: ({ status, search, tags, order_by = "date", order = "desc", page = 1, per_page = 10 }) => {
        const matching = posts
          .list()
          .filter((post) => status === undefined || post.status === status)
          .filter((post) => search === undefined || `${post.title}\n${post.content}`.includes(search))
          .filter((post) => tags === undefined || tags.every((tag) => post.tags.includes(tag)));
        const key = (post: Post): string => (order_by === "title" ? post.title : post.created_at);
        const sorted = matching.sort((a, b) => (key(a) < key(b) ? -1 : 1) * (order === "asc" ? 1 : -1));
        const { items, total, pages } = pageOf(sorted, page, per_page);
        return { posts: items, total, ...(!isNext && { pages }) };
      },
    }),
    exampleTool<{ readonly id: number }>({
      name: "get-post",
      title: "Get a post",
      description: "Returns one post.",
      input: POST_ID,
      output: POST,
      annotations: READS,
      run: ({ id }) => posts.get(id),
    }),
    exampleTool<NewPost>({
      name: "create-post",
      title: "Create a post",
      description: "Creates a post and returns it. It is a draft unless you say otherwise.",
      input: closedObject(
        {
          ...WRITABLE,
          status: { ...POST_STATUS, default: "draft" },
          ...(isNext && { slug: SLUG }),
        },
        ...["title", "content", ...(isNext ? ["slug"] : [])],
      ),
      output: POST,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run: (post) => posts.create(post),
    }),
    exampleTool<Partial<NewPost> & { readonly id: number }>({
      name: "update-post",
      title: "Update a post",
      description: "Changes what you give and leaves the rest as it is. Returns the whole post.",
      input: {
        type: "object",
        properties: { id: ID, ...WRITABLE, status: POST_STATUS },
        required: ["id"],
        minProperties: 2,
        additionalProperties: false,
      },
      output: POST,
      annotations: CHANGES,
      run: ({ id, ...changes }) => posts.update(id, changes),
    }),
    exampleTool<{ readonly id: number }>({
      name: "delete-post",
      title: "Delete a post",
      description: "Deletes a post for good and returns what it was.",
      input: POST_ID,
      output: {
        type: "object",
        properties: { deleted: { const: true }, previous: POST },
        required: ["deleted", "previous"],
      },
      annotations: { ...CHANGES, idempotentHint: false },
      run: ({ id }) => ({ deleted: true, previous: posts.remove(id) }),
    }),
    exampleTool<{ readonly post_id: number }>({
      name: "list-comments",
      title: "List comments",
      description: "Returns the comments on a post as threads: each comment holds the answers to it.",
      input: closedObject({ post_id: ID }, "post_id"),
      output: {
        type: "object",
        properties: { comments: { type: "array", items: { $ref: "#/$defs/Comment" } } },
        required: ["comments"],
        $defs: { Comment: COMMENT },
      },
      annotations: READS,
      run: ({ post_id }) => ({ comments: posts.comments(post_id) }),
    }),
  ];
}
