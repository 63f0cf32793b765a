import * as z from "zod";
import { connectTools, defineTool } from "../../../src/codegen.js";
import { defineServer } from "../../../src/runtime/tool.js";
import type { Result, CallOptions, ToolCaller } from "../../../src/core/call.js";

/** A site in memory, with ids of its own for each kind of thing, all of which begin at the same numbers. */
export interface ModelSite {
  readonly client: ToolCaller;
  /** What calls did, in their order. */
  readonly calls: readonly { readonly name: string; readonly result: unknown }[];
  /** The site with each id replaced by the order of its creation: equal for sites that are equal up to ids. */
  shape(): unknown;
}

interface Thing {
  readonly order: number;
  readonly kind: string;
  fields: Record<string, unknown>;
}

const server = defineServer({
  name: "site",
  contract: "1.0.0",
  environments: { sandbox: {}, production: {} },
});
const anything = z.looseObject({});
const tool = (name: string) =>
  defineTool({ server, name, input: anything, output: anything, inputSchema: () => ({}) });

const modelTools = {
  createPost: tool("create-post"),
  updatePost: tool("update-post"),
  deletePost: tool("delete-post"),
  createComment: tool("add-comment-to-post"),
  deleteComment: tool("delete-comment"),
  createCategory: tool("create-category"),
};

/** @param next the id that a new thing of a kind gets, given how many there were before */
export function modelSite(next: (kind: string, count: number) => number): ModelSite {
  const things = new Map<string, Thing>();
  const counts = new Map<string, number>();
  const calls: { name: string; result: unknown }[] = [];
  let order = 0;
  const orderOf = (kind: string, id: unknown): number => {
    const thing = things.get(`${kind} ${String(id)}`);
    if (thing === undefined) throw new TypeError(`There is no ${kind} ${String(id)}.`);
    return thing.order;
  };
  const create = (kind: string, fields: Record<string, unknown>): object => {
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    const id = next(kind, count);
    things.set(`${kind} ${id}`, { order: order++, kind, fields });
    return { id };
  };
  const remove = (kind: string, id: unknown): object => {
    orderOf(kind, id);
    things.delete(`${kind} ${String(id)}`);
    return { deleted: true, previous: { id } };
  };
  const fieldsOf = ({ category_ids = [], ...rest }: Record<string, unknown>): Record<string, unknown> => ({
    ...rest,
    categories: (category_ids as unknown[]).map((id) => orderOf("category", id)),
  });
  const work: Record<string, (args: Record<string, unknown>) => object> = {
    "create-post": (args) => ({ post: { ...create("post", fieldsOf(args)), author_id: 1 }, status: "ok" }),
    "update-post": ({ id, ...args }) => {
      orderOf("post", id);
      const thing = things.get(`post ${String(id)}`);
      if (thing) thing.fields = { ...thing.fields, ...fieldsOf(args) };
      return { post: { id, ...args } };
    },
    "delete-post": ({ id }) => remove("post", id),
    "add-comment-to-post": ({ post_id, parent, text }) => ({
      ...create("comment", {
        text,
        post: orderOf("post", post_id),
        parent: parent === undefined ? null : orderOf("comment", parent),
      }),
      post_id,
    }),
    "delete-comment": ({ comment }) => remove("comment", (comment as { id: number }).id),
    "create-category": ({ name }) => ({
      category_id: String((create("category", { name }) as { id: number }).id),
    }),
  };
  return {
    calls,
    client: {
      callTool: ({ name, arguments: args = {} }) => {
        try {
          const structuredContent = work[name]?.(args) ?? {};
          calls.push({ name, result: structuredContent });
          return Promise.resolve({ content: [], structuredContent });
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          return Promise.resolve({ content: [{ type: "text", text: error.message }], isError: true });
        }
      },
    },
    shape: () => [...things.values()].sort((a, b) => a.order - b.order),
  };
}

export function connectModel(options: CallOptions): typeof modelTools {
  return connectTools(server, modelTools, options);
}

interface Answer {
  readonly id?: number;
  readonly post?: { readonly id: number };
  readonly category_id?: string;
}

/** An action of a user, with the index of the existing item that it changes. */
export type Action = readonly [kind: number, which: number, text: string];

/** Does actions on a site whose changes are recorded. What is not possible is not done. */
export async function act(actions: readonly Action[], site: typeof modelTools): Promise<void> {
  const posts: number[] = [];
  const comments: number[] = [];
  const categories: number[] = [];
  const pick = (list: readonly number[], which: number): number | undefined => list[which % list.length];
  const valueOf = (result: Result<unknown>): Answer => (result.ok ? (result.value as Answer) : {});
  for (const [kind, which, text] of actions) {
    const post = pick(posts, which);
    const comment = pick(comments, which);
    if (kind === 0) {
      const category = pick(categories, which);
      const created = valueOf(
        await site.createPost.safe({ title: text, ...(category && { category_ids: [category] }) }),
      );
      posts.push(created.post?.id ?? 0);
    } else if (kind === 1) {
      const created = valueOf(await site.createCategory.safe({ name: text }));
      categories.push(Number(created.category_id));
    } else if (kind === 2 && post !== undefined) {
      const created = valueOf(
        await site.createComment.safe({ post_id: post, text, ...(comment && { parent: comment }) }),
      );
      comments.push(Number(created.id));
    } else if (kind === 3 && post !== undefined) {
      await site.updatePost.safe({ id: post, title: text, category_ids: [...categories] });
    } else if (kind === 4 && post !== undefined) {
      await site.deletePost.safe({ id: post });
      posts.splice(posts.indexOf(post), 1);
    } else if (kind === 5 && comment !== undefined) {
      await site.deleteComment.safe({ comment: { id: comment } });
      comments.splice(comments.indexOf(comment), 1);
    }
  }
}
