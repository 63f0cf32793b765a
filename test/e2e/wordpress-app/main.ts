// A user's program that creates, reads, updates and deletes a post through abilities of a WordPress.
import { connect } from "./generated/wordpress/index.js";

const wp = connect();
const created = await wp.createPost({ title: "Hello", content: "<p>World</p>", tags: ["first"] });
const read = await wp.getPost({ id: created.id });
const updated = await wp.updatePost({ id: created.id, status: "publish" });
const listed = await wp.listPosts({ status: "publish" });
const deleted = await wp.deletePost({ id: created.id });
const gone = await wp.getPost.safe({ id: created.id });
// @ts-expect-error: the number of a post is a number.
const wrong = await wp.getPost.safe({ id: "1" });

console.log(
  JSON.stringify({
    created,
    read,
    updated: updated.status,
    listed: [listed.total, listed.posts.map((post) => post.title)],
    deleted,
    gone: gone.ok ? "" : [gone.error.code, gone.error.message],
    wrong: wrong.ok ? "" : wrong.error.code,
  }),
);
