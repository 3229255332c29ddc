// __NAME__: execute gets the arguments, checked and with their defaults, and
// returns the result: any JSON value. What it throws ends the call as an error.
async function execute(params) {
  const counts = new Map();
  for (const word of params.text.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean)) {
    counts.set(word, (counts.get(word) || 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, params.limit)
    .map(([word, count]) => ({ word, count }));
}
