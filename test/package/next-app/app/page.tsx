import { connect } from "../generated/example";
import { PostForm } from "./post-form";

export const dynamic = "force-dynamic";

/** A server component that calls a tool. */
export default async function Page() {
  const { posts } = await connect().listPosts({ status: "publish" });
  return (
    <main>
      <ul>
        {posts.map((post) => (
          <li key={post.id}>{post.title}</li>
        ))}
      </ul>
      <PostForm />
    </main>
  );
}
