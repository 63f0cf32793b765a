/** Scripts that were written from the answers of `search_api` alone, over the tools of twelve public servers, by their task. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  "Archive the tasks of an Airtable base that are done.": `const { records } = await airtable.listRecords({ baseId: "appTasks", tableId: "Tasks", filterByFormula: "{Status} = 'Done'", fields: ["Name"] });
const updated = [];
for (let i = 0; i < records.length; i += 10) {
  const batch = records.slice(i, i + 10).map((record) => ({ id: record.id, fields: { Archived: true } }));
  const result = await airtable.updateRecords({ baseId: "appTasks", tableId: "Tasks", records: batch });
  updated.push(...result.records.map((record) => record.id));
}
return updated;`,
  "Ask in each stale issue whether it is still a problem.": `const issues = parse(await github.listIssues({ owner: "acme", repo: "web", state: "open", labels: ["stale"], per_page: 100 }));
await Promise.all(issues.map((issue) => github.addIssueComment({ owner: "acme", repo: "web", issue_number: issue.number, body: "Is this still a problem?" })));
return issues.map((issue) => issue.title);`,
  "Block task 15 if the last build failed.": `const failure = await circleci.getBuildFailureLogs({ params: { projectSlug: "gh/acme/web", branch: "main" } });
const text = typeof failure === "string" ? failure : JSON.stringify(failure);
if (text.includes("No failed")) return "green";
await tasks.setTaskStatus({ id: "15", status: "blocked", projectRoot: "/srv/web" });
return text.slice(0, 500);`,
  "Count the words of each Markdown file.": `const { content } = await files.searchFiles({ path: "/docs", pattern: "**/*.md" });
const paths = content.split("\\n").filter((line) => line.endsWith(".md"));
const sizes: Record<string, number> = {};
for (const path of paths) {
  const file = await files.readTextFile({ path });
  sizes[path] = file.content.split(/\\s+/).length;
}
return sizes;`,
  "Delete the spam comments from before 2026.": `const comments = parse(await wordpress.wpListComments({ status: "spam" }));
let deleted = 0;
for (const comment of comments) {
  if (Date.parse(comment.date) < Date.parse("2026-01-01")) {
    await wordpress.wpDeleteComment({ id: comment.id, force: true });
    deleted += 1;
  }
}
return { deleted, of: comments.length };`,
  "Which topics about failed upgrades have the most posts?": `const found = parse(await discourse.discourseSearch({ query: "upgrade fails", max_results: 10 }));
const topics = await Promise.all(
  found.results.map(async ({ id, title }: { id: number; title: string }) => {
    const topic = parse(await discourse.discourseReadTopic({ topic_id: id, post_limit: 50 }));
    return { title, posts: topic.posts.length };
  }),
);
topics.sort((a, b) => b.posts - a.posts);
return topics;`,
  "Read the last lines of the logs of pods that do not run.": `const pods = parse(await kubernetes.kubectlGet({ resourceType: "pods", namespace: "shop", fieldSelector: "status.phase!=Running" }));
const logs: { pod: string; tail: unknown }[] = [];
for (const pod of pods.items) {
  logs.push({ pod: pod.metadata.name, tail: await kubernetes.kubectlLogs({ resourceType: "pod", name: pod.metadata.name, namespace: "shop", tail: 20 }) });
}
return logs;`,
  "Restart the unhealthy applications.": `const apps = parse(await coolify.listApplications({ per_page: 50 }));
const unhealthy = apps.filter((app: any) => String(app.status).includes("unhealthy"));
const results = await Promise.allSettled(unhealthy.map((app: any) => coolify.control({ resource: "application", action: "restart", uuid: app.uuid })));
return unhealthy.map((app: any, i: number) => ({ name: app.name, restarted: results[i].status === "fulfilled" }));`,
  "Set a due date for the open tasks that have none.": `const page = parse(await asana.asanaGetTasksForProject({ project_id: "1200", opt_fields: "name,due_on,completed", limit: 100 }));
const open = page.filter((task) => !task.completed && !task.due_on);
for (const task of open) await asana.asanaUpdateTask({ task_id: task.gid, due_on: "2026-12-31" });
return open.map((task) => task.name);`,
  "Silence the alerts of a team for an hour.": `const monitors = parse(await datadog.getMonitors({ groupStates: ["alert"], tags: ["team:web"] }));
const now = Math.floor(Date.now() / 1000);
for (const monitor of monitors) {
  await datadog.scheduleDowntime({ scope: "env:staging", monitorId: monitor.id, end: now + 3600, message: "Known outage" });
}
return monitors.length;`,
};
