// Builds the page of examples/chat-web into its folder page, which is committed: it shares
// the console's components, and so its pinned packages.
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { options } from './bundle.mjs';

const [from, to] = ['../examples/chat-web/page-src', '../examples/chat-web/page'];

await rm(to, { recursive: true, force: true });
await mkdir(to, { recursive: true });
await build({
  ...options,
  entryPoints: { chat: `${from}/main.tsx`, style: `${from}/chat.css` },
  entryNames: '[name]',
  outdir: to,
  publicPath: undefined,
  nodePaths: [fileURLToPath(new URL('node_modules', import.meta.url))],
  minify: true,
});
await copyFile(`${from}/index.html`, `${to}/index.html`);
await copyFile('src/icon.svg', `${to}/icon.svg`);
