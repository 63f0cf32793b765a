/** The whole page at an address. */
import { useMemo, useState } from "preact/hooks";
import { count } from "../../layout.js";
import { addressInPage, FINDINGS, OVERVIEW, type PageData } from "../page-data.js";
import { Changes, CLASSES } from "./changes.js";
import type { PageProps } from "./parts.js";
import { createSearch } from "./search-tools.js";
import { OverviewPage, ServerPage, ToolPage } from "./views.js";

interface AppProps extends PageProps {
  /** Empty for the first view: the changes of a report, or else all tools. */
  readonly address: string;
}

export function App({ data, address }: AppProps) {
  const { title, tools, report } = data;
  // A search ends when another view opens.
  const [search, setSearch] = useState({ query: "", address });
  const isSearching = search.query !== "" && search.address === address;
  const isOverview = address === OVERVIEW || (address === "" && !opensOnChanges(data));
  return (
    <div class={`${isOverview ? "overview" : "detail"}${isSearching ? " searching" : ""}`}>
      <header class="top">
        <a class="brand" href="#">
          mcp-codegen
        </a>
        <span class="quiet title">{title}</span>
        {report !== undefined && <a href={FINDINGS}>Changes</a>}
        {tools.length > 0 && <a href={OVERVIEW}>Tools</a>}
      </header>
      <div class={tools.length > 0 ? "layout" : ""}>
        {tools.length > 0 && (
          <ToolList data={data} address={address} onSearch={setSearch} query={search.query} />
        )}
        <main key={address}>
          <View data={data} address={address} />
        </main>
      </div>
    </div>
  );
}

function opensOnChanges({ report, tools }: PageData): boolean {
  return report !== undefined && (report.findings.length > 0 || !report.isClean || tools.length === 0);
}

function View({ data, address }: AppProps) {
  const { servers, tools } = data;
  if (address === FINDINGS || (address === "" && opensOnChanges(data))) return <Changes data={data} />;
  if (address === "" || address === OVERVIEW) return <OverviewPage data={data} />;
  const tool = tools.find(({ server, name }) => addressInPage(server, name) === address);
  if (tool !== undefined) return <ToolPage data={data} tool={tool} />;
  const server = servers.find(({ name }) => addressInPage(name) === address);
  if (server !== undefined) return <ServerPage data={data} server={server} />;
  return (
    <>
      <p class="warning">This page has nothing at "{address}".</p>
      {tools.length > 0 ? <OverviewPage data={data} /> : <Changes data={data} />}
    </>
  );
}

interface ListProps extends AppProps {
  readonly query: string;
  readonly onSearch: (search: { readonly query: string; readonly address: string }) => void;
}

/** The list of tools beside the views, and its search field. */
function ToolList({ data, address, query, onSearch }: ListProps) {
  const { tools, servers } = data;
  const search = useMemo(() => createSearch(tools), [tools]);
  const marks = useMemo(() => marksOf(data), [data]);
  const hits = search(query);
  return (
    <nav class="side" aria-label="Tools">
      <input
        type="search"
        placeholder="Search tools"
        aria-label="Search tools"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          onSearch({ query: currentTarget.value, address });
        }}
      />
      <p class="quiet status" role="status">
        {hits.length > 0
          ? count(hits.length, "tool")
          : `No tool has "${query}" in its name, texts or properties.`}
      </p>
      <ul class="rows">
        {hits.map((tool) => {
          const href = addressInPage(tool.server, tool.name);
          const mark = marks.get(href);
          const isCurrent = href === address;
          return (
            <li key={href}>
              <a
                href={href}
                title={tool.name}
                {...(isCurrent && { "aria-current": "page" as const, ref: bringIntoView })}
              >
                <span class="name">{tool.name}</span>
                {servers.length > 1 && <span class="quiet server">{tool.server}</span>}
                {mark !== undefined && <span class={`mark ${mark.class}`}>{mark.text}</span>}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function bringIntoView(row: Element | null): void {
  row?.scrollIntoView({ block: "nearest" });
}

/** The worst change of each tool, by address. */
function marksOf({ report }: PageData) {
  const marks = (report?.findings ?? []).flatMap(({ server, tools, rules: [rule = ""], class: judged }) => {
    const verb = /^tool-(removed|renamed|added)$/.exec(rule)?.[1];
    const mark = { class: judged, text: verb ?? CLASSES[judged].toLowerCase() };
    return tools.map((tool) => [addressInPage(server, tool), mark] as const);
  });
  // Findings begin with the worst.
  return new Map(marks.reverse());
}
