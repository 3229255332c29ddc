// __NAME__: the manifest names the function of each tool. What the functions
// share stands beside them; nothing is kept from one call to the next.
function split(text) {
  const list = text.split(/\s+/).filter(Boolean);
  if (list.length === 0) {
    throw new Error("the text has no words; send one that has");
  }
  return list;
}

async function words(params) {
  return split(params.text);
}

async function longest(params) {
  return split(params.text).reduce((a, b) => (b.length > a.length ? b : a));
}
