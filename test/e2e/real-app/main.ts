/** A user's program: calls the generated tools of the real servers, and prints the results as one JSON object. */
import { everything, files, memory, remote } from "./generated/index.js";
import type { ToolContent } from "mcp-codegen/runtime";

function describe({ text, content }: ToolContent): object {
  return { text: text.slice(0, 60), types: content.map(({ type }) => type) };
}

/** The results that both transports of a server must return. */
async function callEverything({ connect }: typeof everything | typeof remote): Promise<object> {
  await using tools = connect();
  const [sum, weather, image, links, reference, annotated, research] = await Promise.all([
    tools.getSum({ a: 2, b: 3 }),
    tools.getStructuredContent({ location: "Chicago" }),
    tools.getTinyImage({}),
    tools.getResourceLinks({ count: 2 }),
    tools.getResourceReference({ resourceType: "Text", resourceId: 1 }),
    tools.getAnnotatedMessage({ messageType: "error", includeImage: true }),
    tools.simulateResearchQuery.safe({ topic: "tides" }),
  ]);
  const picture = image.content.find(({ type }) => type === "image");
  const embedded = reference.content.find(({ type }) => type === "resource");
  return {
    sum: sum.text,
    weather: [typeof weather.temperature, typeof weather.conditions, typeof weather.humidity],
    image: { ...describe(image), mimeType: picture?.["mimeType"], data: typeof picture?.["data"] },
    links: links.content.flatMap((block) => (block.type === "resource_link" ? [typeof block["uri"]] : [])),
    embedded: typeof embedded?.["resource"],
    annotated: annotated.content.map(({ type, annotations }) => [type, annotations !== undefined]),
    research: research.ok || research.error.code,
  };
}

async function callFiles(): Promise<object> {
  await files.writeFile({ path: "note.txt", content: "Ebb and flow" });
  const note = await files.readTextFile({ path: "note.txt" });
  const media = await files.readMediaFile({ path: "dot.png" });
  const outside = await files.readTextFile.safe({ path: "/etc/hostname" });
  const [first] = media.content;
  return {
    note: note.content,
    media: first?.type === "image" ? first.mimeType : first?.type,
    outside: outside.ok ? outside.value : outside.error.code,
  };
}

async function callMemory(): Promise<object> {
  const entity = { name: "Moon", entityType: "body", observations: ["pulls"] };
  const created = await memory.createEntities({ entities: [entity] });
  const found = await memory.searchNodes({ query: "Moon" });
  // @ts-expect-error: an entity has observations
  const refused = await memory.createEntities.safe({ entities: [{ name: "Sun", entityType: "body" }] });
  return {
    created: created.entities,
    found: found.entities.map(({ name }) => name),
    refused: refused.ok ? undefined : [refused.error.code, refused.error.issues?.[0]?.path],
  };
}

const [stdio, http, written, graph] = await Promise.all([
  callEverything(everything),
  callEverything(remote),
  callFiles(),
  callMemory(),
]);
console.log(JSON.stringify({ stdio, http, files: written, memory: graph }));
