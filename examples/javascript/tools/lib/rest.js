// The functions that the tools of this directory share. lib("rest") returns the
// exports.

// request sends a request to a JSON API and returns its answer, null for an empty
// answer. A status other than 2xx is an error with the server's own reason.
async function request(base, path, { method = "GET", query = {}, body, headers = {} } = {}) {
  if (!base) {
    throw new Error("this tool has no address; its operator must set it");
  }
  const url = new URL(base.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      url.searchParams.set(name, String(value));
    }
  }
  const options = { method, headers: { Accept: "application/json", ...headers } };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  const response = await fetch(url.href, options);
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${url.host} answered ${response.status}: ${reason(text)}`);
  }
  return text === "" ? null : JSON.parse(text);
}

// reason returns the message in an error's body.
function reason(text) {
  try {
    const { message, error } = JSON.parse(text);
    return message || error.message;
  } catch {
    return text.slice(0, 200) || "no reason given";
  }
}

exports.request = request;
