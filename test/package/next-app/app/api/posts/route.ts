import { listPosts } from "../../../generated/example/list-posts";

export const dynamic = "force-dynamic";

/** A route that imports one tool. */
export async function GET(): Promise<Response> {
  const result = await listPosts.safe({ order_by: "title", order: "asc" });
  return result.ok
    ? Response.json(result.value.posts.map((post) => post.title))
    : Response.json(result.error, { status: 502 });
}
