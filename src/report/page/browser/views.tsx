/** The views of the locked tools. */
import { formatNumber } from "../../../core/printable.js";
import { EFFECT_WORDS } from "../../../core/snapshot.js";
import { count } from "../../layout.js";
import { addressInPage, FINDINGS, type PageFinding, type PageServer, type PageTool } from "../page-data.js";
import { Classes, FindingCard, headline } from "./changes.js";
import { Code, Lazy, List, type PageProps, tokens, ToolName } from "./parts.js";
import { SchemaTree } from "./schema-tree.js";

export function OverviewPage({ data }: PageProps) {
  const { servers, tools, report } = data;
  return (
    <article>
      <h1 tabindex={-1}>Tools of your MCP servers</h1>
      {report !== undefined && (
        <p>
          <a href={FINDINGS}>{headline(report)}</a>: {report.work}
        </p>
      )}
      <ul class="cards">
        {servers.map((server) => {
          const own = tools.filter((tool) => tool.server === server.name);
          const destroying = own.filter(({ effect }) => effect === "destroys").length;
          return (
            <li class="card" key={server.name}>
              <h2>
                <a href={addressInPage(server.name)}>{server.name}</a>
              </h2>
              <Facts
                facts={{
                  Contract: server.contract,
                  Tools: formatNumber(own.length),
                  Destroying: formatNumber(destroying),
                  Cost: tokens(server),
                  "Last change": server.history?.[0]?.date.slice(0, 10),
                }}
              />
            </li>
          );
        })}
      </ul>
    </article>
  );
}

function Facts({ facts }: { readonly facts: Readonly<Record<string, string | undefined>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([term, text]) =>
          text !== undefined && (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** One server: its identity, its other lists and its history. */
export function ServerPage({ data, server }: PageProps & { readonly server: PageServer }) {
  const { name, contract, identity, protocol, instructions, entries } = server;
  const own = data.tools.filter((tool) => tool.server === name);
  return (
    <article>
      <h1 tabindex={-1}>{name}</h1>
      <Facts facts={{ Contract: contract, Identity: identity, Protocol: protocol, Cost: tokens(server) }} />
      {instructions !== undefined && (
        <section>
          <h2>Instructions</h2>
          <p class="description">{instructions}</p>
        </section>
      )}
      <section>
        <h2>{count(own.length, "tool")}</h2>
        <List class="names" items={own} most={100}>
          {(tool) => <ToolName data={data} server={name} name={tool.name} />}
        </List>
      </section>
      {entries.map(({ list, ids }) => (
        <section key={list}>
          <h2>{count(ids.length, list.replace(/s$/, ""))}</h2>
          <List class="names" items={ids} most={100}>
            {(id) => <code>{id}</code>}
          </List>
        </section>
      ))}
      <History data={data} server={server} />
    </article>
  );
}

/** The versions of a contract. Each opens its changes. */
function History({ data, server: { history = [] } }: PageProps & { readonly server: PageServer }) {
  if (history.length === 0) return null;
  return (
    <section>
      <h2>History</h2>
      {history.map(({ contract, date, commit, subject, tools, findings, left }) => (
        <Lazy
          class="version"
          key={commit}
          summary={
            <>
              <strong>{contract ?? "removed"}</strong> {date.slice(0, 10)} <code>{commit}</code> {subject}{" "}
              <span class="quiet">
                {count(findings.length + left, "change")}, {count(tools, "tool")}
              </span>
            </>
          }
        >
          {() => (
            <>
              {findings.length === 0 && <p class="quiet">The first version.</p>}
              <Classes findings={findings} data={data} />
              {left > 0 && <p class="quiet">and {count(left, "more change")}</p>}
            </>
          )}
        </Lazy>
      ))}
    </section>
  );
}

/** A tool: description, changes and schemas. */
export function ToolPage({ data, tool }: PageProps & { readonly tool: PageTool }) {
  const { server, name, title, description, category, effect, unusable, ability, input, output } = tool;
  const findings = (data.report?.findings ?? []).filter((finding) => isAbout(finding, tool));
  const suffix = findings.length > 0 ? ", as locked" : "";
  return (
    <article>
      <p class="quiet">
        <a href={addressInPage(server)}>{server}</a>
      </p>
      <h1 tabindex={-1}>{name}</h1>
      {title !== undefined && title !== name && <p class="quiet">{title}</p>}
      <p>
        <span class={`badge ${effect}`}>{EFFECT_WORDS[effect]}</span> <span class="badge">{category}</span>{" "}
        <span class="badge">{tokens(tool)}</span>
      </p>
      {unusable !== undefined && <p class="warning">No code is generated for this tool: {unusable}</p>}
      {description !== "" && <p class="description">{description}</p>}
      {ability !== undefined && (
        <Facts facts={{ Ability: ability.name, Plugin: ability.plugin, "Registered in": ability.file }} />
      )}
      {findings.length > 0 && (
        <section>
          <h2>Changes</h2>
          {findings.map((finding, at) => (
            <FindingCard key={at} finding={finding} data={data} tool={name} />
          ))}
        </section>
      )}
      <SchemaSection side="input" suffix={suffix} schema={input} tool={name} findings={findings} />
      {output !== undefined && (
        <SchemaSection side="output" suffix={suffix} schema={output} tool={name} findings={findings} />
      )}
    </article>
  );
}

function isAbout({ server, tools }: PageFinding, tool: PageTool): boolean {
  return server === tool.server && tools.includes(tool.name);
}

interface SectionProps {
  readonly side: "input" | "output";
  readonly suffix: string;
  readonly schema: PageTool["input"];
  readonly tool: string;
  readonly findings: readonly PageFinding[];
}

function SchemaSection({ side, suffix, schema, tool, findings }: SectionProps) {
  const start = `/${side}Schema`;
  const marks = findings.flatMap((finding) =>
    finding.edits
      .filter(({ path, tools }) => path.startsWith(start) && tools.includes(tool))
      .map(({ path }) => ({ pointer: path.slice(start.length), class: finding.class })),
  );
  return (
    <section>
      <h2>{(side === "input" ? "Input" : "Output") + suffix}</h2>
      <SchemaTree schema={schema} marks={marks} />
      <Lazy summary="JSON Schema">{() => <Code code={JSON.stringify(schema, undefined, 2)} />}</Lazy>
    </section>
  );
}
