// Six operations of one service over helpers that they share.

function headers(params) {
  return { Authorization: "Bearer " + params._env.DRIVE_TOKEN, Accept: "application/json" };
}

async function request(params, method, path, body) {
  const options = { method, headers: headers(params) };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  const response = await fetch(params._env.DRIVE_URL + path, options);
  if (!response.ok) {
    throw new Error("Drive answered " + response.status + ": " + (await response.text()));
  }
  return response.status === 204 ? null : response.json();
}

async function listFiles(params) {
  const query = new URLSearchParams({ q: params.query || "", pageSize: String(params.max_results || 10) });
  const page = await request(params, "GET", "/files?" + query);
  return { files: page.files.map((f) => ({ id: f.id, name: f.name })), count: page.files.length };
}

const readFile = async (params) => {
  const meta = await request(params, "GET", "/files/" + encodeURIComponent(params.file_id));
  return meta.content;
};

async function uploadFile(params) {
  return request(params, "POST", "/files", { name: params.name, content: params.content });
}

async function deleteFile(params) {
  return request(params, "DELETE", "/files/" + encodeURIComponent(params.file_id));
}

async function getMetadata(params) {
  const meta = await request(params, "GET", "/files/" + encodeURIComponent(params.file_id));
  return { id: meta.id, name: meta.name, size: meta.content.length };
}

async function readMany(params) {
  const all = await Promise.all(params.file_ids.map((id) => readFile({ file_id: id, _env: params._env })));
  return Object.fromEntries(params.file_ids.map((id, i) => [id, all[i]]));
}
