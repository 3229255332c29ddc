const { request } = lib("rest");

// Helpers of the six operations. The manifest names functions, so helpers are
// not tools.
function api(params, path, options = {}) {
  const headers = {
    Accept: "application/vnd.github+json",
    Authorization: "Bearer " + params._env.ISSUES_TOKEN,
  };
  return request(params._env.ISSUES_URL, path, { ...options, headers });
}

const issuesOf = (params) => `/repos/${params.repo.split("/").map(encodeURIComponent).join("/")}/issues`;

const summary = (issue) => ({
  number: issue.number,
  title: issue.title,
  state: issue.state,
  labels: issue.labels.map((label) => label.name),
  url: issue.html_url,
});

async function list(params) {
  const query = { state: params.state, labels: params.labels?.join(","), per_page: params.limit };
  const issues = await api(params, issuesOf(params), { query });
  // The API lists pull requests among the issues.
  return issues.filter((issue) => !issue.pull_request).map(summary);
}

async function search(params) {
  const query = { q: `repo:${params.repo} is:issue ${params.query}`, per_page: params.limit };
  const found = await api(params, "/search/issues", { query });
  return { total: found.total_count, issues: found.items.map(summary) };
}

async function get(params) {
  const path = `${issuesOf(params)}/${params.number}`;
  // Both requests run concurrently.
  const [issue, comments] = await Promise.all([api(params, path), api(params, path + "/comments")]);
  return {
    ...summary(issue),
    body: issue.body || "",
    comments: comments.map((comment) => ({ author: comment.user.login, body: comment.body })),
  };
}

async function create(params) {
  const { title, body, labels } = params;
  return summary(await api(params, issuesOf(params), { method: "POST", body: { title, body, labels } }));
}

async function comment(params) {
  const path = `${issuesOf(params)}/${params.number}/comments`;
  const made = await api(params, path, { method: "POST", body: { body: params.body } });
  return { url: made.html_url };
}

async function close(params) {
  const body = { state: "closed", state_reason: params.reason };
  return summary(await api(params, `${issuesOf(params)}/${params.number}`, { method: "PATCH", body }));
}
