import type { JsonSchemaType } from "@modelcontextprotocol/server";

export const POST_STATUS: JsonSchemaType = {
  type: "string",
  enum: ["draft", "pending", "publish", "private"],
  description: "Who can see the post: only its author, also its reviewers, everybody, or only members.",
};

export const FEATURED_IMAGE: JsonSchemaType = {
  type: "object",
  properties: {
    url: { type: "string", format: "uri", description: "Where the image is." },
    alt: { type: "string", description: "What it shows, for people who cannot see it." },
  },
  required: ["url"],
  additionalProperties: false,
};

export const POST: JsonSchemaType = {
  type: "object",
  description: "One post of the site.",
  properties: {
    id: { type: "integer", minimum: 1 },
    title: { type: "string" },
    content: { type: "string", description: "HTML." },
    excerpt: { type: ["string", "null"], description: "A summary by hand, or null when there is none." },
    status: POST_STATUS,
    tags: { type: "array", items: { type: "string" } },
    featured_image: { anyOf: [FEATURED_IMAGE, { type: "null" }] },
    created_at: { type: "string", format: "date-time" },
    updated_at: { type: "string", format: "date-time" },
  },
  required: [
    "id",
    "title",
    "content",
    "excerpt",
    "status",
    "tags",
    "featured_image",
    "created_at",
    "updated_at",
  ],
};

export const COMMENT: JsonSchemaType = {
  type: "object",
  description: "A comment, with the answers to it.",
  properties: {
    author: { type: "string" },
    text: { type: "string" },
    replies: { type: "array", items: { $ref: "#/$defs/Comment" } },
  },
  required: ["author", "text"],
};
