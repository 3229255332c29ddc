// Builds the page of examples/chat-web into its folder page, which is committed: it shares
// the console's components, and so its pinned packages, and has the client of
// clients/typescript. Fails if the files are larger than the page may be.
import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { options } from './bundle.mjs';

const [from, to] = ['../examples/chat-web/page-src', '../examples/chat-web/page'];

const maxCompressed = 200 * 1024;

await rm(to, { recursive: true, force: true });
await mkdir(to, { recursive: true });
await build({
  ...options,
  entryPoints: { chat: `${from}/main.tsx`, style: `${from}/chat.css` },
  entryNames: '[name]',
  outdir: to,
  publicPath: undefined,
  alias: { '@helve/client': fileURLToPath(new URL('../clients/typescript/src/index.ts', import.meta.url)) },
  nodePaths: [fileURLToPath(new URL('node_modules', import.meta.url))],
  minify: true,
});
await copyFile(`${from}/index.html`, `${to}/index.html`);
await copyFile('src/icon.svg', `${to}/icon.svg`);

let total = 0;
for (const name of await readdir(to)) total += gzipSync(await readFile(`${to}/${name}`), { level: 9 }).length;
console.log(`the chat page: ${(total / 1024).toFixed(1)} KiB compressed`);
if (total > maxCompressed) {
  console.error(`the chat page may have ${maxCompressed / 1024} KiB compressed`);
  process.exit(1);
}
