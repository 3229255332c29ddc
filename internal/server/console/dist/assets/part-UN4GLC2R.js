function o(n){return`/tools/${encodeURIComponent(n)}`}export{o as a};
