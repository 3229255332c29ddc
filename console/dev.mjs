// Serves the console from the source, for development, and passes the API to a running
// helve: node dev.mjs [http://127.0.0.1:8080]. Reload the page to see a change.
import { createServer, request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { context } from 'esbuild';
import { first, installed, options, outputsOf, page, worker } from './bundle.mjs';

const api = new URL(process.argv[2] ?? 'http://127.0.0.1:8080');
const port = Number(process.env.PORT ?? 5173);
const policy = // as the dispatcher sends it
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const types = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', png: 'image/png', webmanifest: 'application/manifest+json' };
const passed = /^\/(v1|openapi\.json|mcp|metrics|healthz|readyz)/;

const contexts = await Promise.all([options, first, worker].map((o) => context({ ...o, outdir: 'dev', write: false })));

createServer(async (req, res) => {
  const url = new URL(req.url, 'http://console');
  if (passed.test(url.pathname) || req.method !== 'GET') {
    const to = request(new URL(req.url, api), { method: req.method, headers: { ...req.headers, host: api.host, origin: api.origin } }, (from) => {
      res.writeHead(from.statusCode, from.headers);
      from.pipe(res);
    });
    to.on('error', () => res.writeHead(502).end());
    res.on('close', () => to.destroy());
    req.pipe(to);
    return;
  }
  try {
    const built = await Promise.all(contexts.map((c) => c.rebuild()));
    const files = built.flatMap((b) => b.outputFiles);
    const name = url.pathname.split('/').at(-1);
    const file = files.find((f) => f.path.endsWith('/' + name));
    res.setHeader('Content-Security-Policy', policy);
    res.setHeader('Cache-Control', 'no-store');
    const type = types[name.split('.').at(-1)] ?? 'text/plain';
    if (installed.includes(name)) {
      res.writeHead(200, { 'Content-Type': type }).end(await readFile(`src/push/${name}`));
      return;
    }
    if (url.pathname.startsWith('/assets/') || name === 'sw.js') {
      res.writeHead(file ? 200 : 404, { 'Content-Type': type }).end(file?.contents);
      return;
    }
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    res.end(page(await readFile('src/index.html', 'utf8'), outputsOf(...built)));
  } catch (err) {
    res.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(err));
  }
}).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
