/** The report: what changed and what can be done, then the changes, the worst class first. */
import { count, joinFirst } from "../../layout.js";
import type { PageEdit, PageFinding, PageReport } from "../page-data.js";
import { Code, Diff, List, type PageProps, Prose, ToolName } from "./parts.js";

export function Changes({ data }: PageProps) {
  const { report, title } = data;
  if (report === undefined) return <p>Nothing was compared.</p>;
  const { findings, sections, work } = report;
  return (
    <article>
      <h1 tabindex={-1}>{headline(report)}</h1>
      <p class="quiet">
        {title}: {work}
      </p>
      <Head report={report} />
      <Classes findings={findings} data={data} />
      {sections.map((section) => (
        <section key={section.title}>
          <h2>{section.title}</h2>
          <List class="notes" items={section.lines} most={60}>
            {(line) => line}
          </List>
        </section>
      ))}
    </article>
  );
}

export function headline({ findings, isClean, clean }: PageReport): string {
  if (findings.length > 0) return count(findings.length, "change");
  return isClean ? clean : "No changes, but see below";
}

function Head({ report: { heads, ways, notes, hits } }: { readonly report: PageReport }) {
  return (
    <>
      {heads.map((head) => (
        <p class="head" key={head}>
          {head}
        </p>
      ))}
      {ways.length > 0 && (
        <dl class="ways">
          {ways.map(({ does, command }) => (
            <div key={command}>
              <dt>{does}</dt>
              <dd>
                <Code code={command} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {hits.length > 0 && (
        <section>
          <h2>Your code</h2>
          <List class="notes" items={hits} most={60}>
            {({ quote, text, tools }) => (
              <>
                <code>{quote}</code> <Prose text={text} /> <span class="quiet">{tools.join(", ")}</span>
              </>
            )}
          </List>
        </section>
      )}
    </>
  );
}

/** Worst first. */
export const CLASSES = {
  breaking: "Breaking",
  unknown: "Not proved",
  dangerous: "Dangerous",
  safe: "Safe",
} as const;

/** The findings of each class. */
export function Classes({ findings, data }: PageProps & { readonly findings: readonly PageFinding[] }) {
  return Object.entries(CLASSES).map(([name, title]) => {
    const group = findings.filter((finding) => finding.class === name);
    if (group.length === 0) return null;
    return (
      <section key={name}>
        <h2>
          {title} ({group.length})
        </h2>
        <List class="cards" items={group} most={100}>
          {(finding) => <FindingCard finding={finding} data={data} />}
        </List>
      </section>
    );
  });
}

interface FindingProps extends PageProps {
  readonly finding: PageFinding;
  /** The tool whose page it is on, which shows only what is about the tool. */
  readonly tool?: string;
}

export function FindingCard({ finding, data, tool }: FindingProps) {
  const { server, environment, tools, rules, says, edits, witness, notes } = finding;
  const [only = "the server itself", ...others] = tools;
  const shown = edits.filter(
    (edit) =>
      (tool === undefined || edit.tools.includes(tool)) &&
      (edit.place !== "" || edit.after !== undefined || edit.before !== undefined),
  );
  const place = environment === undefined ? server : `${server} (${environment})`;
  const ownNotes = notes.filter((note) => tool === undefined || (note.tools?.includes(tool) ?? true));
  return (
    <div class={`card ${finding.class}`}>
      <header>
        {tool === undefined && (
          <h3>
            <span class="quiet">{place} / </span>
            {others.length > 0 ? (
              count(tools.length, "tool")
            ) : (
              <ToolName data={data} server={server} name={only} />
            )}
          </h3>
        )}
        {tool !== undefined && <span class={`badge ${finding.class}`}>{finding.class}</span>}
        {finding.security && <span class="badge security">security</span>}
        {finding.fails === false && <span class="badge">does not fail</span>}
        <code class="quiet rule">{rules.join(", ")}</code>
      </header>
      {tool === undefined && others.length > 0 && (
        <List class="names" items={tools} most={shown.length === 0 ? 60 : 8}>
          {(name) => <ToolName data={data} server={server} name={name} />}
        </List>
      )}
      <p>{says}</p>
      <List class="edits" items={shown} most={12}>
        {(edit) => <Edit edit={edit} isNamed={tool === undefined && edit.tools.length < tools.length} />}
      </List>
      {witness !== undefined && (tool === undefined || witness.tool === tool) && (
        <div class="witness">
          <p class="quiet">This value {witness.says}</p>
          <pre>
            <code>{witness.json}</code>
          </pre>
        </div>
      )}
      {ownNotes.length > 0 && (
        <List class="notes" items={ownNotes} most={20}>
          {({ quote, text }) => (
            <>
              {quote !== undefined && <code>{quote}</code>} <Prose text={text} />
            </>
          )}
        </List>
      )}
    </div>
  );
}

function Edit({ edit, isNamed }: { readonly edit: PageEdit; readonly isNamed: boolean }) {
  const { place, before, after } = edit;
  const names = joinFirst(edit.tools, 3);
  return (
    <>
      {isNamed && names !== "" && <span>{names} </span>}
      {place !== "" && <code>{place}</code>}
      {(before !== undefined || after !== undefined) && <Diff before={before} after={after} />}
    </>
  );
}
