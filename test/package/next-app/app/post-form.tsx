"use client";

import { useState } from "react";
import { CreatePostInput } from "../generated/example/create-post";

/** A client component that validates with a tool's schema. */
export function PostForm() {
  const [title, setTitle] = useState("");
  const { success } = CreatePostInput.safeParse({ title, content: "" });
  return <input value={title} aria-invalid={!success} onChange={(event) => setTitle(event.target.value)} />;
}
